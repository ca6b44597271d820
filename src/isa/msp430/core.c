#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pages.h"
#include "chip/chip.h"
#include "isa/msp430/abstract.h"
#include "isa/msp430/code.h"
#include "isa/msp430/disassemble.h"
#include "isa/msp430/execute.h"
#include "isa/msp430/hot.h"
#include "isa/msp430/memory.h"
#include "isa/msp430/msp430.h"
#include "isa/msp430/trap.h"
#include "isa/msp430/unknown.h"
#include "isa/msp430/wait.h"
#include "isa/own_flash.h"
#include "node/canonical.h"
#include "node/interrupts.h"
#include "node/machine.h"
#include "node/map.h"
#include "node/node.h"
#include "node/taps.h"

enum { VECTORS = 0xffe0, SPACE = 0x10000, INTERRUPT_CYCLES = 6 };

/* ---- code ---- */

static void decode_as(struct msp430_code *code, uint32_t first, uint32_t end, unsigned op)
{
    for (uint32_t at = first; at < end; at += 2)
        code->insn[at / 2] = (struct msp430_insn){.op = (uint16_t)op};
}

/* What is neither code nor erased flash: RAM can be executed, other places cannot. */
static void decode_elsewhere(const struct machine *m, struct msp430_code *code)
{
    uint32_t at = 0;
    for (size_t i = 0; i < m->map_count; i++) {
        const struct region *r = &m->map[i];
        uint32_t end = r->first + r->size;
        bool ram = r->kind == REGION_RAM || r->kind == REGION_ALIAS;
        decode_as(code, at, r->first, MSP430_OUTSIDE);
        if (r->kind != REGION_FLASH && r->kind != REGION_INFORMATION)
            decode_as(code, r->first, end, ram ? MSP430_GENERIC : MSP430_OUTSIDE);
        at = end;
    }
    decode_as(code, at, 2 * sizeof code->insn / sizeof code->insn[0], MSP430_OUTSIDE);
}

static const void *msp430_core_decode(const struct machine *m, struct motet_error *e)
{
    (void)e;
    struct msp430_code *code = memory_new(sizeof *code);
    code->memory = m->flash;
    msp430_decode_range(m, code, m->flash_known, 0, SPACE);
    decode_elsewhere(m, code);
    msp430_traps_mark(m, code);
    msp430_waits_mark(code);
    return code;
}

static void msp430_core_free_code(const void *code)
{
    free((void *)(uintptr_t)code);
}

/* A node that has programmed itself, or whose code has marks: its own decoded code, followed by its flash and what is
 * known of it. */
struct own_code {
    struct msp430_code code;
    struct own_flash flash;
    uint8_t bytes[2 * SPACE]; /* of `flash` */
};

static struct own_code *msp430_core_own_code(struct node *n)
{
    if (!n->code_own) {
        struct own_code *own = memory_bytes(sizeof *own);
        own->code = *(const struct msp430_code *)n->machine->code;
        for (uint32_t i = 0; i < SPACE / 2; i++) /* translated code is that of all nodes */
            own->code.insn[i].op &= (uint16_t)~MSP430_HOT;
        own_flash_begin(&own->flash, n->machine, own->bytes, SPACE);
        own->code.memory = own->flash.bytes;
        n->code_own = own;
    }
    return n->code_own;
}

static void msp430_core_choose_code(struct node *n, bool own)
{
    const struct machine *m = n->machine;
    const struct own_code *o = msp430_core_own_code(n);
    n->code = own || o->flash.changed ? &o->code : m->code;
}

static struct pages *msp430_core_program_pages(const struct node *n)
{
    const struct device *d = n->machine->instructions[INSTRUCTION_PROGRAM].device;
    return d && d->pages != 0xff ? device_pages(n, d) : NULL;
}

static void msp430_core_mark(struct node *n, uint32_t address, bool on)
{
    if (address >= SPACE)
        return;
    struct msp430_insn *i = &msp430_core_own_code(n)->code.insn[address / 2];
    i->op = (uint16_t)(on ? i->op | MSP430_MARK : i->op & ~MSP430_MARK);
}

static enum motet_flow msp430_core_flow(const struct node *n, uint32_t address)
{
    enum { CALL = 0x1280, CALL_MASK = 0xff80, RETI = 0x1300, RET = 0x4130 /* mov @sp+, pc */ };
    const struct msp430_code *code = n->code;
    if (address >= SPACE)
        return MOTET_FLOW_ON;
    unsigned op = code->insn[address / 2].op & (MSP430_MARK - 1);
    if (op == MSP430_CALL_N)
        return MOTET_FLOW_CALL;
    if (op == MSP430_RETURN)
        return MOTET_FLOW_RETURN;
    if (op != MSP430_GENERIC)
        return MOTET_FLOW_ON;
    bool in_ram = address - n->machine->ram->first < n->machine->ram->size;
    const uint8_t *at = (in_ram ? n->data : code->memory) + address;
    unsigned opcode = at[0] | (unsigned)at[1] << 8;
    if ((opcode & CALL_MASK) == CALL && !(opcode & 0x40))
        return MOTET_FLOW_CALL;
    return opcode == RETI ? MOTET_FLOW_INTERRUPT_RETURN : opcode == RET ? MOTET_FLOW_RETURN : MOTET_FLOW_ON;
}

static void msp430_core_reprogrammed(struct node *n, uint32_t address, uint32_t size)
{
    struct own_code *own = msp430_core_own_code(n);
    n->code = &own->code;
    uint32_t first = address & ~1u, last = (address + size + 1) & ~1u;
    own_flash_read(&own->flash, n->machine, msp430_core_program_pages(n), first, last);
    /* The two words before may belong to an instruction that reaches into the range. */
    uint32_t from = first >= 4 ? first - 4 : 0;
    bool marks = n->machine->trap_count && memchr(n->machine->flash_known + from, FLASH_CODE, last - from);
    if (marks)
        msp430_traps_lift(&own->code);
    msp430_decode_range(n->machine, &own->code, own->flash.known, from, last);
    decode_elsewhere(n->machine, &own->code);
    if (marks) {
        msp430_traps_mark(n->machine, &own->code);
        msp430_waits_mark(&own->code); /* of jumps that are marked now */
    }
    marks_renew(n, 0, UINT32_MAX);
    n->cut = true; /* the running loop must take up the new code */
}

static void msp430_core_restored(struct node *n)
{
    const struct device *d = n->machine->instructions[INSTRUCTION_PROGRAM].device;
    struct pages *now = msp430_core_program_pages(n);
    if (!now || (n->code == n->machine->code && pages_is_view(now, n->machine->pages[d->pages])))
        return;
    uint8_t page[PAGES_SIZE];
    for (uint32_t at = 0; at < SPACE; at += PAGES_SIZE) {
        pages_read(now, at, page, PAGES_SIZE);
        if (memcmp(page, ((const struct msp430_code *)n->code)->memory + at, PAGES_SIZE) != 0)
            msp430_core_reprogrammed(n, at, PAGES_SIZE);
    }
}

static void msp430_core_canonical(struct node *n)
{
    struct msp430_cpu *cpu = n->cpu;
    uint64_t done = n->state->instructions;
    cpu->quiet_until = cpu->quiet_until > done ? cpu->quiet_until - done : 0;
    canonical_clock_phase(n, CLOCK_IO); /* timer, usart and watchdog keep no cycle of it */
}

/* ---- reset and interrupts ---- */

static uint16_t vector(const struct node *n, unsigned line)
{
    const uint8_t *at = ((const struct msp430_code *)n->code)->memory + VECTORS + 2 * line;
    return (uint16_t)((at[0] | at[1] << 8) & 0xfffe);
}

static void msp430_core_reset(struct node *n)
{
    struct msp430_cpu *cpu = n->cpu;
    cpu->r[MSP430_PC] = vector(n, MSP430_LINE_RESET);
    cpu->r[MSP430_SR] = 0;
    cpu->stack_elsewhere = 0;
    cpu->quiet_until = 0;
    cpu->check = 0;
}

static void msp430_core_push(struct node *n, uint16_t value)
{
    struct msp430_cpu *cpu = n->cpu;
    uint16_t sp = cpu->r[MSP430_SP] = (uint16_t)(cpu->r[MSP430_SP] - 2);
    if (n->watching)
        n->taps->entering = true;
    msp430_push_slow(n, cpu->r[MSP430_PC], sp, value);
    if (n->watching)
        n->taps->entering = false;
}

/* GIE masks all but the non-maskable interrupt. */
enum { LINES = 16, MASKABLE = 1 };
static const uint8_t priorities[LINES] = {
    [0 ... MSP430_LINE_NMI - 1] = MASKABLE, [MSP430_LINE_NMI] = 0, [MSP430_LINE_RESET] = MASKABLE};

/* Interrupt acceptance takes six cycles; PC and SR are pushed and SR is cleared but for SCG0 (SLAU049, 2.2.3). */
static bool msp430_core_interrupt(struct node *n)
{
    struct msp430_cpu *cpu = n->cpu;
    bool masked = !(cpu->r[MSP430_SR] & MSP430_GIE) || n->state->instructions < cpu->quiet_until;
    int next = interrupts_next(n, masked ? MASKABLE : INTERRUPT_ANY);
    if (next == INTERRUPT_NONE)
        return false;
    unsigned line = (unsigned)next;
    const struct wire *w = &n->machine->lines[line];
    uint16_t old = cpu->r[MSP430_SR], from = cpu->r[MSP430_PC];
    msp430_core_push(n, cpu->r[MSP430_PC]);
    msp430_core_push(n, old);
    cpu->r[MSP430_SR] &= MSP430_SCG0;
    if (old & MSP430_LOW_POWER & ~MSP430_SCG0) {
        const struct device *d = n->machine->instructions[INSTRUCTION_WAKE].device;
        node_sleeping(n, false);
        if (d)
            d->type->instruction(n, d, INSTRUCTION_WAKE);
    }
    cpu->r[MSP430_PC] = vector(n, line);
    if (w->device && w->device->type->acknowledge)
        w->device->type->acknowledge(n, w->device, w->role);
    if (taps_wanted(n, MOTET_ON(INTERRUPT_ENTRY) | MOTET_ON(INTERRUPT_EXIT)))
        taps_interrupt_entered(n, line, from);
    node_stall(n, INTERRUPT_CYCLES);
    return true;
}

/* ---- registers, as a debugger sees them ---- */

static const uint8_t *msp430_core_program(const struct node *n)
{
    return ((const struct msp430_code *)n->code)->memory;
}

static uint32_t msp430_core_get_pc(const struct node *n)
{
    return ((const struct msp430_cpu *)n->cpu)->r[MSP430_PC];
}

static void msp430_core_set_pc(struct node *n, uint32_t pc)
{
    ((struct msp430_cpu *)n->cpu)->r[MSP430_PC] = pc & 0xfffe;
}

static uint32_t msp430_core_get_sp(const struct node *n)
{
    return ((const struct msp430_cpu *)n->cpu)->r[MSP430_SP];
}

static const char *msp430_core_register_name(unsigned number)
{
    static const char *const names[16] = {"pc", "sp", "sr",  "cg",  "r4",  "r5",  "r6",  "r7",
                                          "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"};
    return number < 16 ? names[number] : NULL;
}

static unsigned msp430_core_register_size(unsigned number)
{
    (void)number;
    return 2;
}

static uint32_t msp430_core_get_register(const struct node *n, unsigned number)
{
    assert(number < 16);
    return ((const struct msp430_cpu *)n->cpu)->r[number];
}

static void msp430_core_set_register(struct node *n, unsigned number, uint32_t value)
{
    assert(number < 16);
    struct msp430_cpu *cpu = n->cpu;
    unsigned old = cpu->r[MSP430_SR];
    cpu->r[number] = (uint16_t)(number <= MSP430_SP ? value & 0xfffe : value);
    if (number == MSP430_SR)
        msp430_status_written(n, old);
}

static void msp430_core_set_sp(struct node *n, uint32_t sp)
{
    msp430_core_set_register(n, MSP430_SP, sp);
}

/* ---- call chains without debug information ---- */

static uint32_t msp430_core_return_address(const struct node *n, uint32_t at)
{
    const uint8_t *memory = ((const struct msp430_code *)n->code)->memory;
    if (at + 2 > n->machine->data_size)
        return UINT32_MAX;
    uint32_t pc = n->data[at] | (uint32_t)n->data[at + 1] << 8;
    if ((pc & 1) || pc < 4 || n->machine->flash_known[pc] != FLASH_CODE)
        return UINT32_MAX;
    uint16_t one = (uint16_t)(memory[pc - 2] | memory[pc - 1] << 8);
    uint16_t two = (uint16_t)(memory[pc - 4] | memory[pc - 3] << 8);
    bool call =
        ((one & 0xffc0) == 0x1280 && msp430_length(one) == 2) || ((two & 0xffc0) == 0x1280 && msp430_length(two) == 4);
    return call ? pc : UINT32_MAX;
}

static unsigned msp430_core_return_size(const struct machine *m)
{
    (void)m;
    return 2;
}

/* ---- recordings ---- */

static unsigned msp430_core_argument(const struct node *n, unsigned number)
{
    return ((const struct msp430_cpu *)n->cpu)->r[12 + number];
}

static void msp430_core_leave(struct node *n, unsigned result, unsigned size)
{
    struct msp430_cpu *cpu = n->cpu;
    uint32_t sp = cpu->r[MSP430_SP];
    if (sp + 2 <= n->machine->data_size)
        msp430_core_set_pc(n, n->data[sp] | (uint32_t)n->data[sp + 1] << 8);
    cpu->r[MSP430_SP] = (uint16_t)(sp + 2);
    if (size)
        cpu->r[12] = (uint16_t)(size == 1 ? result & 0xff : result);
}

static bool msp430_core_accepts(const struct node *n)
{
    return ((const struct msp430_cpu *)n->cpu)->r[MSP430_SR] & MSP430_GIE;
}

static void msp430_core_accept_interrupts(struct node *n, bool on)
{
    uint16_t *sr = &((struct msp430_cpu *)n->cpu)->r[MSP430_SR];
    *sr = (uint16_t)((*sr & ~MSP430_GIE) | (on ? MSP430_GIE : 0));
}

static void msp430_core_forget_flags(struct node *n)
{
    ((struct msp430_cpu *)n->cpu)->r[MSP430_SR] &= (uint16_t) ~(MSP430_C | MSP430_Z | MSP430_N | MSP430_V);
}

static void msp430_core_left_out(struct node *n)
{
    ((struct msp430_cpu *)n->cpu)->quiet_until = 0;
}

/* As target/recorder/macros_msp430.inc pushes them. */
static size_t msp430_core_moment(const struct node *n, unsigned vector, uint8_t bytes[ISA_MOMENT], uint32_t *word)
{
    const struct msp430_cpu *cpu = n->cpu;
    uint32_t sp = cpu->r[MSP430_SP];
    size_t k = 0;
    (void)vector;
    *word = sp + 2 <= n->machine->data_size ? sp : 0;
    for (unsigned i = 4; i < 16; i++) {
        bytes[k++] = (uint8_t)cpu->r[i];
        bytes[k++] = (uint8_t)(cpu->r[i] >> 8);
    }
    return k;
}

const struct isa isa_msp430 = {
    .name = "MSP430",
    .machine = IMAGE_MACHINE_MSP430,
    .architecture = "msp430",
    .debugger = "lldb-19",
    .debugger_package = "lldb-19",
    .stack_register = MSP430_SP,
    .flat = SPACE,
    .interrupts = {.lines = LINES, .highest_first = true, .priorities = priorities},
    .state_size = sizeof(struct msp430_cpu),
    .decode = msp430_core_decode,
    .free_code = msp430_core_free_code,
    .reset = msp430_core_reset,
    .run = msp430_run,
    .interrupt = msp430_core_interrupt,
    .reprogrammed = msp430_core_reprogrammed,
    .write = msp430_write,
    .restored = msp430_core_restored,
    .canonical = msp430_core_canonical,
    .hot = msp430_hot,
    .mark_hot = msp430_mark_hot,
    .mark = msp430_core_mark,
    .choose_code = msp430_core_choose_code,
    .show = msp430_show,
    .flow = msp430_core_flow,
    .abstract = &msp430_abstract,
    .program = msp430_core_program,
    .pc = msp430_core_get_pc,
    .set_pc = msp430_core_set_pc,
    .sp = msp430_core_get_sp,
    .set_sp = msp430_core_set_sp,
    .registers = 16,
    .register_name = msp430_core_register_name,
    .register_size = msp430_core_register_size,
    .get_register = msp430_core_get_register,
    .set_register = msp430_core_set_register,
    .disassemble = msp430_disassemble,
    .return_address = msp430_core_return_address,
    .return_size = msp430_core_return_size,
    .argument = msp430_core_argument,
    .leave = msp430_core_leave,
    .accepts = msp430_core_accepts,
    .accept = msp430_core_accept_interrupts,
    .interrupts_at_once = true,
    .forget_flags = msp430_core_forget_flags,
    .left_out = msp430_core_left_out,
    .address_unit = 1,
    .moment = msp430_core_moment,
    .spread = msp430_spread,
    .result_register = 12,
};
