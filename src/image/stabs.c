/* Lines from stabs, the debug format that avr-gcc up to version 12 writes with plain -g (as Arduino and TinyOS use it).
 * Only lines are taken from it; for variables and types, compile firmware with -gdwarf-4.
 *
 * .stab is a list of entries of 12 bytes: offset of a string, type, a byte unused, a number, a value. */
#include "image/internal.h"
#include "image/reader.h"

#include <string.h>

enum { ENTRY_SIZE = 12, ROW_LIMIT = 4 << 20 };
enum { STAB_UNIT = 0x00, STAB_FUNCTION = 0x24, STAB_LINE = 0x44, STAB_SOURCE = 0x64, STAB_INCLUDED = 0x84 };

struct stabs {
    struct image *image;
    struct growing *ranges;
    const char *directory, *file;
    uint32_t function;
    bool in_function;
    uint32_t start; /* of the line that is open */
    unsigned line;  /* 0: none is */
    const char *line_file;
};

static void line_close(struct stabs *s, uint32_t end)
{
    if (s->line && s->line_file && end > s->start && end <= IMAGE_ADDRESS_LIMIT && s->ranges->count < ROW_LIMIT)
        *(struct line_range *)growing_add(s->ranges, sizeof(struct line_range)) =
            (struct line_range){.start = s->start, .end = end, .file = s->line_file, .line = s->line};
    s->line = 0;
}

static void file_set(struct stabs *s, const char *name)
{
    if (name[0] == '/' || !s->directory)
        s->file = store_string(&s->image->store, name);
    else
        s->file = store_text(&s->image->store, "%s%s", s->directory, name);
}

/* Plain stabs (-gstabs) do not say where a function ends, but its symbol does. */
static void function_leave(struct stabs *s)
{
    const struct image_symbol *symbol = s->in_function ? image_symbol_at(s->image, s->function) : NULL;
    if (symbol && symbol->address == s->function)
        line_close(s, symbol->address + symbol->size);
    s->line = 0;
    s->in_function = false;
}

static void function_set(struct stabs *s, const char *name, uint32_t value)
{
    if (!name[0] && s->in_function) /* the end of one; the value is its size */
        line_close(s, s->function + value);
    function_leave(s);
    s->function = value;
    s->in_function = name[0] && value < IMAGE_ADDRESS_LIMIT && (value != 0 || !dwarf_zero_is_nowhere(s->image));
}

static void source_set(struct stabs *s, const char *name)
{
    function_leave(s);
    size_t length = strlen(name);
    if (length == 0)
        s->directory = s->file = NULL;
    else if (name[length - 1] == '/')
        s->directory = name;
    else
        file_set(s, name);
}

static void entry_apply(struct stabs *s, unsigned type, const char *name, unsigned number, uint32_t value)
{
    switch (type) {
    case STAB_SOURCE: source_set(s, name); break;
    case STAB_INCLUDED: file_set(s, name); break;
    case STAB_FUNCTION: function_set(s, name, value); break;
    case STAB_LINE: /* the value counts from the function's start */
        if (!s->in_function || value > IMAGE_ADDRESS_LIMIT)
            break;
        line_close(s, s->function + value);
        s->start = s->function + value;
        s->line = number;
        s->line_file = s->file;
        break;
    }
}

void lines_from_stabs(struct image *i, const uint8_t *stabs, size_t size, const char *strings, size_t strings_size,
                      struct growing *ranges)
{
    struct stabs s = {.image = i, .ranges = ranges};
    struct reader r = {.at = stabs, .end = stabs + size};
    uint64_t base = 0, next_base = 0; /* each unit has its own part of the strings */
    if (strings_size == 0 || strings[strings_size - 1] != 0)
        return; /* so that every string ends within */
    while (reader_left(&r) >= ENTRY_SIZE) {
        uint32_t offset = reader_number(&r, 4);
        unsigned type = reader_number(&r, 1);
        reader_skip(&r, 1);
        unsigned number = reader_number(&r, 2);
        uint32_t value = reader_number(&r, 4);
        if (type == STAB_UNIT) {
            base = next_base;
            next_base += value;
        } else if (base + offset < strings_size) {
            entry_apply(&s, type, strings + base + offset, number, value);
        }
    }
}
