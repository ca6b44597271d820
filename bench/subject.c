#include "subject.h"

#include <stdlib.h>
#include <motet/motet.h>

#include "bench.h"
#include "image/image.h" /* for the addresses of variables, which the public interface does not give */

struct subject {
    motet_machine *machine;
    motet_node *node;
    struct image *image;
};

struct subject *subject_new(const char *elf, const char *chip, uint32_t frequency)
{
    struct motet_options options = MOTET_OPTIONS_DEFAULT;
    options.board = chip;
    options.hz = frequency;
    struct motet_error error;
    motet_machine *machine = motet_machine_load(elf, &options, &error);
    if (!machine) {
        bench_wrong("%s", error.text);
        return NULL;
    }
    struct subject *s = malloc(sizeof *s);
    if (!s)
        abort();
    struct motet_error ignored;
    *s =
        (struct subject){.machine = machine, .node = motet_node_new(machine, 0, 1), .image = image_load(elf, &ignored)};
    return s;
}

uint64_t subject_run_until(struct subject *s, uint64_t cycle)
{
    return motet_node_run(s->node, cycle) == MOTET_RUNNING ? motet_node_now(s->node) : 0;
}

uint64_t subject_instructions(const struct subject *s)
{
    return motet_node_instructions(s->node);
}

uint8_t subject_byte(const struct subject *s, uint16_t address)
{
    uint8_t byte = 0;
    motet_node_peek(s->node, address, &byte, 1);
    return byte;
}

uint16_t subject_address(const struct subject *s, const char *variable)
{
    const struct image_symbol *symbol = s->image ? image_symbol_named(s->image, variable) : NULL;
    return symbol ? (uint16_t)symbol->address : 0;
}

void subject_take(struct subject *s, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        motet_snapshot_free(motet_snapshot_take(s->node));
}

void subject_take_and_restore(struct subject *s, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        motet_snapshot *taken = motet_snapshot_take(s->node);
        motet_snapshot_restore(s->node, taken);
        motet_snapshot_free(taken);
    }
}

void subject_free(struct subject *s)
{
    if (!s)
        return;
    image_free(s->image);
    motet_node_free(s->node);
    motet_machine_free(s->machine);
    free(s);
}
