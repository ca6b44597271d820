#include "monitor/functions.h"

#include "monitor/monitor.h"

static int functions_by_address(const void *a, const void *b)
{
    const struct motet_symbol *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind == MOTET_SYMBOL_FUNCTION ? -1 : 1;
    return strcmp(x->name, y->name);
}

static bool functions_is_code(const motet_machine *m, const struct motet_symbol *s)
{
    struct motet_instruction i;
    if (s->kind == MOTET_SYMBOL_FUNCTION)
        return true;
    return s->kind == MOTET_SYMBOL_LABEL && s->name[0] && s->name[0] != '.' && s->name[0] != '$' &&
           motet_machine_instruction(m, s->address, &i) && i.kind == MOTET_CODE_INSTRUCTION;
}

/* Of several names of one place, the one it has everywhere else. */
static const char *functions_name_at(const motet_machine *m, const struct motet_symbol *s)
{
    struct motet_instruction i;
    return motet_machine_instruction(m, s->address, &i) && i.label ? i.label : s->name;
}

static void functions_add(struct functions *f, const char *name, uint32_t address, bool passage)
{
    f->list = memory_grow(f->list, &f->room, f->count, sizeof *f->list);
    f->list[f->count++] = (struct function){name, address, UINT32_MAX, passage};
}

void functions_make(struct functions *f, const motet_machine *m)
{
    struct motet_symbol s, *all = NULL;
    size_t count = 0, room = 0;
    for (size_t i = 0; motet_machine_symbol(m, i, &s); i++)
        if (functions_is_code(m, &s)) {
            all = memory_grow(all, &room, count, sizeof *all);
            all[count++] = s;
        }
    if (count)
        qsort(all, count, sizeof *all, functions_by_address);
    *f = (struct functions){.list = NULL};
    functions_add(f, "?", 0, false);
    uint32_t covered = 0; /* up to where the one before reaches; it may be assembly without a type, as libgcc's is */
    for (size_t i = 0; i < count; i++) {
        bool function = all[i].kind == MOTET_SYMBOL_FUNCTION;
        if ((f->count > 1 && f->list[f->count - 1].address == all[i].address) ||
            (!function && all[i].address < covered))
            continue;
        functions_add(f, functions_name_at(m, &all[i]), all[i].address, all[i].passage);
        if (all[i].size)
            covered = all[i].address + all[i].size;
    }
    for (size_t i = 0; i + 1 < f->count; i++)
        f->list[i].end = f->list[i + 1].address;
    free(all);
}

void functions_free(struct functions *f)
{
    free(f->list);
}

void functions_probe(const struct functions *f, motet_node *n, motet_probed *entered, void *context)
{
    for (size_t i = 1; i < f->count; i++)
        if (!f->list[i].passage)
            motet_probe(n, f->list[i].address, f->list[i].address, MOTET_BEFORE, entered, context);
}

size_t functions_at(const struct functions *f, uint32_t pc)
{
    size_t low = 0, high = f->count;
    while (low + 1 < high) {
        size_t middle = (low + high) / 2;
        if (f->list[middle].address <= pc)
            low = middle;
        else
            high = middle;
    }
    return low;
}
