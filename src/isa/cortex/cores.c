/* What a replay must know of a Cortex-M where a core of the recorder (target/recorder/cortex) begins and ends. */
#include "isa/cortex/cortex.h"
#include "isa/cortex/exceptions.h"
#include "node/map.h"

/* From what the counter was in the last load of a core to the core's end, the entry of an exception, and the stub up to
 * its load of the counter: entries.S, by the cycles of its instructions. */
enum { CORES_ENTRY = 12, CORES_OWN = 24 };

/* Tail-chaining: a return takes 1 cycle instead of 10, and the entry after it 6 instead of 12. */
enum { CORES_CHAINED = 9 + 6 };

static unsigned cores_exception(const struct node *n)
{
    return ((const struct cortex_cpu *)n->cpu)->exception;
}

/* As exceptions.c makes it. */
static uint32_t cores_frame(const struct node *n)
{
    const struct cortex_cpu *cpu = n->cpu;
    bool floats = cpu->control & CORTEX_FLOAT_ACTIVE;
    uint32_t frame = cpu->r[CORTEX_SP] - (floats ? 104 : 32);
    return (floats || cpu->ccr & CORTEX_STACK_ALIGN) && frame & 4 ? frame & ~4u : frame;
}

/* Its frame is still there. */
static bool cores_returned(const struct node *n)
{
    static const uint8_t numbers[] = {0, 1, 2, 3, 12, CORTEX_LR, CORTEX_PC};
    const struct cortex_cpu *cpu = n->cpu;
    uint8_t bytes[4 * sizeof numbers];
    if (!map_peek(n, cores_frame(n), bytes, sizeof bytes))
        return false;
    for (unsigned i = 0; i < sizeof numbers; i++) {
        const uint8_t *at = bytes + 4 * i;
        uint32_t word = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        if (word != cpu->r[numbers[i]])
            return false;
    }
    return true;
}

static uint32_t cores_vectors(const struct node *n)
{
    return ((const struct cortex_cpu *)n->cpu)->vtor;
}

static void cores_leave(struct node *n, uint32_t end, uint32_t result)
{
    struct cortex_cpu *cpu = n->cpu;
    cpu->r[0] = result;
    cpu->r[1] = cpu->r[2] = cpu->r[3] = cpu->r[12] = cpu->r[CORTEX_LR] = 0;
    cpu->psr = (cpu->psr & ~CORTEX_FLAGS) | CORTEX_Z | CORTEX_C;
    cpu->r[CORTEX_PC] = end;
}

const struct isa_cores cortex_cores = {.constant = CORES_ENTRY + CORES_OWN,
                                       .chained = CORES_CHAINED,
                                       .exception = cores_exception,
                                       .frame = cores_frame,
                                       .returned = cores_returned,
                                       .vectors = cores_vectors,
                                       .leave = cores_leave};
