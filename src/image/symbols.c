/* Symbols: which to keep, how to order them, and which one an address belongs to. */
#include "image/internal.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

/* A symbol while the table is being sorted, together with what only its order and reach need. */
struct candidate {
    struct image_symbol symbol;
    uint32_t limit;
    bool weak, boundary;
};

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Names that linker scripts give to the borders of sections: they say less about a place than any other name there. */
static bool is_boundary(const char *name)
{
    if (strcmp(name, "_etext") == 0 || strcmp(name, "_edata") == 0 || strcmp(name, "_end") == 0)
        return true;
    return name[0] == '_' && (ends_with(name, "_start") || ends_with(name, "_end"));
}

/* Whether a symbol names a place in a section: not a file or section, not a constant of the linker script or the
 * assembler
 * (`__SP_H__`), not a label that a compiler or assembler makes for itself (these begin with a dot, in libgcc as well).
 */
static bool names_a_place(const GElf_Sym *s, const char *name)
{
    unsigned type = GELF_ST_TYPE(s->st_info);
    if (type != STT_NOTYPE && type != STT_FUNC && type != STT_OBJECT)
        return false;
    if (s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_ABS || s->st_shndx == SHN_COMMON)
        return false;
    return name && name[0] && name[0] != '.' && s->st_value < IMAGE_ADDRESS_LIMIT;
}

struct symbols_marked {
    uint32_t address;
    enum image_mark mark;
};

static int symbols_mark_order(const void *a, const void *b)
{
    const struct symbols_marked *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->mark > y->mark) - (x->mark < y->mark);
}

/* Keeps the ranges that begin with a mark of data and end at the next mark of code, or where there is no more. */
static void symbols_data_set(struct image *i, struct growing *marks)
{
    struct growing ranges = {0};
    struct symbols_marked *m = marks->items;
    if (marks->count)
        qsort(m, marks->count, sizeof *m, symbols_mark_order);
    for (size_t n = 0; n < marks->count; n++) {
        bool last = n + 1 == marks->count || m[n + 1].address != m[n].address; /* of those at one address */
        if (m[n].mark != IMAGE_MARK_DATA || !last)
            continue;
        struct image_range *r = growing_add(&ranges, sizeof *r);
        r->address = m[n].address;
        r->size = (n + 1 < marks->count ? m[n + 1].address : IMAGE_ADDRESS_LIMIT) - m[n].address;
    }
    i->data_count = ranges.count;
    i->data = growing_keep(&ranges, sizeof *i->data, &i->store);
}

uint32_t image_data_end(const struct image *i, uint32_t address)
{
    size_t low = 0, high = i->data_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (i->data[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || address - i->data[low - 1].address >= i->data[low - 1].size)
        return 0;
    return i->data[low - 1].address + i->data[low - 1].size;
}

static void candidate_add(struct image *i, Elf *elf, struct growing *candidates, struct growing *marks,
                          const GElf_Sym *s, const char *name)
{
    GElf_Shdr section;
    Elf_Scn *scn = elf_getscn(elf, s->st_shndx);
    unsigned type = GELF_ST_TYPE(s->st_info), bind = GELF_ST_BIND(s->st_info);
    if (!scn || !gelf_getshdr(scn, &section))
        return;
    /* Where .noinit is empty GNU ld puts the symbol `_end` on the section after it, which is .comment. */
    bool loaded = section.sh_flags & SHF_ALLOC, global = type == STT_NOTYPE && bind == STB_GLOBAL;
    if ((!loaded && !global) || section.sh_addr > IMAGE_ADDRESS_LIMIT)
        return;
    enum image_mark mark = i->target->mark ? i->target->mark(name) : IMAGE_MARK_NONE;
    if (mark != IMAGE_MARK_NONE) {
        if (loaded)
            *(struct symbols_marked *)growing_add(marks, sizeof(struct symbols_marked)) =
                (struct symbols_marked){(uint32_t)s->st_value, mark};
        return;
    }
    uint64_t limit = loaded ? section.sh_addr + section.sh_size : 0;
    limit = limit < IMAGE_ADDRESS_LIMIT ? limit : IMAGE_ADDRESS_LIMIT;
    uint64_t room = s->st_value < limit ? limit - s->st_value : 0;
    struct candidate *c = growing_add(candidates, sizeof *c);
    *c = (struct candidate){
        .symbol = {.name = store_string(&i->store, name),
                   .address = (uint32_t)s->st_value & ~(type == STT_FUNC ? i->target->code_bits : 0),
                   .size = (uint32_t)(s->st_size < room ? s->st_size : room),
                   .kind = type == STT_FUNC     ? IMAGE_SYMBOL_FUNCTION
                           : type == STT_OBJECT ? IMAGE_SYMBOL_OBJECT
                                                : IMAGE_SYMBOL_OTHER,
                   .global = bind != STB_LOCAL,
                   .passage = i->target->is_passage && i->target->is_passage(name)},
        .limit = (uint32_t)limit,
        .weak = bind == STB_WEAK,
        .boundary = type == STT_NOTYPE && s->st_size == 0 && is_boundary(name),
    };
}

static int candidate_order(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->symbol.address != y->symbol.address)
        return x->symbol.address < y->symbol.address ? -1 : 1;
    bool x_other = x->symbol.kind == IMAGE_SYMBOL_OTHER, y_other = y->symbol.kind == IMAGE_SYMBOL_OTHER;
    if (x_other != y_other)
        return x_other - y_other;
    if (x->boundary != y->boundary)
        return x->boundary - y->boundary;
    if (x->symbol.global != y->symbol.global)
        return y->symbol.global - x->symbol.global;
    if (x->weak != y->weak)
        return x->weak - y->weak;
    if (x->symbol.size != y->symbol.size)
        return x->symbol.size > y->symbol.size ? -1 : 1;
    return strcmp(x->symbol.name, y->symbol.name);
}

static int symbols_name_order(const void *a, const void *b)
{
    const struct image_symbol *x = *(const struct image_symbol **)a, *y = *(const struct image_symbol **)b;
    int by_name = strcmp(x->name, y->name);
    if (by_name)
        return by_name;
    if (x->global != y->global)
        return y->global - x->global;
    return (x > y) - (x < y);
}

static void symbols_table_set(struct image *i, struct candidate *c, size_t count)
{
    qsort(c, count, sizeof *c, candidate_order);
    struct image_symbol *symbols = store_take(&i->store, (count + 1) * sizeof *symbols);
    struct symbol_reach *reaches = store_take(&i->store, (count + 1) * sizeof *reaches);
    const struct image_symbol **names = store_take(&i->store, (count + 1) * sizeof *names);
    uint32_t sized_end = 0;
    for (size_t n = 0; n < count; n++) {
        symbols[n] = c[n].symbol;
        uint32_t end = c[n].symbol.address + c[n].symbol.size;
        if (c[n].symbol.size && end > sized_end)
            sized_end = end;
        reaches[n] = (struct symbol_reach){.limit = c[n].limit, .sized_end = sized_end};
        names[n] = &symbols[n];
    }
    qsort(names, count, sizeof *names, symbols_name_order);
    i->symbols = symbols;
    i->reaches = reaches;
    i->symbol_names = names;
    i->symbol_count = count;
}

void symbols_load(struct image *i, Elf *elf)
{
    struct growing candidates = {0}, marks = {0};
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr s;
        if (!gelf_getshdr(scn, &s) || s.sh_type != SHT_SYMTAB || s.sh_entsize != sizeof(Elf32_Sym))
            continue;
        Elf_Data *data = elf_getdata(scn, NULL);
        if (!data || !data->d_buf)
            continue;
        size_t count = data->d_size / sizeof(Elf32_Sym);
        for (size_t n = 0; n < count; n++) {
            GElf_Sym symbol;
            if (!gelf_getsym(data, (int)n, &symbol))
                break;
            const char *name = elf_strptr(elf, s.sh_link, symbol.st_name);
            if (names_a_place(&symbol, name))
                candidate_add(i, elf, &candidates, &marks, &symbol, name);
        }
        break; /* a linked file has one symbol table */
    }
    if (candidates.count)
        symbols_table_set(i, candidates.items, candidates.count);
    symbols_data_set(i, &marks);
    growing_free(&candidates);
    growing_free(&marks);
}

size_t image_symbols(const struct image *i, const struct image_symbol **first)
{
    *first = i->symbols;
    return i->symbol_count;
}

const struct image_symbol *image_symbol_named(const struct image *i, const char *name)
{
    size_t low = 0, high = i->symbol_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(i->symbol_names[middle]->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == i->symbol_count || strcmp(i->symbol_names[low]->name, name) != 0)
        return NULL;
    return i->symbol_names[low];
}

static size_t first_above(const struct image *i, uint32_t address)
{
    size_t low = 0, high = i->symbol_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (i->symbols[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t first_of_address(const struct image *i, size_t n)
{
    while (n && i->symbols[n - 1].address == i->symbols[n].address)
        n--;
    return n;
}

/* The innermost symbol whose size covers the address; of several that begin at one place, the first in the table's
 * order. */
static const struct image_symbol *covering(const struct image *i, size_t above, uint32_t address)
{
    const struct image_symbol *found = NULL;
    for (size_t n = above; n-- > 0 && i->reaches[n].sized_end > address;) {
        const struct image_symbol *s = &i->symbols[n];
        if (found && found->address != s->address)
            break;
        if (s->size && address - s->address < s->size)
            found = s;
    }
    return found;
}

/* The label that code (or data) without sizes belongs to: the nearest before it in its section, but none from before
 * the last symbol with a size. A local label without a type is most often a jump target within an assembly function, so
 * the function's own name, which is global or typed, is preferred to it. */
static const struct image_symbol *label_before(const struct image *i, size_t above, uint32_t address)
{
    const struct image_symbol *local = NULL;
    uint32_t sized_end = above ? i->reaches[above - 1].sized_end : 0;
    for (size_t n = above; n > 0;) {
        n = first_of_address(i, n - 1);
        const struct image_symbol *s = &i->symbols[n];
        if (s->address < sized_end || i->reaches[n].limit <= address)
            break;
        if (s->global || s->kind != IMAGE_SYMBOL_OTHER)
            return s;
        if (!local)
            local = s;
    }
    return local;
}

const struct image_symbol *image_symbol_at(const struct image *i, uint32_t address)
{
    size_t above = first_above(i, address);
    const struct image_symbol *s = covering(i, above, address);
    return s ? s : label_before(i, above, address);
}

size_t image_nearest_names(const struct image *i, const char *name, const char *found[], size_t count)
{
    struct nearest n = {.wanted = name};
    for (size_t k = 0; k < i->symbol_count; k++)
        nearest_offer(&n, i->symbol_names[k]->name);
    if (count > n.count)
        count = n.count;
    for (size_t k = 0; k < count; k++)
        found[k] = n.found[k];
    return count;
}

void image_suggest_file(const struct image *i, const char *name, struct motet_error *e)
{
    const char *slash = strrchr(name, '/'), *last = NULL;
    struct nearest n = {.wanted = slash ? slash + 1 : name};
    for (size_t k = 0; k < i->line_count; k++) {
        const char *file = i->lines[k].file;
        if (file != last) {
            slash = strrchr(file, '/');
            nearest_offer(&n, slash ? slash + 1 : file);
        }
        last = file;
    }
    nearest_suggest(&n, e);
}
