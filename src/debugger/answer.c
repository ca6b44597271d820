#include "debugger/answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void answer_add(struct answer *a, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int count = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (count < 0)
        return;
    a->text = memory_grow(a->text, &a->room, a->length + (size_t)count, 1);
    vsnprintf(a->text + a->length, a->room - a->length, format, arguments);
    a->length += (size_t)count;
}

void answer_say(struct answer *a, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    answer_add(a, format, arguments);
    va_end(arguments);
}

bool answer_refuse(struct answer *a, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    answer_add(a, format, arguments);
    va_end(arguments);
    answer_say(a, "\n");
    a->refused = true;
    return false;
}

void answer_row(struct answer *a)
{
    a->rows++;
}

static struct answer_field *answer_new_field(struct answer *a, const char *name)
{
    a->fields = memory_grow(a->fields, &a->field_room, a->field_count, sizeof *a->fields);
    struct answer_field *f = &a->fields[a->field_count++];
    *f = (struct answer_field){.name = name, .row = a->rows - 1};
    return f;
}

void answer_number(struct answer *a, const char *name, uint64_t number)
{
    answer_new_field(a, name)->number = number;
}

void answer_text(struct answer *a, const char *name, const char *text)
{
    char *copy = memory_string(text);
    answer_new_field(a, name)->text = copy;
}

const struct answer_field *answer_field(const struct answer *a, size_t row, const char *name)
{
    for (size_t i = 0; i < a->field_count; i++)
        if (a->fields[i].row == row && strcmp(a->fields[i].name, name) == 0)
            return &a->fields[i];
    return NULL;
}

void answer_free(struct answer *a)
{
    for (size_t i = 0; i < a->field_count; i++)
        free(a->fields[i].text);
    free(a->fields);
    free(a->text);
    *a = (struct answer){.text = NULL};
}
