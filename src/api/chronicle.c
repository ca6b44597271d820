#include "api/chronicle.h"

#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "board/board.h"
#include "chip/chip.h"

static void *must(void *p)
{
    if (!p)
        abort();
    return p;
}

struct chronicle *chronicle_new(void)
{
    return must(calloc(1, sizeof(struct chronicle)));
}

void chronicle_free(struct chronicle *c)
{
    if (!c)
        return;
    journal_free(&c->journal);
    free(c->machines);
    free(c->lives);
    free(c);
}

void chronicle_note(struct chronicle *c, struct journal_entry e)
{
    if (!c)
        return;
    if (e.kind == JOURNAL_BOOT)
        c->lives[e.node]++;
    journal_add(&c->journal, e);
}

uint32_t chronicle_machine(struct chronicle *c, const motet_machine *m)
{
    for (size_t i = 0; i < c->machine_count; i++)
        if (c->machines[i] == m)
            return (uint32_t)i;
    const struct machine *is = m->machine;
    const char *board = is->board ? is->board->name : is->chip->name;
    uint32_t fuses =
        (uint32_t)is->fuses[0] << 24 | (uint32_t)is->fuses[1] << 16 | (uint32_t)is->fuses[2] << 8 | is->lock;
    c->machines = must(realloc(c->machines, (c->machine_count + 1) * sizeof *c->machines));
    c->machines[c->machine_count] = m;
    journal_add(&c->journal, (struct journal_entry){.kind = JOURNAL_MACHINE,
                                                    .where = (uint32_t)c->machine_count,
                                                    .value = fuses,
                                                    .number = is->hz,
                                                    .bytes = (const uint8_t *)board,
                                                    .size = strlen(board)});
    return (uint32_t)c->machine_count++;
}

void chronicle_node(struct chronicle *c, uint32_t number)
{
    journal_readings_for(&c->journal, number + 1);
    c->lives = must(realloc(c->lives, (number + 1) * sizeof *c->lives));
    c->lives[number] = 0;
}

int32_t chronicle_hear(void *context, unsigned channel, uint64_t tick)
{
    const struct chronicle_ear *ear = context;
    struct chronicle *c = ear->chronicle;
    int32_t microvolts = ear->source(ear->context, channel, tick);
    journal_read(&c->journal.readings[ear->node], channel,
                 (struct journal_reading){.life = c->lives[ear->node], .tick = tick, .microvolts = microvolts});
    return microvolts;
}
