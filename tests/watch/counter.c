/* An example of a plugin: counts the instructions a node executes, and what is written to a variable. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <motet/motet.h>

unsigned motet_plugin_version(void);
bool motet_plugin_start(motet_node *n, const char *options, struct motet_error *e);

struct counts {
    unsigned long instructions, writes;
};

static void count_instruction(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct counts *c = context;
    (void)n, (void)pc, (void)after;
    c->instructions++;
}

static void count_write(void *context, const motet_node *n, const struct motet_access *a)
{
    struct counts *c = context;
    (void)n, (void)a;
    c->writes++;
}

static void report(void *context, const motet_node *n)
{
    struct counts *c = context;
    fprintf(stderr, "node %u: %lu instructions, %lu writes\n", (unsigned)motet_node_id(n), c->instructions, c->writes);
    free(c);
}

unsigned motet_plugin_version(void)
{
    return MOTET_PLUGIN_VERSION;
}

bool motet_plugin_start(motet_node *n, const char *options, struct motet_error *e)
{
    struct counts *c = calloc(1, sizeof *c);
    motet_probe(n, MOTET_EVERYWHERE, MOTET_BEFORE, count_instruction, c);
    motet_at_end(n, report, c);
    return motet_watch_named(n, *options ? options : "rounds", MOTET_WRITE | MOTET_AFTER, count_write, c, e) != NULL;
}
