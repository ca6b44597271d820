#include "record_cores.h"

#include <motet/watch.h>

#include "bench.h"

enum { R0, R1, SP = 13, XPSR = 16, PUSHED = 32, FRAME_ADDRESS = 24 };

bool cores_has(const motet_machine *m)
{
    uint32_t at, size;
    return motet_machine_variable(m, "motet_vectors", &at, &size);
}

static void cores_value(struct cores_tap *t, uint32_t value, unsigned bytes)
{
    for (; bytes; bytes--, value >>= 8)
        trace_put_byte(&t->trace->stream, value & 0xff);
}

/* motet_load_work(address, size) */
static void cores_load(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct cores_tap *t = context;
    (void)pc, (void)after;
    t->size = motet_node_register(n, R1);
}

static void cores_loaded(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct cores_tap *t = context;
    (void)pc, (void)after;
    t->trace->handed++;
    t->trace->reads++;
    t->trace->whole_bits[TRACE_WHOLE] += 8 * t->size;
    cores_value(t, motet_node_register(n, R0), t->size);
}

/* motet_enter_work(cycles, sp, exit): the stub has pushed after the exception's frame. */
static void cores_interrupt(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct cores_tap *t = context;
    uint32_t address = 0;
    (void)pc, (void)after;
    motet_node_peek(n, motet_node_register(n, R1) + PUSHED + FRAME_ADDRESS, &address, 4);
    t->trace->handed++;
    t->trace->interrupts++;
    cores_value(t, motet_node_register(n, XPSR), 1);
    cores_value(t, address, 2);
    cores_value(t, motet_node_register(n, R0), 2);
}

/* motet_block_work(bytes, size) */
static void cores_block(void *context, const motet_node *n, uint32_t pc, bool after)
{
    struct cores_tap *t = context;
    uint32_t at = motet_node_register(n, R0), size = motet_node_register(n, R1);
    (void)pc, (void)after;
    t->trace->handed++;
    t->trace->whole_bits[TRACE_DATA] += 8 * (uint64_t)size;
    for (uint8_t byte; size && motet_node_peek(n, at, &byte, 1); size--, at++)
        cores_value(t, byte, 1);
}

bool cores_put(motet_node *n, const motet_machine *m, struct cores_tap *t)
{
    static const struct {
        const char *where;
        motet_probed *probed;
        bool always;
    } probes[] = {{"motet_load_work", cores_load, true},
                  {"motet_load_work:returns", cores_loaded, true},
                  {"motet_enter_work", cores_interrupt, true},
                  {"motet_block_work", cores_block, false}};
    struct motet_error e;
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        bool there = motet_machine_find(m, probes[i].where, NULL, 0, &e) > 0;
        if (!there && !probes[i].always)
            continue; /* nothing fills memory */
        if (!there || !motet_probe_named(n, probes[i].where, MOTET_BEFORE, probes[i].probed, t, &e))
            return bench_wrong("%s", e.text);
    }
    return true;
}
