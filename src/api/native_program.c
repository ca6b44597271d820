#include "api/native_program.h"

#include <stdlib.h>
#include <string.h>

#include "api/native_component.h"
#include "base/memory.h"
#include "chip/region.h"
#include "image/debug.h"
#include "record/feed.h"

static uint32_t native_pointers(const struct debug_type *t)
{
    uint32_t count = 0;
    if (t->kind == DEBUG_POINTER)
        return 1;
    if (t->kind == DEBUG_ARRAY)
        return t->of ? t->count * native_pointers(t->of) : 0;
    for (uint32_t i = 0; t->kind == DEBUG_STRUCT && i < t->field_count; i++)
        count += native_pointers(t->fields[i].type);
    return count;
}

static uint32_t native_pointer_kind(const struct debug_type *t)
{
    return t->of && t->of->kind == DEBUG_FUNCTION ? NATIVE_CODE_POINTER : NATIVE_DATA_POINTER;
}

static void native_add_byte(struct native_program *r, uint32_t offset, uint32_t address, uint32_t mask,
                            uint32_t pointer)
{
    if (address >= r->machine->data_size)
        return;
    r->bytes = memory_grow(r->bytes, &r->byte_room, r->byte_count, sizeof *r->bytes);
    r->bytes[r->byte_count++] = (struct native_byte){(uint32_t)r->variable_count, offset, address, mask, pointer};
    r->compared[address] = 1;
}

/* A pointer has so many bytes more on this computer. */
enum { NATIVE_GROWTH = 6 };

static void native_add_type(struct native_program *r, const struct debug_type *t, uint32_t offset, uint32_t address);

static void native_add_field(struct native_program *r, const struct debug_field *f, uint32_t offset, uint32_t address)
{
    if (!f->bit_size) {
        native_add_type(r, f->type, offset, address);
        return;
    }
    uint64_t bits = (f->bit_size < 64 ? (UINT64_C(1) << f->bit_size) - 1 : UINT64_MAX) << f->bit_offset;
    for (uint32_t i = 0; i < 8; i++)
        if (bits >> 8 * i & 0xff)
            native_add_byte(r, offset + i, address + i, bits >> 8 * i & 0xff, NATIVE_NO_POINTER);
}

static void native_add_type(struct native_program *r, const struct debug_type *t, uint32_t offset, uint32_t address)
{
    uint32_t before = 0;
    switch (t->kind) {
    case DEBUG_POINTER:
        native_add_byte(r, offset, address, 0, native_pointer_kind(t));
        native_add_byte(r, offset + 1, address + 1, 0, native_pointer_kind(t));
        break;
    case DEBUG_ARRAY:
        for (uint32_t i = 0; t->of && i < t->count; i++)
            native_add_type(r, t->of, offset + i * (t->of->size + NATIVE_GROWTH * native_pointers(t->of)),
                            address + i * t->of->size);
        break;
    case DEBUG_STRUCT:
        for (uint32_t i = 0; i < t->field_count; i++) {
            const struct debug_field *f = &t->fields[i];
            native_add_field(r, f, offset + f->offset + NATIVE_GROWTH * before, address + f->offset);
            before += native_pointers(f->type);
        }
        break;
    default:
        for (uint32_t i = 0; i < t->size; i++)
            native_add_byte(r, offset + i, address + i, 0xff, NATIVE_NO_POINTER);
        for (uint32_t i = 0; t->size <= 8 && i < t->size && address + i < r->machine->data_size; i++)
            r->compared[address + i] = (uint8_t)(1 + i);
    }
}

bool native_program_is_own(const char *name, const char *file)
{
    if (strncmp(name, "motet_last_", 11) == 0 || strncmp(name, "motet_begun_", 12) == 0)
        return false; /* of checks, which are part of the program */
    return strncmp(name, "motet_", 6) == 0 || (file && strstr(file, "recorder/"));
}

void native_program_begin(struct native_program *r, const struct machine *machine)
{
    *r = (struct native_program){.machine = machine, .image = machine->image};
    r->compared = memory_new(machine->data_size);
    const struct debug_variable *all;
    size_t count = debug_variables(r->image, &all);
    for (size_t i = 0; i < count; i++) {
        const struct debug_variable *v = &all[i];
        uint32_t address = feed_data_address(v->address);
        if (!v->type || !v->file || native_program_is_own(v->name, v->file) || address < r->machine->ram->first)
            continue;
        native_add_type(r, v->type, 0, address);
        r->variables = memory_grow(r->variables, &r->variable_room, r->variable_count, sizeof *r->variables);
        r->variables[r->variable_count++] = (struct native_place){v->name, v->file, v->line};
    }
}

void native_write_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text; text++)
        fprintf(f, *text == '"' || *text == '\\' || *text < ' ' ? "\\%03o" : "%c", (unsigned char)*text);
    fputc('"', f);
}

void native_program_write(const struct native_program *r, FILE *f)
{
    fprintf(f, "const unsigned motet_bytes[][5] = {");
    for (size_t i = 0; i < r->byte_count; i++)
        fprintf(f, "{%u,%u,%u,%u,%u},\n", (unsigned)r->bytes[i].variable, (unsigned)r->bytes[i].offset,
                (unsigned)r->bytes[i].address, (unsigned)r->bytes[i].mask, (unsigned)r->bytes[i].pointer);
    fprintf(f, "{0}};\nconst unsigned motet_byte_count = %zu;\nconst char *const motet_names[] = {", r->byte_count);
    for (size_t i = 0; i < r->variable_count; i++) {
        native_write_text(f, r->variables[i].name);
        fputs(",\n", f);
    }
    fprintf(f, "0};\n");
}

void native_program_free(struct native_program *r)
{
    free(r->compared);
    free(r->variables);
    free(r->bytes);
    *r = (struct native_program){0};
}
