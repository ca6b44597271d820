/* What avr-gcc's call frame information does not say.
 *
 * It leaves out all of the epilogue, the bytes an interrupt handler pushes for SREG and RAMPZ, and some steps of the
 * prologue (`rcall .+0`, which makes room on the stack). The instructions it does this with are few and always the
 * same, so they are followed here, from the function's start to the pc or from the pc to the return. Opcodes are those
 * of the AVR Instruction Set Manual. */
#include "image/unwind.h"

#include "image/internal.h"

#include <string.h>

enum { Y_LOW = 28, Y_HIGH = 29, SP = 32, EPILOGUE_LIMIT = 64 };

static bool opcode_at(const struct image *i, uint32_t address, unsigned *opcode)
{
    for (size_t n = 0; n < i->segment_count; n++) {
        const struct image_segment *s = &i->segments[n];
        if (s->executable && address >= s->run_address && address + 1 - s->run_address < s->size) {
            const uint8_t *p = s->bytes + (address - s->run_address);
            *opcode = p[0] | (unsigned)p[1] << 8;
            return true;
        }
    }
    return false;
}

static bool is_push(unsigned op)
{
    return (op & 0xfe0f) == 0x920f;
}
static bool is_pop(unsigned op)
{
    return (op & 0xfe0f) == 0x900f;
}
static bool is_in(unsigned op, unsigned r)
{
    return (op & 0xf9f0) == (0xb000 | r << 4);
}
static bool is_out(unsigned op, unsigned r)
{
    return (op & 0xf9f0) == (0xb800 | r << 4);
}
static bool is_lds(unsigned op, unsigned r)
{
    return (op & 0xfe0f) == 0x9000 && (op >> 4 & 31) == r;
}
static bool is_sts(unsigned op, unsigned r)
{
    return (op & 0xfe0f) == 0x9200 && (op >> 4 & 31) == r;
}
static bool is_sbiw_y(unsigned op)
{
    return (op & 0xff30) == 0x9720;
}
static bool is_adiw_y(unsigned op)
{
    return (op & 0xff30) == 0x9620;
}
static bool is_subi_y(unsigned op)
{
    return (op & 0xf0f0) == 0x50c0;
}
static bool is_sbci_y(unsigned op)
{
    return (op & 0xf0f0) == 0x40d0;
}
static unsigned unwind_avr_port_of(unsigned op)
{
    return (op >> 5 & 0x30) | (op & 0xf);
}
static unsigned word_constant(unsigned op)
{
    return (op >> 2 & 0x30) | (op & 0xf);
}
static unsigned byte_constant(unsigned op)
{
    return (op >> 4 & 0xf0) | (op & 0xf);
}

enum { SEI = 0x9478, CLI = 0x94f8, CLR_R1 = 0x2411, RCALL_HERE = 0xd000, RET = 0x9508, RETI = 0x9518 };
enum { PORT_SPL = 0x3d, PORT_SPH = 0x3e };

/* A push; the one after `in r0, ...` or `lds r0, ...` is of an I/O register, which CFI does not know of. */
static void push_note(struct prologue *p, unsigned op, unsigned before)
{
    unsigned r = op >> 4 & 31;
    p->pushed++;
    if (r == 0 && (is_in(before, 0) || is_lds(before, 0)))
        p->hidden++;
    else if (!p->saved[r])
        p->saved[r] = (uint8_t)p->pushed;
}

static bool prologue_step(struct prologue *p, unsigned op, unsigned before, unsigned return_width)
{
    bool has_y = p->y_loaded == 3;
    if (is_push(op) && p->pushed < 200)
        push_note(p, op, before);
    else if (op == RCALL_HERE)
        p->pushed += return_width;
    else if (is_in(op, Y_LOW) && unwind_avr_port_of(op) == PORT_SPL)
        p->y_loaded |= 1;
    else if (is_in(op, Y_HIGH) && unwind_avr_port_of(op) == PORT_SPH)
        p->y_loaded |= 2;
    else if (is_sbiw_y(op) && has_y)
        p->below_y += word_constant(op);
    else if (is_subi_y(op) && has_y)
        p->below_y += byte_constant(op);
    else if (is_sbci_y(op) && has_y)
        p->below_y += byte_constant(op) << 8;
    else
        return op == SEI || op == CLI || op == CLR_R1 || is_in(op, 0) || is_lds(op, 0) || is_out(op, 0) ||
               (has_y && (is_out(op, Y_LOW) || is_out(op, Y_HIGH)));
    return true;
}

/* Where RJMP, RCALL, JMP or CALL leads; how many bytes it takes, or 0 for another instruction. */
static uint32_t unwind_avr_goes(const struct image *i, uint32_t at, unsigned op, uint32_t *target)
{
    unsigned low;
    if ((op & 0xe000) == 0xc000) {
        int32_t offset = (int32_t)(op & 0xfff) - (op & 0x800 ? 0x1000 : 0);
        *target = (uint32_t)((int32_t)at + 2 + offset * 2);
        return 2;
    }
    if ((op & 0xfe0c) != 0x940c || !opcode_at(i, at + 2, &low))
        return 0;
    *target = ((op & 0x1f0) << 13 | (op & 1) << 16 | low) * 2;
    return 4;
}

/* A step that `motet cc` put before the prologue (src/rewrite/entry_steps.h): how many bytes it takes, or 0. */
static uint32_t unwind_avr_step(const struct image *i, uint32_t start)
{
    unsigned op;
    uint32_t target, size = opcode_at(i, start, &op) ? unwind_avr_goes(i, start, op, &target) : 0;
    const struct image_symbol *to = size ? image_symbol_at(i, target) : NULL;
    return to && to->address == target && strcmp(to->name, "motet_step_far") == 0 ? size : 0;
}

static bool avr_prologue_follow(const struct image *i, uint32_t start, uint32_t pc, unsigned return_width,
                                struct prologue *p)
{
    unsigned op = 0, before = 0;
    *p = (struct prologue){0};
    for (uint32_t at = start + unwind_avr_step(i, start); at < pc; before = op) {
        if (!opcode_at(i, at, &op) || !prologue_step(p, op, before, return_width))
            return false;
        at += is_lds(op, 0) ? 4 : 2;
        p->y_broken = is_subi_y(op);
    }
    return true;
}

struct epilogue {
    const struct image *image;
    debug_read *read;
    void *context;
    struct debug_frame frame;
    bool borrow;
};

static void y_subtract(struct epilogue *e, unsigned r, unsigned constant)
{
    unsigned take = constant + (r == Y_HIGH && e->borrow), value = e->frame.registers[r] & 0xff;
    e->borrow = value < take;
    e->frame.registers[r] = (value - take) & 0xff;
}

static bool epilogue_step(struct epilogue *e, unsigned op)
{
    uint32_t *r = e->frame.registers;
    uint8_t byte;
    if (is_pop(op)) {
        r[SP] = (r[SP] + 1) & 0xffff;
        if (!e->read(e->context, AVR_DATA_SPACE + r[SP], &byte, 1))
            return false;
        r[op >> 4 & 31] = byte;
    } else if (is_out(op, Y_LOW) && unwind_avr_port_of(op) == PORT_SPL) {
        r[SP] = (r[SP] & 0xff00) | (r[Y_LOW] & 0xff);
    } else if (is_out(op, Y_HIGH) && unwind_avr_port_of(op) == PORT_SPH) {
        r[SP] = (r[SP] & 0xff) | (r[Y_HIGH] & 0xff) << 8;
    } else if (is_adiw_y(op)) {
        uint32_t y = (r[Y_LOW] | r[Y_HIGH] << 8) + word_constant(op);
        r[Y_LOW] = y & 0xff;
        r[Y_HIGH] = y >> 8 & 0xff;
    } else if (is_subi_y(op)) {
        y_subtract(e, Y_LOW, byte_constant(op));
    } else if (is_sbci_y(op)) {
        y_subtract(e, Y_HIGH, byte_constant(op));
    } else {
        return op == CLI || is_in(op, 0) ||
               (is_out(op, 0) && unwind_avr_port_of(op) != PORT_SPL && unwind_avr_port_of(op) != PORT_SPH) ||
               is_sts(op, 0);
    }
    return true;
}

/* Whether the instruction jumps out of the function: a call in tail position, before which the frame has been left. */
static bool leaves(const struct image *i, const struct image_symbol *function, uint32_t at, unsigned op)
{
    uint32_t target;
    bool jump = (op & 0xf000) == 0xc000 || (op & 0xfe0e) == 0x940c;
    if (!jump || !unwind_avr_goes(i, at, op, &target))
        return false;
    return function && function->size && target - function->address >= function->size;
}

static bool avr_epilogue_follow(const struct image *i, const struct debug_frame *frame, debug_read *read, void *context,
                                struct debug_frame *at_return)
{
    struct epilogue e = {.image = i, .read = read, .context = context, .frame = *frame};
    const struct image_symbol *function = image_symbol_at(i, frame->pc);
    uint32_t at = frame->pc;
    unsigned op;
    if (at >= 2 && opcode_at(i, at - 2, &op) && is_subi_y(op)) /* in the middle of a 16-bit subtraction */
        e.borrow = ((frame->registers[Y_LOW] + byte_constant(op)) & 0xff) < byte_constant(op);
    for (int n = 0; n < EPILOGUE_LIMIT; n++) {
        if (!opcode_at(i, at, &op))
            return false;
        if (op == RET || op == RETI || leaves(i, function, at, op)) {
            *at_return = e.frame;
            return true;
        }
        if (!epilogue_step(&e, op))
            return false;
        at += is_sts(op, 0) ? 4 : 2;
    }
    return false;
}

static bool avr_follows_call(const struct image *i, uint32_t address)
{
    unsigned op;
    if (address >= 4 && opcode_at(i, address - 4, &op) && (op & 0xfe0e) == 0x940e) /* call */
        return true;
    if (address < 2 || !opcode_at(i, address - 2, &op))
        return false;
    return (op & 0xf000) == 0xd000 || (op & 0xffef) == 0x9509; /* rcall, icall, eicall */
}

static uint32_t avr_frame_pointer(const struct debug_frame *frame)
{
    return frame->registers[Y_LOW] | frame->registers[Y_HIGH] << 8;
}

const struct unwinder unwinder_avr = {
    .prologue = avr_prologue_follow,
    .epilogue = avr_epilogue_follow,
    .follows_call = avr_follows_call,
    .frame_pointer = avr_frame_pointer,
};
