/* Motet: call chains, variables and places in source, as data: what a debugger face that is not text is written on.
 * Text is in motet/inspect.h.
 *
 * A variable is what a name, a register or an expression stands for in a frame of a node. It has members: the fields
 * of a structure, the elements of an array, what a pointer leads to. They are found when they are asked for.
 *
 * Invariant: looking changes nothing. A variable is of a moment: it is freed before its timeline moves. What
 * motet_variable_set changes is an input of the timeline, undone by going back before it.
 */
#ifndef MOTET_VARIABLE_H
#define MOTET_VARIABLE_H

#include "motet/timeline.h"

#include "motet/base/begin.h"

/* ---- the call chain ---- */

struct motet_call {
    uint32_t pc;        /* where the frame goes on */
    uint32_t place;     /* what its line is of: of a caller, the call that is under way */
    char function[200]; /* "??" if it is not known */
    const char *file;   /* as debug information has it, NULL: not known; valid as long as the machine */
    unsigned line;
};

/* A frame of the chain, of which 0 is the innermost; false if there are not so many. */
bool motet_node_call(const motet_node *n, size_t level, struct motet_call *c);

/* ---- source ---- */

/* Files that have code in the firmware, the first `count` of them; returns how many there are. */
size_t motet_machine_files(const motet_machine *m, const char **files, size_t count);

/* Where the code of a line begins, once in each function. The file may have another folder than when it was compiled:
 * the longest end of its path that is known counts. Of a line without code it is the next that has some, which `line`
 * becomes. Returns how many addresses were stored, 0 if there is no such line. */
size_t motet_machine_lines(const motet_machine *m, const char *file, unsigned *line, uint32_t *addresses, size_t count);

/* Where a function's own code begins, after what prepares its frame. */
bool motet_machine_body(const motet_machine *m, const char *function, uint32_t *address);

/* Where a file that debug information names can be read now (see motet_source_open); NULL if it cannot. It lies within
 * `file`. */
const char *motet_source_path(const char *file);

/* An instruction as the node's program memory has it now: firmware can change its own. */
bool motet_node_instruction(const motet_node *n, uint32_t address, struct motet_instruction *i);

/* ---- values ---- */

typedef struct motet_variable motet_variable;
void motet_variable_free(motet_variable *v); /* NULL is allowed */

enum motet_variables {
    MOTET_VARIABLES_LOCALS,    /* of the frame's function, parameters first */
    MOTET_VARIABLES_STATICS,   /* of its file */
    MOTET_VARIABLES_GLOBALS,   /* of the firmware */
    MOTET_VARIABLES_REGISTERS, /* of the CPU, as they are in the frame */
    MOTET_VARIABLES_DEVICES,   /* registers of devices, by the names that the firmware knows */
};

/* The variables of a kind from number `first` on, at most `count`; returns how many there are in all. */
size_t motet_node_variables(const motet_node *n, size_t level, enum motet_variables which, size_t first,
                            motet_variable **variables, size_t count);

/* What an expression gives; NULL with a sentence. Expressions are C's, without assignments, casts and calls. */
motet_variable *motet_variable_find(const motet_node *n, size_t level, const char *expression, struct motet_error *e);

enum motet_members { MOTET_MEMBERS_NONE, MOTET_MEMBERS_FIELDS, MOTET_MEMBERS_ELEMENTS, MOTET_MEMBERS_TARGET };
size_t motet_variable_members(const motet_variable *v, enum motet_members *kind); /* how many it has */
motet_variable *motet_variable_member(const motet_variable *v, size_t number);

const char *motet_variable_name(const motet_variable *v);       /* "etx", "[3]", "*head" */
const char *motet_variable_expression(const motet_variable *v); /* that gives it again in its frame; "" if none does */
const char *motet_variable_type(const motet_variable *v);       /* as C spells it; "" if it is not known */

/* As a person reads it, in a format of the command print (0, x, d, u, o, t, c). */
void motet_variable_text(const motet_variable *v, char format, char *text, size_t size);

/* Where it lies, as a debugger's address; false if it is in registers, or no object. */
bool motet_variable_place(const motet_variable *v, uint32_t *address, uint32_t *size);

/* Where a pointer leads, or the number that it is, as a debugger's address; false if it is none. */
bool motet_variable_address(const motet_variable *v, uint32_t *address);

/* Gives it the value of an expression; afterwards the value is found again with that. False with a sentence. */
bool motet_variable_set(motet_variable *v, motet_timeline *t, uint32_t node, const char *text, struct motet_error *e);

#include "motet/base/end.h"

#endif
