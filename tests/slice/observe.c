/* A plugin: which function reads what which other one wrote last, in variables of the firmware. Prints at the end
 *   reads FUNCTION VARIABLE, writes FUNCTION VARIABLE
 * for each pair that was seen. Stack, registers and code without a symbol are left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <motet/motet.h>

unsigned motet_plugin_version(void);
bool motet_plugin_start(motet_node *n, const char *options, struct motet_error *e);

enum { BYTES = 65536, SYMBOLS = 4096 };

struct observer {
    struct motet_symbol symbols[SYMBOLS];
    unsigned count;
    int of_byte[BYTES];     /* the variable at a data address, -1: none */
    int of_code[BYTES * 2]; /* the function at a code address by words, -1: none */
    unsigned char *seen;    /* bits: read, written; by function and variable */
};

static void observe(void *context, const motet_node *n, const struct motet_access *a)
{
    struct observer *o = context;
    (void)n;
    int variable = a->address < BYTES ? o->of_byte[a->address] : -1;
    int function = a->pc / 2 < BYTES * 2 ? o->of_code[a->pc / 2] : -1;
    if (variable >= 0 && function >= 0)
        o->seen[(size_t)function * SYMBOLS + (size_t)variable] |= a->write ? 2 : 1;
}

static void report(void *context, const motet_node *n)
{
    struct observer *o = context;
    (void)n;
    for (unsigned f = 0; f < o->count; f++)
        for (unsigned v = 0; v < o->count; v++) {
            unsigned char is = o->seen[(size_t)f * SYMBOLS + v];
            if (is & 1)
                fprintf(stderr, "reads %s %s\n", o->symbols[f].name, o->symbols[v].name);
            if (is & 2)
                fprintf(stderr, "writes %s %s\n", o->symbols[f].name, o->symbols[v].name);
        }
    free(o->seen);
    free(o);
}

static void place(struct observer *o, int number)
{
    const struct motet_symbol *s = &o->symbols[number];
    for (uint32_t i = 0; i < s->size; i++) {
        uint32_t at = s->address + i;
        if (s->kind == MOTET_SYMBOL_FUNCTION && at / 2 < BYTES * 2)
            o->of_code[at / 2] = number;
        else if (s->kind == MOTET_SYMBOL_VARIABLE) /* an AVR's data begins at 0x800000 in files */
            o->of_byte[at & (BYTES - 1)] = number;
    }
}

unsigned motet_plugin_version(void)
{
    return MOTET_PLUGIN_VERSION;
}

bool motet_plugin_start(motet_node *n, const char *options, struct motet_error *e)
{
    struct observer *o = calloc(1, sizeof *o);
    (void)options, (void)e;
    memset(o->of_byte, -1, sizeof o->of_byte);
    memset(o->of_code, -1, sizeof o->of_code);
    o->seen = calloc(SYMBOLS, SYMBOLS);
    for (size_t i = 0; o->count < SYMBOLS && motet_machine_symbol(motet_node_machine(n), i, &o->symbols[o->count]); i++)
        if (o->symbols[o->count].size && o->symbols[o->count].kind != MOTET_SYMBOL_LABEL)
            place(o, (int)o->count++);
    motet_watch(n, 0, BYTES - 1, MOTET_READ | MOTET_WRITE | MOTET_AFTER, observe, o);
    motet_at_end(n, report, o);
    return true;
}
