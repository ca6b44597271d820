#include "rewrite/stamp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/live.h"
#include "rewrite/reads.h"

const struct fact_timer *stamp_timer(const char *name, const char *chip, const struct facts *f, struct motet_error *e)
{
    char known[FACTS_TIMERS * (FACTS_NAME + 2)] = "";
    size_t length = 0;
    const struct fact_timer *t = facts_timer(f, name);
    if (t)
        return t;
    for (unsigned i = 0; i < f->timer_count; i++)
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "", f->timers[i].name);
    if (length)
        error_set(e, "--stamp %s: not a timer that can tell cycles on %s; it has %s", name, chip, known);
    else
        error_set(e, "--stamp is not known for %s; leave it out, and steps are counted", chip);
    return NULL;
}

/* Of an MSP430: what makes the timer's clock another one than the CPU's, and what takes cycles from the CPU. */
static bool check_clocks(struct pass *p, int node, const struct place *at, const struct fact_timer *t)
{
    enum { CLOCKS = 0xfe /* all but the resistor of the DCO, which both have */ };
    enum use use = live_use(p->t, node);
    if (use == USE_READ || use == USE_NONE)
        return true;
    if (strcmp(at->is.name, t->clocks) == 0 && reads_may_write(p, node, CLOCKS))
        return pass_refuse(p, node,
                           "%s tells cycles (--stamp) while SMCLK and MCLK are both DCOCLK undivided, and %s may "
                           "be set to something else here; record without --stamp",
                           t->name, at->is.name);
    if (reads_may_write(p, node, at->is.fills))
        return pass_refuse(p, node,
                           "DMA (%s) takes cycles from the CPU, which stamps cannot tell; record without --stamp",
                           at->is.name);
    return true;
}

static bool stamp_is_used(struct pass *p, const struct fact_timer *t)
{
    struct place at;
    for (int i = 0; i < (int)tree_count(p->t); i++)
        if (tree_function(p->t, i) >= 0 && pass_is_in_use(p, tree_function(p->t, i)) && pass_is_register(p, i, &at) &&
            at.in_file && facts_owns(t, at.is.name))
            return true;
    return false;
}

/* Which timers the file leaves alone, for a user who chose another. */
static const char *stamp_others(struct pass *p, char *text, size_t size)
{
    const struct facts *f = &p->o->registers->facts;
    size_t length = 0;
    for (unsigned i = 0; i < f->timer_count; i++)
        if (!stamp_is_used(p, &f->timers[i]) && length < size)
            length += (size_t)snprintf(text + length, size - length, "%s--stamp %s", length ? " or " : "give ",
                                       f->timers[i].name);
    if (!length)
        snprintf(text, size, "this file uses every timer that could; leave out --stamp");
    return text;
}

bool stamp_check_register(struct pass *p, int node, const struct place *at)
{
    char others[200];
    if (!p->o->stamp || !at->in_file)
        return true;
    const struct fact_timer *t = p->o->stamp;
    if (facts_owns(t, at->is.name))
        return pass_refuse(p, node,
                           "register %s belongs to %s, which tells the cycles (--stamp) and which the program must "
                           "leave alone; %s",
                           at->is.name, t->name, stamp_others(p, others, sizeof others));
    if (t->clocks[0])
        return check_clocks(p, node, at, t);
    if (strcmp(at->is.name, "EECR") == 0)
        return pass_refuse(p, node,
                           "the CPU stands still for some cycles when EEPROM is accessed (%s), which stamps cannot "
                           "tell; record without --stamp",
                           at->is.name);
    return true;
}

bool stamp_check_handler(struct pass *p, const struct handler *h)
{
    char others[200];
    const struct fact_timer *t = p->o->stamp;
    if (!t || h->vector < t->first || h->vector > t->last)
        return true;
    return pass_refuse(p, h->function, "vector %u belongs to %s, which tells the cycles (--stamp); %s", h->vector,
                       t->name, stamp_others(p, others, sizeof others));
}

bool stamp_check_call(struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    if (!p->o->stamp || (strncmp(n->name, "eeprom_", 7) != 0 && strncmp(n->name, "__ee", 4) != 0))
        return true;
    return pass_refuse(p, node,
                       "the CPU stands still for some cycles when EEPROM is accessed (%s), which stamps cannot tell; "
                       "record without --stamp",
                       n->name);
}

void stamp_around_poll(struct pass *p, int loop)
{
    if (!p->o->stamp)
        return;
    edits_add(&p->edits, tree_at(p->t, loop)->start, EDIT_OPEN, "{motet_polls_now();{");
    edits_add(&p->edits, pass_statement_end(p, loop), EDIT_CLOSE, "}motet_has_polled();}");
}

/* Before a loop that polls; after it; and after it if what was read is recorded first. */
static const char avr_polls[] =
    "static inline __attribute__((always_inline,unused)) void motet_polls_now(void){"
    "__asm__ __volatile__(\"call motet_polls_far\");}\n"
    "static inline __attribute__((always_inline,unused)) void motet_has_polled(void){"
    "__asm__ __volatile__(\"call motet_polled\");}\n"
    "static inline __attribute__((always_inline,unused)) void motet_polls_no_more(void){"
    "__asm__ __volatile__(\"lds r0,motet_uncounted\\n\\tdec r0\\n\\tsts motet_uncounted,r0\");}\n"
    "__asm__(\".pushsection .text.motet_polls_far,\\\"axG\\\",@progbits,motet_polls_far,comdat\\n\\t"
    ".weak motet_polls_far\\n\\t.type motet_polls_far,@function\\nmotet_polls_far:\\n\\t"
    "lds r0,motet_uncounted\\n\\tinc r0\\n\\tsts motet_uncounted,r0\\n\\tret\\n\\t"
    ".size motet_polls_far,.-motet_polls_far\\n\\t.popsection\");\n";
static const char msp430_polls[] = "static inline __attribute__((always_inline,unused)) void motet_polls_now(void){"
                                   "__asm__ __volatile__(\"inc.b &motet_uncounted\":::\"r2\");}\n"
                                   "static inline __attribute__((always_inline,unused)) void motet_has_polled(void){"
                                   "__asm__ __volatile__(\"call #motet_polled\":::\"r2\");}\n"
                                   "static inline __attribute__((always_inline,unused)) void motet_polls_no_more(void){"
                                   "__asm__ __volatile__(\"dec.b &motet_uncounted\":::\"r2\");}\n";

/* Objects that were compiled with other stamps, or none, must not be linked together: the linker asks for the name. */
char *stamp_declaration(const struct pass *p)
{
    return memory_format("%s__asm__(\".pushsection .motet.stamps,\\\"\\\",@progbits\\n\\t"
                         ".long motet_stamps_of_%s\\n\\t.popsection\");\n",
                         pass_is_avr(p) ? avr_polls : msp430_polls, p->o->stamp->name);
}
