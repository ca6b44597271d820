/* Compiled programs in lockstep with simavr: lockstep-program CHIP ELF [CHIP ELF]... runs each until main returns,
 * which must be with 0 and without a fault. */
#include "pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/avr/avr.h"

enum { LIMIT = 20000000, RJMP_SELF = 0xcfff };

static bool ended(const struct pair *p)
{
    return pair_opcode(p, pair_pc(p)) == RJMP_SELF && !(p->node->data[AVR_SREG] & 0x80);
}

static bool run(struct pair *p, const char *path)
{
    while (!ended(p) && p->steps < LIMIT)
        if (!pair_step(p))
            return false;
    unsigned status = p->node->data[24] | (unsigned)p->node->data[25] << 8;
    if (p->node->state->exit) {
        char place[128];
        printf("%s: fault %d at %s\n", path, p->node->fault.kind,
               image_place(p->machine->image, p->node->fault.pc, place, sizeof place));
        return false;
    }
    if (!ended(p))
        printf("%s: has not ended after %u instructions\n", path, LIMIT);
    else if (status != 0)
        printf("%s: main returned %u\n", path, status);
    else
        printf("%s: %llu instructions agree\n", path, (unsigned long long)p->steps);
    return ended(p) && status == 0;
}

static bool run_file(const char *chip_name, const char *path)
{
    struct motet_error e;
    const struct chip *chip = chip_named(chip_name);
    struct image *image = chip ? image_load(path, &e) : NULL;
    struct machine_options options = {.fuses = {-1, -1, -1}, .lock = -1};
    struct machine *m = image ? machine_new(chip, NULL, image, &options, &e) : NULL;
    if (!m) {
        fprintf(stderr, "%s\n", chip ? e.text : "no such chip");
        return false;
    }
    struct pair p;
    bool good = pair_open(&p, m, chip_name, false);
    for (int i = 0; i < FAULT_KINDS && good; i++)
        p.node->fault_action[i] = FAULT_STOP;
    good = good && run(&p, path);
    pair_close(&p);
    if (!good)
        printf("To see it again: build/tests/lockstep/lockstep-program %s %s\n", chip_name, path);
    return good;
}

int main(int count, char **arguments)
{
    if (count < 3 || count % 2 == 0) {
        fprintf(stderr, "usage: lockstep-program CHIP ELF [CHIP ELF]...\n");
        return 2;
    }
    int failed = 0;
    for (int i = 1; i + 1 < count; i += 2)
        failed += !run_file(arguments[i], arguments[i + 1]);
    return failed ? 1 : 0;
}
