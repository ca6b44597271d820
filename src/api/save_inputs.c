#include "api/save_inputs.h"

#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "base/memory.h"
#include "board/board.h"
#include "chip/chip.h"

struct save_inputs *save_inputs_new(void)
{
    return memory_new(sizeof(struct save_inputs));
}

void save_inputs_free(struct save_inputs *c)
{
    if (!c)
        return;
    saved_inputs_free(&c->inputs);
    free(c->machines);
    free(c->lives);
    free(c);
}

void save_inputs_note(struct save_inputs *c, struct saved_input e)
{
    if (!c)
        return;
    if (e.kind == SAVED_BOOT)
        c->lives[e.node]++;
    saved_inputs_add(&c->inputs, e);
}

static void save_inputs_parts(struct save_inputs *c, const motet_machine *m)
{
    struct motet_part_info part;
    for (size_t i = 0; motet_machine_part(m, i, &part); i++) {
        char *text = memory_format("%s %s", part.digest, part.wish);
        saved_inputs_add(&c->inputs, (struct saved_input){.kind = SAVED_PART,
                                                          .where = (uint32_t)c->machine_count,
                                                          .bytes = (const uint8_t *)text,
                                                          .size = strlen(text)});
        free(text);
    }
}

uint32_t save_inputs_machine(struct save_inputs *c, const motet_machine *m)
{
    for (size_t i = 0; i < c->machine_count; i++)
        if (c->machines[i] == m)
            return (uint32_t)i;
    const struct machine *is = m->machine;
    const char *board = is->board ? is->board->name : is->chip->name;
    uint32_t fuses =
        (uint32_t)is->fuses[0] << 24 | (uint32_t)is->fuses[1] << 16 | (uint32_t)is->fuses[2] << 8 | is->lock;
    save_inputs_parts(c, m);
    c->machines = memory_resize(c->machines, c->machine_count + 1, sizeof *c->machines);
    c->machines[c->machine_count] = m;
    saved_inputs_add(&c->inputs, (struct saved_input){.kind = SAVED_MACHINE,
                                                      .where = (uint32_t)c->machine_count,
                                                      .value = fuses,
                                                      .number = is->hz,
                                                      .node = is->holds != NULL,
                                                      .bytes = (const uint8_t *)board,
                                                      .size = strlen(board)});
    return (uint32_t)c->machine_count++;
}

void save_inputs_node(struct save_inputs *c, uint32_t number)
{
    saved_inputs_readings_for(&c->inputs, number + 1);
    c->lives = memory_resize(c->lives, number + 1, sizeof *c->lives);
    c->lives[number] = 0;
}

int32_t save_inputs_read_analog(void *context, unsigned channel, uint64_t tick)
{
    const struct save_inputs_analog *a = context;
    struct save_inputs *c = a->save_inputs;
    int32_t microvolts = a->source(a->context, channel, tick);
    saved_readings_add(&c->inputs.readings[a->node], channel,
                       (struct saved_reading){.life = c->lives[a->node], .tick = tick, .microvolts = microvolts});
    return microvolts;
}

const uint8_t *save_inputs_firmware(void *context, size_t number, const char **name, size_t *size)
{
    const struct save_inputs *c = context;
    if (number >= c->machine_count)
        return NULL;
    *name = image_path(c->machines[number]->machine->image);
    return image_file(c->machines[number]->machine->image, size);
}
