/* Plugins that go wrong: one crashes in a callback, one is of another version, one lacks a function. */
#include <stdlib.h>

#include <motet/motet.h>

unsigned motet_plugin_version(void);
bool motet_plugin_start(motet_node *n, const char *options, struct motet_error *e);

static void reads_nowhere(void *context, const motet_node *n, uint32_t pc, bool after)
{
    volatile int *nowhere = context;
    (void)n, (void)pc, (void)after;
    *nowhere = 1;
}

unsigned motet_plugin_version(void)
{
#ifdef OTHER_VERSION
    return MOTET_PLUGIN_VERSION + 1;
#else
    return MOTET_PLUGIN_VERSION;
#endif
}

#ifndef NO_START
bool motet_plugin_start(motet_node *n, const char *options, struct motet_error *e)
{
    (void)options, (void)e;
    motet_probe(n, MOTET_EVERYWHERE, MOTET_BEFORE, reads_nowhere, NULL);
    return true;
}
#endif
