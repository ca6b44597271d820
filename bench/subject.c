#include "subject.h"

#include <stdlib.h>
#include <motet/motet.h>

#include "bench.h"
#include "image/image.h" /* for the addresses of variables, which the public interface does not give */

struct subject {
    motet_machine *machine;
    motet_network *network;
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
    motet_network *network = motet_network_of_one(machine, 0, 1);
    *s = (struct subject){.machine = machine,
                          .network = network,
                          .node = motet_network_at(network, 0),
                          .image = image_load(elf, &ignored)};
    return s;
}

uint64_t subject_run_until(struct subject *s, uint64_t cycle)
{
    uint64_t until = motet_network_time(s->network, s->node, cycle);
    return motet_network_run(s->network, until) == MOTET_NETWORK_TIME ? motet_node_now(s->node) : 0;
}

uint64_t subject_instructions(const struct subject *s)
{
    return motet_node_instructions(s->node);
}

uint8_t subject_byte(const struct subject *s, uint32_t address)
{
    uint8_t byte = 0;
    motet_node_peek(s->node, address, &byte, 1);
    return byte;
}

uint32_t subject_address(const struct subject *s, const char *variable)
{
    const struct image_symbol *symbol = s->image ? image_symbol_named(s->image, variable) : NULL;
    /* Small chips keep their data above what a data address has in the file. */
    return !symbol ? 0 : symbol->address < UINT32_C(0x20000000) ? symbol->address & 0xffff : symbol->address;
}

void subject_take(struct subject *s, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        motet_network_snapshot_free(motet_network_snapshot_take(s->network));
}

void subject_take_and_restore(struct subject *s, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        motet_network_snapshot *taken = motet_network_snapshot_take(s->network);
        motet_network_snapshot_restore(s->network, taken);
        motet_network_snapshot_free(taken);
    }
}

void subject_free(struct subject *s)
{
    if (!s)
        return;
    image_free(s->image);
    motet_network_free(s->network);
    motet_machine_free(s->machine);
    free(s);
}
