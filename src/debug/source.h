/* Source: frames and lines of a node as a person reads them: "add (n=1) at counter.c:25", "25\ttotal += n;". */
#ifndef DEBUG_SOURCE_H
#define DEBUG_SOURCE_H

#include <stdio.h>

#include "debug/value.h"

/* The address in a frame whose place is meant: of a caller, the call that is under way. */
uint32_t source_pc(const struct debug_frame *f);

/* "add (n=1) at counter.c:25"; where it is not at the beginning of a line, "0x0000c0 in " before it. Returns the
 * length; 0 if there is no such frame. */
size_t source_frame(const struct value_scope *s, char *text, size_t size);

/* A local variable's value. */
void source_local(const struct value_scope *s, const struct debug_local *l, struct debug_scope *scope, char *text,
                  size_t size);

/* Where the own code of a function begins, by its name, or by that of C++ as a person writes it. */
bool source_body(const struct image *i, const char *function, uint32_t *address);

/* The path by which source_open finds a file; NULL if it cannot be read. */
const char *source_path(const char *file);

/* Opens a file that debug information names: where it was compiled, else in the working directory by the longest end of
 * its path that is there. NULL if it cannot be read. */
FILE *source_open(const char *file);

/* A line of the file that is open, its number and a tab before it; false at its end. Lines longer than the room are
 * cut. */
bool source_line(FILE *f, unsigned number, char *text, size_t size);

/* The line an address belongs to, with its end of line; where the file cannot be read, its number and name. Returns the
 * length; 0 where no line is known. */
size_t source_at(const struct image *i, uint32_t address, char *text, size_t size);

#endif
