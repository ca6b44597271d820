/* Unwinds after every instruction of a firmware that libsimavr runs, and compares with the calls that were seen.
 *
 * Each frame must have the caller's pc, and the registers that a function must preserve as they were at the call.
 * usage: image-unwind FIRMWARE CHIP */
#include <sim_avr.h>
#include <sim_core.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/debug.h"

enum { DEPTH = 64, STEPS = 400000 };

struct call {
    uint32_t returns_to;
    bool interrupt;
    uint8_t registers[32];
};

struct run {
    avr_t *avr;
    struct image *image;
    struct call calls[DEPTH];
    int depth;
    unsigned width, vectors_end;
    unsigned checked, complete, frames, failures;
};

static bool memory(void *context, uint32_t address, void *to, uint32_t size)
{
    avr_t *avr = context;
    if (address < 0x800000 || address - 0x800000 + size > avr->ramend + 1u)
        return false;
    memcpy(to, avr->data + (address - 0x800000), size);
    return true;
}

static unsigned stack_pointer(const avr_t *avr)
{
    return avr->data[0x5d] | avr->data[0x5e] << 8;
}

static void fail(struct run *r, int level, const char *what)
{
    char at[100], place[100];
    if (r->failures++ < 20)
        printf("at %s, in frame %d, %s: %s\n", image_place(r->image, r->avr->pc, at, sizeof at), level,
               level < r->depth ? image_place(r->image, r->calls[r->depth - 1 - level].returns_to, place, sizeof place)
                                : "?",
               what);
}

static void check(struct run *r)
{
    struct debug_frame frame = {.pc = r->avr->pc}, caller;
    struct image_line line;
    for (int n = 0; n < 32; n++)
        frame.registers[n] = r->avr->data[n];
    frame.registers[32] = stack_pointer(r->avr);
    r->checked++;
    for (int level = 0; level < r->depth; level++) {
        const struct call *call = &r->calls[r->depth - 1 - level];
        if (!debug_unwind(r->image, &frame, memory, r->avr, &caller)) {
            if (image_line_at(r->image, frame.pc - frame.after_call, &line))
                fail(r, level, "no caller was found");
            return;
        }
        r->frames++;
        if (caller.pc != call->returns_to || caller.after_call == call->interrupt) {
            fail(r, level, "wrong caller");
            return;
        }
        const struct image_symbol *function = image_symbol_at(r->image, frame.pc - frame.after_call);
        bool preserves = strcmp(function->name, "main") != 0; /* it never returns, so it saves nothing */
        for (unsigned n = 0; preserves && n < 32; n++)
            if (((n >= 2 && n < 18) || n == 28 || n == 29) && caller.registers[n] != call->registers[n]) {
                fail(r, level, "wrong register");
                return;
            }
        frame = caller;
    }
    r->complete++;
}

static void call_push(struct run *r, uint32_t returns_to, bool interrupt)
{
    if (r->depth == DEPTH) {
        puts("the calls are nested too deeply for this test");
        exit(1);
    }
    struct call *c = &r->calls[r->depth++];
    *c = (struct call){.returns_to = returns_to, .interrupt = interrupt};
    memcpy(c->registers, r->avr->data, 32);
}

static uint32_t pushed_address(const struct run *r)
{
    const uint8_t *p = r->avr->data + stack_pointer(r->avr) + 1;
    uint32_t word = 0;
    for (unsigned n = 0; n < r->width; n++)
        word = word << 8 | p[n];
    return word * 2;
}

/* One instruction, and what it did to the list of calls; an interrupt may follow it at once. */
static int step(struct run *r)
{
    uint32_t pc = r->avr->pc;
    unsigned opcode = r->avr->flash[pc] | r->avr->flash[pc + 1] << 8;
    r->avr->run(r->avr); /* not avr_run(), which is a function of ours as well */
    int state = r->avr->state;
    if ((opcode & 0xfe0e) == 0x940e) /* call */
        call_push(r, pc + 4, false);
    else if (((opcode & 0xf000) == 0xd000 && opcode != 0xd000) || (opcode & 0xffef) == 0x9509)
        /* rcall, icall, eicall; but `rcall .+0` is avr-gcc's way to make room on the stack */
        call_push(r, pc + 2, false);
    else if ((opcode & 0xffef) == 0x9508 && r->depth) /* ret, reti */
        r->depth--;
    if (pc >= r->vectors_end && r->avr->pc < r->vectors_end)
        call_push(r, pushed_address(r), true);
    return state;
}

static void load(struct run *r, const char *path, const char *chip)
{
    struct motet_error e;
    r->image = image_load(path, &e);
    if (!r->image) {
        puts(e.text);
        exit(1);
    }
    r->avr = avr_make_mcu_by_name(chip);
    if (!r->avr || avr_init(r->avr) != 0)
        exit(1);
    const struct image_segment *s;
    size_t count = image_segments(r->image, &s);
    for (size_t n = 0; n < count; n++)
        if (s[n].address + s[n].size <= r->avr->flashend)
            memcpy(r->avr->flash + s[n].address, s[n].bytes, s[n].size);
    r->avr->codeend = r->avr->flashend;
    r->avr->log = LOG_NONE;
    r->width = r->avr->flashend > 0x1ffff ? 3 : 2;
    r->vectors_end = image_symbol_named(r->image, "__ctors_end")->address;
}

static void no_sleep(avr_t *avr, avr_cycle_count_t how_long)
{
    (void)avr, (void)how_long;
}

int main(int argc, char **argv)
{
    static struct run r;
    if (argc != 3)
        return 2;
    load(&r, argv[1], argv[2]);
    r.avr->sleep = no_sleep;
    int state = cpu_Running;
    for (int n = 0; n < STEPS && state == cpu_Running; n++) {
        state = step(&r);
        if (r.avr->pc >= r.vectors_end)
            check(&r);
    }
    printf("%u states, %u with all callers, %u frames, %u wrong\n", r.checked, r.complete, r.frames, r.failures);
    image_free(r.image);
    bool ended = state == cpu_Done || state == cpu_Sleeping;
    return !ended || r.failures || r.complete < r.checked / 10 * 9;
}
