/* Values as text. Nothing here trusts a type's tables to fit the bytes: each step is bounded by its enclosing value. */
#include "image/internal.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_LIMIT = 12, REPEATS = 4 /* equal elements in a row that are worth counting */ };

struct writer {
    char *text;
    size_t used, size;
    bool full;
};

static void debug_format_put(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void debug_format_put(struct writer *w, const char *format, ...)
{
    if (w->full)
        return;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(w->text + w->used, w->size - w->used, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= w->size - w->used) {
        w->full = true;
        w->used = w->size - 1;
        memcpy(w->text + w->size - 4, "...", 4);
    } else {
        w->used += (size_t)length;
    }
}

static uint64_t bits_get(const uint8_t *bytes, unsigned first, unsigned count)
{
    uint64_t value = 0;
    for (unsigned n = 0; n < count; n++)
        value |= (uint64_t)(bytes[(first + n) / 8] >> (first + n) % 8 & 1) << n;
    return value;
}

static int64_t debug_format_extended(uint64_t value, unsigned bits)
{
    return bits < 64 && value >> (bits - 1) & 1 ? (int64_t)(value | UINT64_MAX << bits) : (int64_t)value;
}

/* An enumeration is signed where one of its values is. */
static bool debug_format_is_signed(const struct debug_type *type)
{
    for (uint32_t n = 0; type->kind == DEBUG_ENUM && n < type->enumerator_count; n++)
        if (type->enumerators[n].value < 0)
            return true;
    return type->kind == DEBUG_SIGNED || type->kind == DEBUG_CHAR;
}

bool debug_number(const struct debug_type *type, const struct debug_field *field, const void *bytes, int64_t *value)
{
    bool bit_field = field && field->bit_size;
    switch (type->kind) {
    case DEBUG_SIGNED:
    case DEBUG_UNSIGNED:
    case DEBUG_CHAR:
    case DEBUG_BOOL:
    case DEBUG_ENUM:
    case DEBUG_POINTER: break;
    default: return false;
    }
    unsigned bits = bit_field ? field->bit_size : type->size * 8;
    if (bits == 0 || bits > 64 || (!bit_field && type->size > 8))
        return false;
    uint64_t raw = bits_get(bytes, bit_field ? field->bit_offset : 0, bits);
    *value = debug_format_is_signed(type) ? debug_format_extended(raw, bits) : (int64_t)raw;
    return true;
}

static void character_put(struct writer *w, unsigned char c, char quote)
{
    static const char escapes[] = "\nn\rr\tt\0"
                                  "0";
    if (c == (unsigned char)quote || c == '\\') {
        debug_format_put(w, "\\%c", c);
        return;
    }
    for (size_t n = 0; n + 1 < sizeof escapes; n += 2)
        if (c == (unsigned char)escapes[n]) {
            debug_format_put(w, "\\%c", escapes[n + 1]);
            return;
        }
    if (c < 0x20 || c >= 0x7f)
        debug_format_put(w, "\\x%02x", c);
    else
        debug_format_put(w, "%c", c);
}

static void number_put(struct writer *w, const struct debug_type *type, int64_t value)
{
    switch (type->kind) {
    case DEBUG_BOOL:
        if (value == 0 || value == 1) {
            debug_format_put(w, value ? "true" : "false");
            return;
        }
        break;
    case DEBUG_CHAR:
        debug_format_put(w, "'");
        character_put(w, (unsigned char)value, '\'');
        debug_format_put(w, "'");
        return;
    case DEBUG_POINTER: debug_format_put(w, "0x%04" PRIx64, (uint64_t)value); return;
    case DEBUG_ENUM:
        for (uint32_t n = 0; n < type->enumerator_count; n++)
            if (type->enumerators[n].value == value) {
                debug_format_put(w, "%s", type->enumerators[n].name);
                return;
            }
        break;
    case DEBUG_UNSIGNED: debug_format_put(w, "%" PRIu64, (uint64_t)value); return;
    default: break;
    }
    debug_format_put(w, "%" PRId64, value);
}

static void float_put(struct writer *w, const uint8_t *bytes, uint32_t size)
{
    float single;
    double value;
    if (size == sizeof single) {
        memcpy(&single, bytes, sizeof single);
        value = (double)single;
    } else if (size == sizeof value) {
        memcpy(&value, bytes, sizeof value);
    } else {
        debug_format_put(w, "?");
        return;
    }
    if (isnan(value))
        debug_format_put(w, "nan"); /* without the sign, which C libraries do not agree on */
    else
        debug_format_put(w, size == sizeof single ? "%.8g" : "%.16g", value);
}

static void string_put(struct writer *w, const uint8_t *bytes, uint32_t count)
{
    while (count && bytes[count - 1] == 0)
        count--;
    debug_format_put(w, "\"");
    for (uint32_t n = 0; n < count && !w->full; n++)
        character_put(w, bytes[n], '"');
    debug_format_put(w, "\"");
}

static void value_put(struct writer *w, const struct debug_type *type, const uint8_t *bytes, uint32_t size, int depth);

static void array_put(struct writer *w, const struct debug_type *type, const uint8_t *bytes, uint32_t size, int depth)
{
    const struct debug_type *of = type->of;
    uint32_t step = of->size, count = step ? type->count : 0;
    if (step && count > size / step)
        count = size / step;
    if (of->kind == DEBUG_CHAR && step == 1) {
        string_put(w, bytes, count);
        return;
    }
    debug_format_put(w, "{");
    for (uint32_t n = 0; n < count && !w->full;) {
        uint32_t same = 1;
        while (n + same < count && memcmp(bytes + n * step, bytes + (n + same) * step, step) == 0)
            same++;
        debug_format_put(w, n ? ", " : "");
        value_put(w, of, bytes + n * step, step, depth + 1);
        if (same >= REPEATS)
            debug_format_put(w, " <%u times>", same);
        n += same >= REPEATS ? same : 1;
    }
    debug_format_put(w, "}");
}

static void fields_put(struct writer *w, const struct debug_type *type, const uint8_t *bytes, uint32_t size, int depth)
{
    debug_format_put(w, "{");
    for (uint32_t n = 0; n < type->field_count && !w->full; n++) {
        const struct debug_field *f = &type->fields[n];
        uint32_t bits = f->bit_offset + f->bit_size, needed = f->bit_size ? (bits + 7) / 8 : f->type->size;
        debug_format_put(w, "%s%s%s", n ? ", " : "", f->name, f->name[0] ? " = " : "");
        if (f->offset > size || needed > size - f->offset) {
            debug_format_put(w, "?");
            continue;
        }
        int64_t value;
        if (!f->bit_size)
            value_put(w, f->type, bytes + f->offset, needed, depth + 1);
        else if (debug_number(f->type, f, bytes + f->offset, &value))
            number_put(w, f->type, value);
        else
            debug_format_put(w, "?");
    }
    debug_format_put(w, "}");
}

static void value_put(struct writer *w, const struct debug_type *type, const uint8_t *bytes, uint32_t size, int depth)
{
    int64_t value;
    if (depth > DEPTH_LIMIT || type->size > size) {
        debug_format_put(w, "?");
        return;
    }
    switch (type->kind) {
    case DEBUG_STRUCT:
    case DEBUG_UNION: fields_put(w, type, bytes, size, depth); break;
    case DEBUG_ARRAY: array_put(w, type, bytes, size, depth); break;
    case DEBUG_FLOAT: float_put(w, bytes, type->size); break;
    case DEBUG_VOID: debug_format_put(w, "void"); break;
    case DEBUG_FUNCTION: debug_format_put(w, "{%s}", type->name); break;
    default:
        if (debug_number(type, NULL, bytes, &value))
            number_put(w, type, value);
        else
            debug_format_put(w, "?");
    }
}

static struct writer writer_on(char *text, size_t size)
{
    assert(size >= 4);
    text[0] = 0;
    return (struct writer){.text = text, .size = size};
}

size_t debug_format(const struct debug_type *type, const void *bytes, char *text, size_t size)
{
    struct writer w = writer_on(text, size);
    value_put(&w, type, bytes, type->size, 0);
    return w.used;
}

size_t debug_format_bits(const struct debug_field *field, const void *bytes, char *text, size_t size)
{
    struct writer w = writer_on(text, size);
    int64_t value;
    if (!field->bit_size)
        value_put(&w, field->type, bytes, field->type->size, 0);
    else if (debug_number(field->type, field, bytes, &value))
        number_put(&w, field->type, value);
    else
        debug_format_put(&w, "?");
    return w.used;
}
