/* The line table: which source line each instruction comes from, as ranges of addresses. */
#include "base/memory.h"
#include "image/internal.h"
#include "image/reader.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

/* Limits far above any firmware's, so that a file made to take forever does not. */
enum { ROW_LIMIT = 4 << 20, UNIT_LIMIT = 1 << 16 };

/* Code that the linker threw away (--gc-sections, as every Arduino build has it) still has its lines in the file,
 * from address 0 on. libdw sorts all rows of a unit by address, after which they could not be distinguished from
 * those of the vector table and of the functions after it. So these sequences are first moved out of the address
 * space, to where no row is kept. */
#define NOWHERE 0xf0000000u

/* Steps over one extended opcode; DW_LNE_set_address 0 becomes NOWHERE. */
static void extended_opcode(struct reader *r)
{
    uint32_t length = reader_uleb(r);
    struct reader operation = {.at = r->at, .end = r->end};
    reader_skip(r, length);
    if (r->failed || length != 5 || reader_number(&operation, 1) != DW_LNE_set_address)
        return;
    uint8_t *address = (uint8_t *)operation.at; /* the section was given to be changed */
    if (reader_number(&operation, 4) == 0)
        for (unsigned n = 0; n < 4; n++)
            address[n] = (uint8_t)(NOWHERE >> 8 * n);
}

/* Walks one unit's line number program (DWARF 5, 6.2.4 and 6.2.5), whose header begins at r.at. */
static void program_discard(struct reader r)
{
    uint32_t version = reader_number(&r, 2);
    if (version < 2 || version > 5)
        return;
    if (version == 5)
        reader_skip(&r, 2); /* sizes of addresses and segment selectors */
    uint32_t header = reader_number(&r, 4);
    struct reader program = r;
    reader_skip(&program, header);
    reader_skip(&r, version >= 4 ? 5 : 4); /* minimum_instruction_length to line_range */
    uint32_t opcode_base = reader_number(&r, 1);
    uint8_t operands[256] = {0};
    for (uint32_t n = 1; n < opcode_base; n++)
        operands[n] = (uint8_t)reader_number(&r, 1);
    while (reader_left(&program)) {
        uint32_t opcode = reader_number(&program, 1);
        if (opcode == 0)
            extended_opcode(&program);
        else if (opcode == DW_LNS_fixed_advance_pc && opcode < opcode_base)
            reader_skip(&program, 2);
        else
            for (unsigned n = 0; n < operands[opcode]; n++)
                reader_uleb(&program);
    }
}

void lines_discard(const struct image *i, uint8_t *section, size_t size)
{
    if (!dwarf_zero_is_nowhere(i))
        return;
    struct reader r = {.at = section, .end = section + size};
    while (reader_left(&r)) {
        uint32_t length = reader_number(&r, 4);
        struct reader unit = {.at = r.at, .end = r.at};
        reader_skip(&r, length);
        unit.end = r.at;
        if (!r.failed)
            program_discard(unit);
    }
}

struct row {
    Dwarf_Addr address;
    const char *file;
    int line;
    bool end;
    bool body; /* a function's own code begins here, says the compiler */
};

static bool row_read(Dwarf_Lines *lines, size_t n, struct row *r)
{
    Dwarf_Line *line = dwarf_onesrcline(lines, n);
    *r = (struct row){0};
    if (!line || dwarf_lineaddr(line, &r->address) != 0 || dwarf_lineno(line, &r->line) != 0 ||
        dwarf_lineendsequence(line, &r->end) != 0 || dwarf_lineprologueend(line, &r->body) != 0)
        return false;
    r->file = dwarf_linesrc(line, NULL, NULL);
    return true;
}

/* libdw sorts the rows of a unit by address, so that only the end rows separate sequences. */
static void unit_lines(struct image *i, Dwarf_Die *unit, struct growing *ranges)
{
    Dwarf_Lines *lines;
    size_t count;
    if (dwarf_getsrclines(unit, &lines, &count) != 0)
        return;
    Dwarf_Attribute attribute;
    const char *text = dwarf_attr(unit, DW_AT_producer, &attribute) ? dwarf_formstring(&attribute) : NULL;
    const char *producer = text ? store_string(&i->store, text) : NULL;
    const char *directory = dwarf_attr(unit, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute) : NULL;
    const char *last_file = NULL,
               *file = NULL; /* interning is dear, and libdw gives the same pointer for the same file */
    bool second = false, body = false;
    for (size_t n = 0; n + 1 < count && ranges->count < ROW_LIMIT; n++) {
        struct row row, next;
        if (!row_read(lines, n, &row) || !row_read(lines, n + 1, &next))
            return;
        bool after_empty = second;
        second = !row.end && next.address == row.address;
        body = row.body || (body && after_empty);
        if (row.end || !row.file || row.line <= 0 || next.address <= row.address || next.address > IMAGE_ADDRESS_LIMIT)
            continue;
        if (row.file != last_file) {
            last_file = row.file;
            file = row.file[0] == '/' || !directory ? store_string(&i->store, row.file)
                                                    : store_text(&i->store, "%s/%s", directory, row.file);
        }
        struct line_range *r = growing_add(ranges, sizeof *r);
        *r = (struct line_range){
            .start = (uint32_t)row.address,
            .end = (uint32_t)next.address,
            .file = file,
            .line = (unsigned)row.line,
            .producer = producer,
            .second = after_empty,
            .body = body,
        };
    }
}

static int range_order(const void *a, const void *b)
{
    const struct line_range *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

void lines_from_dwarf(struct image *i, Dwarf *dwarf, struct growing *ranges)
{
    Dwarf_Off at = 0, next;
    size_t header;
    unsigned units = 0;
    while (units++ < UNIT_LIMIT && dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL) == 0 && next > at) {
        Dwarf_Die unit;
        if (dwarf_offdie(dwarf, at + header, &unit))
            unit_lines(i, &unit, ranges);
        at = next;
    }
}

void lines_set(struct image *i, struct growing *ranges)
{
    struct line_range *r = ranges->items;
    if (ranges->count)
        qsort(r, ranges->count, sizeof *r, range_order);
    size_t kept = 0;
    for (size_t n = 0; n < ranges->count; n++) {
        if (n + 1 < ranges->count && r[n].end > r[n + 1].start)
            r[n].end = r[n + 1].start;
        if (r[n].end > r[n].start)
            r[kept++] = r[n];
    }
    ranges->count = kept;
    i->line_count = kept;
    i->lines = growing_keep(ranges, sizeof *r, &i->store);
}

/* ---- from lines to code ---- */

bool image_has_lines(const struct image *i)
{
    return i->line_count > 0;
}

static bool image_lines_ends_in(const char *path, const char *file)
{
    size_t length = strlen(path), wanted = strlen(file);
    if (wanted > length || strcmp(path + length - wanted, file) != 0)
        return false;
    return wanted == length || path[length - wanted - 1] == '/' || file[0] == '/';
}

size_t image_line_places(const struct image *i, const char *file, unsigned *line, uint32_t *addresses, size_t count)
{
    unsigned best = UINT32_MAX;
    for (size_t n = 0; n < i->line_count; n++)
        if (i->lines[n].line >= *line && i->lines[n].line < best && image_lines_ends_in(i->lines[n].file, file))
            best = i->lines[n].line;
    size_t found = 0;
    const struct image_symbol *last = NULL;
    for (size_t n = 0; n < i->line_count && found < count; n++) {
        if (i->lines[n].line != best || !image_lines_ends_in(i->lines[n].file, file))
            continue;
        const struct image_symbol *function = image_symbol_at(i, i->lines[n].start);
        if (found && function == last)
            continue;
        last = function;
        addresses[found++] = i->lines[n].start;
    }
    *line = best;
    return found;
}

static bool image_lines_listed(const char *const *files, size_t count, const char *file)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(files[k], file) == 0)
            return true;
    return false;
}

size_t image_files(const struct image *i, const char **files, size_t count)
{
    const char *last = NULL, **all = NULL;
    size_t found = 0, room = 0;
    for (size_t n = 0; n < i->line_count; n++) {
        const char *file = i->lines[n].file;
        bool known = last && (file == last || image_lines_listed(all, found, file));
        last = file;
        if (known)
            continue;
        all = memory_grow(all, &room, found, sizeof *all);
        all[found++] = file;
    }
    for (size_t k = 0; k < found && k < count; k++)
        files[k] = all[k];
    free(all);
    return found;
}

uint32_t image_body(const struct image *i, const struct image_symbol *function)
{
    struct image_row first, second;
    uint32_t end = function->address + function->size;
    for (uint32_t at = function->address; at < end && image_row_at(i, at, &first); at = first.end)
        if (first.body)
            return first.start;
    if (!image_row_at(i, function->address, &first) || first.second || first.end >= end ||
        !image_row_at(i, first.end, &second))
        return function->address;
    return second.start;
}
