/* usage: cortex_power FIRMWARE BOARD SECONDS CUTS
 * Cuts the power of a node with a Cortex-M that records, at CUTS moments within SECONDS; the word that was being
 * written then holds anything. The node starts again with that flash. All whole pages must still be there, and every
 * part must replay to its end: what was recorded before the cut, and what the new start records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "board/board.h"
#include "chip/chip.h"
#include "image/image.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/node.h"
#include "record/log.h"
#include "record/replay.h"
#include "recorded.h"

enum { PAGE = 256 };

static unsigned first, size; /* of the log in the flash */
static uint32_t state = 7;

static uint32_t any(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static void fail(unsigned cut, const char *what)
{
    fprintf(stderr, "cortex_power: cut %u: %s\n", cut, what);
    exit(1);
}

static struct pages *flash_of(const struct node *n)
{
    return device_pages(n, n->machine->instructions[INSTRUCTION_PROGRAM].device);
}

/* The word after the last that was written, in the page that is not whole: some of its bits are. */
static void tear(uint8_t *flash)
{
    unsigned last = 0;
    for (unsigned i = 0; i < size; i += 4)
        if (memcmp(flash + i, "\xff\xff\xff\xff", 4) != 0)
            last = i + 4;
    for (unsigned i = 0; i < 4 && last < size && last % PAGE; i++)
        flash[last + i] &= (uint8_t)any();
}

/* Each part to its end. */
static void replay_all(const char *path, const char *board, const uint8_t *flash, unsigned cut, size_t *parts)
{
    struct motet_error e = {""};
    struct log *log = log_parse("flash", flash, size, PAGE, &e);
    *parts = log ? log->count : 0;
    for (size_t i = 0; i < *parts; i++) {
        char why[1024];
        struct image *image = image_load(path, &e);
        struct replay *r = replay_new(image, board_named(board)->chip->isa, &log->parts[i], &e);
        if (!r)
            fail(cut, e.text);
        struct machine *m = recorded_machine(path, board, NULL, replay_device(r));
        struct node *n = node_new(m, 1, 3);
        node_run(n, UINT64_MAX);
        if (replay_state_of(n)->end == REPLAY_DIFFERS || replay_state_of(n)->end == REPLAY_GOES_ON)
            fail(cut, replay_explain(n, why, sizeof why));
        node_free(n);
        machine_free(m);
        replay_free(r);
        image_free(image);
    }
    if (log)
        log_free(log);
}

static unsigned pages_written(const uint8_t *flash)
{
    struct motet_error e = {""};
    struct log *log = log_parse("flash", flash, size, PAGE, &e);
    unsigned pages = log ? log->pages : 0;
    if (log)
        log_free(log);
    return pages;
}

static void cut_at(const char *path, const char *board, const struct machine *m, uint64_t tick, unsigned cut)
{
    uint8_t *flash = malloc(size), *later = malloc(size);
    size_t before, after;
    struct node *n = node_new(m, 1, 1);
    if (!flash || !later)
        abort();
    node_run(n, tick);
    pages_read(flash_of(n), first, flash, size);
    node_free(n);
    tear(flash);
    unsigned whole = pages_written(flash);
    replay_all(path, board, flash, cut, &before);
    n = node_new(m, 1, 2);
    pages_write(flash_of(n), first, flash, size);
    m->chip->isa->reprogrammed(n, first, size);
    node_run(n, tick + m->hz / 4);
    pages_read(flash_of(n), first, later, size);
    node_free(n);
    replay_all(path, board, later, cut, &after);
    if (after != before + 1)
        fail(cut, "the second start has no part of its own");
    if (pages_written(later) <= whole)
        fail(cut, "whole pages are lost");
    free(flash);
    free(later);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    struct machine *m = recorded_machine(argv[1], argv[2], NULL, NULL);
    size_t length;
    const char *facts = (const char *)image_section(m->image, ".motet.log", 0, &length);
    if (!facts || sscanf(facts, "%x %x", &first, &size) != 2)
        fail(0, "the firmware does not record");
    unsigned cuts = (unsigned)atoi(argv[4]);
    for (unsigned i = 0; i < cuts; i++)
        cut_at(argv[1], argv[2], m, (uint64_t)(atof(argv[3]) * (double)m->hz * (any() % 4096 + 1) / 4096), i);
    printf("%u cuts\n", cuts);
    machine_free(m);
    return 0;
}
