/* Plugins that go wrong: one crashes in a callback, others in a call to nowhere, by using up the stack, in their start
 * or when they are loaded; one is of another version, one lacks a function. */
#include <stdlib.h>

#include <motet/motet.h>

unsigned motet_plugin_version(void);
bool motet_plugin_start(motet_node *n, const char *options, struct motet_error *e);

#ifdef RECURSES
static volatile int depth;

static __attribute__((noinline)) int deeper(int level)
{
    volatile char frame[4096];
    frame[level & 4095] = 1;
    depth = level;
    return deeper(level + 1) + frame[level & 4095];
}
#endif

static void reads_nowhere(void *context, const motet_node *n, uint32_t pc, bool after)
{
    (void)context, (void)n, (void)pc, (void)after;
#if defined CALLS_NOWHERE
    ((void (*)(void))context)();
    *(volatile int *)context = 1; /* so that it is no jump */
#elif defined RECURSES
    deeper(0);
#else
    *(volatile int *)context = 1;
#endif
}

#ifdef CONSTRUCTOR
__attribute__((constructor)) static void at_once(void)
{
    abort();
}
#endif

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
#ifdef START_CRASHES
    abort();
#endif
    motet_probe(n, MOTET_EVERYWHERE, MOTET_BEFORE, reads_nowhere, NULL);
    return true;
}
#endif
