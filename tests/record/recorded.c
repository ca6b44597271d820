#include "recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "board/board.h"
#include "chip/chip.h"
#include "node/machine.h"
#include "node/node.h"
#include "record/log.h"

static void recorded_fail(const char *what, const char *text)
{
    fprintf(stderr, "%s: %s\n", what, text);
    exit(1);
}

struct machine *recorded_machine(const char *path, const char *board, const struct chip *chip,
                                 const struct chip_device *log)
{
    struct motet_error e = {""};
    struct machine_options o = {.fuses = {-1, -1, -1}, .lock = -1, .log = log};
    const struct board *b = board_named(board);
    if (!b)
        recorded_fail(board, "no such board");
    struct image *image = image_load(path, &e);
    struct machine *m = image ? machine_new(chip ? chip : b->chip, b, image, &o, &e) : NULL;
    if (!m)
        recorded_fail(path, e.text);
    return m;
}

const struct device *recorded_flash(const struct machine *m)
{
    for (size_t i = 0; i < m->device_count; i++)
        if (m->devices[i].part && strcmp(m->devices[i].name, "flash") == 0)
            return &m->devices[i];
    recorded_fail(m->board->name, "the board has no flash");
    return NULL;
}

/* On Cortex-M it lies in the program's own flash, at a place that the firmware names. */
static struct pages *recorded_pages(const struct node *n, size_t *first, size_t *size, size_t *page)
{
    const struct machine *m = n->machine;
    size_t length;
    const char *facts = (const char *)image_section(m->image, ".motet.log", 0, &length);
    if (facts && sscanf(facts, "%zx %zx", first, size) == 2) {
        *page = 256;
        return device_pages(n, m->instructions[INSTRUCTION_PROGRAM].device);
    }
    struct pages *flash = device_pages(n, recorded_flash(m));
    *first = 0;
    *size = pages_size(flash);
    *page = *size % 264 == 0 ? 264 : 256;
    return flash;
}

struct log *recorded_log(const struct node *n, size_t pages, struct motet_error *e)
{
    size_t first, size, page;
    struct pages *flash = recorded_pages(n, &first, &size, &page);
    if (pages)
        size = pages * page;
    uint8_t *bytes = malloc(size);
    pages_read(flash, first, bytes, size);
    struct log *l = log_parse("flash", bytes, size, (unsigned)page, e);
    free(bytes);
    return l;
}
