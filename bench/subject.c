#include "subject.h"

#include <stdlib.h>

#include "bench.h"
#include "chip/chip.h"
#include "image/image.h"
#include "node/machine.h"
#include "node/node.h"

struct subject {
    struct machine *machine;
    struct node *node;
};

struct subject *subject_new(const char *elf, const char *chip, uint32_t frequency)
{
    struct error e;
    struct image *image = image_load(elf, &e);
    struct machine_options options = {.hz = frequency, .fuses = {-1, -1, -1}, .lock = -1};
    struct machine *m = image ? machine_new(chip_named(chip), NULL, image, &options, &e) : NULL;
    if (!m) {
        bench_wrong("%s", e.text);
        return NULL;
    }
    struct subject *s = malloc(sizeof *s);
    if (!s)
        abort();
    *s = (struct subject){.machine = m, .node = node_new(m, 0, 1)};
    return s;
}

uint64_t subject_run_until(struct subject *s, uint64_t cycle)
{
    return node_run(s->node, cycle) == NODE_RUNNING ? s->node->state->now : 0;
}

uint64_t subject_instructions(const struct subject *s)
{
    return s->node->state->instructions;
}

uint8_t subject_byte(const struct subject *s, uint16_t address)
{
    return s->node->data[address];
}

uint16_t subject_address(const struct subject *s, const char *variable)
{
    const struct image_symbol *symbol = image_symbol_named(s->machine->image, variable);
    return symbol ? (uint16_t)symbol->address : 0;
}

void subject_take_and_restore(struct subject *s, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        struct snapshot *taken = snapshot_take(s->node);
        snapshot_restore(s->node, taken);
        snapshot_free(taken);
    }
}

void subject_take(struct subject *s, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        snapshot_free(snapshot_take(s->node));
}

void subject_free(struct subject *s)
{
    if (!s)
        return;
    node_free(s->node);
    machine_free(s->machine);
    free(s);
}
