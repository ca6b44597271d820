/* Answers: what a debugger command found, as text for a person and as data for a program.
 *
 * The data are rows of named fields: one row for a moment, one for each node, frame or transmission of a list.
 * Invariant: text and data say the same; a refusal has text and no rows.
 */
#ifndef DEBUGGER_ANSWER_H
#define DEBUGGER_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct answer_field {
    const char *name; /* a constant of the command */
    size_t row;
    char *text;      /* NULL: it is a number */
    uint64_t number; /* times in nanoseconds or ticks, as the name says */
};

struct answer {
    char *text; /* lines, each with its end; NULL: nothing */
    size_t length, room;
    struct answer_field *fields; /* in the order of their rows */
    size_t field_count, field_room, rows;
    bool refused; /* the command was not carried out; `text` says why and what to do */
    bool moved;   /* the timeline is, or may be, elsewhere than before */
};

void answer_say(struct answer *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool answer_refuse(struct answer *a, const char *format, ...) __attribute__((format(printf, 2, 3))); /* false */

/* Begins a row; its fields follow. */
void answer_row(struct answer *a);
void answer_number(struct answer *a, const char *name, uint64_t number);
void answer_text(struct answer *a, const char *name, const char *text);

/* A field of a row, NULL if it has none of that name. */
const struct answer_field *answer_field(const struct answer *a, size_t row, const char *name);

void answer_free(struct answer *a);

#endif
