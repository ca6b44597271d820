/* A pass over one file: what its parts share (reads.h, steps.h, calls.h, handlers.h, sleep.h): the tree, what is to be
 * inserted into the text, what was found, and how to say it.
 *
 * Invariant: nodes are visited from the outside to the inside, so that what is inserted around them nests.
 */
#ifndef REWRITE_PASS_H
#define REWRITE_PASS_H

#include "rewrite/address.h"
#include "rewrite/edits.h"
#include "rewrite/instrument.h"
#include "rewrite/tree.h"

struct handler {
    int function;
    unsigned vector;
};

struct pass {
    struct tree *t;
    const struct instrument_options *o;
    struct instrumented *r;
    struct edits edits;
    const char *text;
    size_t size;
    struct handler handlers[64];
    unsigned handler_count;
    unsigned *calls;                   /* references to each function, by node */
    bool *used;                        /* functions that anything can reach, by node */
    bool *masked;                      /* functions that run with interrupts off from beginning to end, by node */
    bool *skipped;                     /* loops that poll */
    bool *quiet;                       /* reads that are recorded elsewhere */
    bool *whole;                       /* functions that are recorded as one (measure.h) */
    bool says_filled;                  /* the file says where hardware has filled memory */
    bool *filled;                      /* objects that DMA fills, by the node that declares them (filled.h) */
    const char *filled_why[FACTS_DMA]; /* by channel: why what it fills is not known; NULL: it is */
    bool in_memory;                    /* each variable is kept there, where what a loop leaves in it can be seen */
    struct motet_error *e;
};

/* Parses the file and clears `r`: no function is known yet to be used or called. False, with an error, and nothing to
 * close. */
bool pass_open(struct pass *p, const char *path, const struct instrument_options *o, struct instrumented *r,
               struct motet_error *e);
/* If all went well, the file with its edits goes into the result; else the result holds nothing. Returns `well`. */
bool pass_close(struct pass *p, bool well);

bool pass_is_avr(const struct pass *p);

/* Errors and warnings with the place of a node. The first returns false. */
bool pass_refuse(struct pass *p, int node, const char *format, ...) __attribute__((format(printf, 3, 4)));
void pass_warn(struct pass *p, int node, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A new site; returns what the recorder is to be given as its number, as an expression, until the next call. */
const char *pass_site(struct pass *p, int node, const char *name, enum register_class class, uint32_t live,
                      const char *why);
/* The same for assembly. */
const char *pass_site_symbol(struct pass *p, int node, const char *name, enum register_class class, uint32_t live,
                             const char *why);

/* ---- about nodes ---- */
size_t pass_nodes_in(const struct pass *p, int node); /* itself and all below */
bool pass_is_once(const struct pass *p, int node);    /* do { } while (0): no loop */
bool pass_is_named(const struct tree_node *n, const char *const *names);
bool pass_is_register(const struct pass *p, int node, struct place *at);
bool pass_is_unevaluated(const struct pass *p, int node); /* under sizeof or typeof */

/* ---- about functions ---- */
int pass_body_of(const struct pass *p, int function);          /* -1: it is only declared */
int pass_definition_of(const struct pass *p, int declaration); /* -1: not in this file */
bool pass_is_called_here(const struct pass *p, int reference); /* rather than its address taken */
bool pass_is_in_use(const struct pass *p, int function);
const struct handler *pass_handler_of(const struct pass *p, int function);

/* Attributes may stand at any of a function's declarations: looks for a word there from node `from` on; -1: none. */
int pass_attribute_at(const struct pass *p, int function, int from, const char *word, uint32_t *after);
bool pass_has_attribute(const struct pass *p, int function, const char *word, uint32_t *after);
bool pass_is_naked(const struct pass *p, int function);

/* ---- about the text ---- */
bool pass_has_word(const struct pass *p, uint32_t from, uint32_t to, const char *word, uint32_t *after);
uint32_t pass_behind_space(const struct pass *p, uint32_t at);     /* blanks and line marks */
uint32_t pass_statement_end(const struct pass *p, int node);       /* after its semicolon */
char *pass_flat(const struct pass *p, uint32_t from, uint32_t to); /* in one line, without line marks; to be freed */

/* Brackets code that loops without counting: the registers distinguish an interrupt in it from others. */
void pass_uncounted(struct pass *p, uint32_t start, uint32_t end);

#endif
