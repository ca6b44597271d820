/* Arguments of requests: each is taken with its type, and a wrong one gives a sentence that names it. */
#ifndef DAP_ARGUMENTS_H
#define DAP_ARGUMENTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "motet/error.h"

bool argument_error(struct motet_error *e, const char *format, ...) __attribute__((format(printf, 2, 3))); /* false */

/* False with a sentence if it is of another type or outside the limits. Absent, or null: the value stays as it is. */
bool argument_number(const json_t *in, const char *name, int64_t least, int64_t most, int64_t *value,
                     struct motet_error *e);
bool argument_text(const json_t *in, const char *name, const char **text, struct motet_error *e);
bool argument_flag(const json_t *in, const char *name, bool *flag, struct motet_error *e);
bool argument_list(const json_t *in, const char *name, json_t **list, struct motet_error *e);
bool argument_object(const json_t *in, const char *name, json_t **object, struct motet_error *e);

/* The same, where it must be there. */
bool argument_needs(const json_t *in, const char *name, struct motet_error *e);

#ifdef __clang_analyzer__ /* clang-tidy looks at one file at a time, and so cannot know what it returns */
#define argument_error(...) (argument_error(__VA_ARGS__), false)
#endif

#endif
