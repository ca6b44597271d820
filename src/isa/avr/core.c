#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pages.h"
#include "chip/chip.h"
#include "isa/avr/avr.h"
#include "isa/avr/abstract.h"
#include "isa/avr/code.h"
#include "isa/avr/disassemble.h"
#include "isa/avr/execute.h"
#include "isa/avr/hot.h"
#include "isa/avr/memory.h"
#include "isa/avr/trap.h"
#include "isa/avr/unknown.h"
#include "isa/avr/wait.h"
#include "isa/own_flash.h"
#include "node/interrupts.h"
#include "node/machine.h"
#include "node/node.h"
#include "node/taps.h"

enum { SREG_I = 0x80 };

static const struct avr_core *core_of(const struct node *n)
{
    return n->machine->chip->core;
}

/* ---- code ---- */

static struct avr_code *code_new(uint32_t words)
{
    struct avr_code *code = memory_with_array(sizeof *code, words + AVR_CODE_PAST, sizeof code->insn[0]);
    code->words = words;
    return code;
}

/* What a core's table, and a chip's list of devices, must have. */
static bool avr_core_check(const struct machine *m, struct motet_error *e)
{
    const struct avr_core *core = m->chip->core;
    const char *name = m->chip->name;
    uint32_t words = m->code_size / 2;
    if (!core || !core->instructions || !core->vector_words || !core->vectors)
        return error_set(e, "the table of %s is wrong: its core has no %s", name,
                         !core || !core->instructions ? "instructions (AVR_CORE_...)"
                         : !core->vector_words        ? "size of vectors"
                                                      : "vectors (_VECTORS_SIZE)");
    if (core->pc_bytes != (words > 0x10000 ? 3 : 2))
        return error_set(e, "the table of %s is wrong: %u bytes of program counter for %u KB of flash", name,
                         core->pc_bytes, words / 512);
    if (core->vector_words == 2 && !(core->instructions & AVR_HAS_JMP))
        return error_set(e, "the table of %s is wrong: vectors of two words on a core without JMP", name);
    if (words > 0x8000 && !(core->instructions & AVR_HAS_ELPM))
        return error_set(e, "the table of %s is wrong: more than 64 KB of flash on a core without ELPM", name);
    for (unsigned line = 0; line < MACHINE_LINES; line++)
        if (m->lines[line].device && !m->log && line >= core->vectors / (2u * core->vector_words))
            return error_set(e, "the table of %s is wrong: %s has interrupt %u, but there are %u vectors", name,
                             m->lines[line].device->name, line, core->vectors / (2u * core->vector_words));
    static const char *const needed[INSTRUCTION_KINDS] = {
        [INSTRUCTION_SLEEP] = "SLEEP", [INSTRUCTION_WAKE] = "waking", [INSTRUCTION_WATCHDOG_RESET] = "WDR"};
    for (unsigned i = 0; i < INSTRUCTION_KINDS; i++)
        if (needed[i] && !m->instructions[i].device && !m->log)
            return error_set(e, "the table of %s is wrong: no device is there for %s", name, needed[i]);
    bool programs = core->instructions & AVR_HAS_SPM && m->chip->has_fuses;
    if (programs && !m->instructions[INSTRUCTION_PROGRAM].device && !m->log)
        return error_set(e, "the table of %s is wrong: no device is there for SPM", name);
    return true;
}

static const void *avr_core_decode(const struct machine *m, struct motet_error *e)
{
    if (!avr_core_check(m, e))
        return NULL;
    struct avr_code *code = code_new(m->code_size / 2);
    code->flash = m->flash;
    avr_decode_range(m, code, m->flash_known, 0, code->words);
    avr_traps_mark(m, code);
    avr_waits_mark(code);
    return code;
}

static void avr_core_free_code(const void *code)
{
    free((void *)(uintptr_t)code);
}

/* The own code of a node that has programmed itself, or whose code has marks. In one piece of memory, as it is freed in
 * one: the struct, decoded code, flash and what is known of it. */
struct own_code {
    struct avr_code *code;
    struct own_flash flash;
};

static struct own_code *avr_core_own_code(struct node *n)
{
    if (n->code_own)
        return n->code_own;
    const struct machine *m = n->machine;
    const struct avr_code *shared = m->code;
    size_t size = sizeof *shared + (shared->words + AVR_CODE_PAST) * sizeof shared->insn[0];
    size_t at_code = (sizeof(struct own_code) + 15) & ~(size_t)15;
    uint8_t *all = memory_bytes(at_code + size + 2 * (size_t)m->code_size);
    struct own_code *own = (void *)all;
    own->code = (void *)(all + at_code);
    own_flash_begin(&own->flash, m, all + at_code + size, m->code_size);
    memcpy(own->code, shared, size);
    for (uint32_t i = 0; i < shared->words; i++) /* translated code is that of all nodes */
        own->code->insn[i].op &= (uint16_t)~AVR_HOT;
    own->code->flash = own->flash.bytes;
    n->code_own = own;
    return own;
}

static void avr_core_choose_code(struct node *n, bool own)
{
    const struct own_code *o = avr_core_own_code(n);
    n->code = own || o->flash.changed ? o->code : n->machine->code;
}

static struct pages *avr_core_program_pages(const struct node *n)
{
    const struct device *d = n->machine->instructions[INSTRUCTION_PROGRAM].device;
    return d && d->pages != 0xff ? device_pages(n, d) : NULL;
}

/* ---- marks ---- */

static void avr_core_mark(struct node *n, uint32_t address, bool on)
{
    struct avr_code *code = avr_core_own_code(n)->code;
    if (address / 2 >= code->words)
        return;
    struct avr_insn *i = &code->insn[address / 2];
    i->op = (uint16_t)(on ? i->op | AVR_MARK : i->op & ~AVR_MARK);
}

/* Decoding looks at what is around, which marks would hide. */
static void unmark(struct avr_code *code)
{
    for (uint32_t i = 0; i < code->words; i++)
        code->insn[i].op &= (uint16_t)~AVR_MARK;
}

static uint16_t seen(uint16_t op)
{
    switch (op) {
    case AVR_IN_PLAIN: return AVR_IN;
    case AVR_OUT_PLAIN: return AVR_OUT;
    case AVR_SBI_PLAIN: return AVR_SBI;
    case AVR_CBI_PLAIN: return AVR_CBI;
    case AVR_SBIC_PLAIN: return AVR_SBIC;
    case AVR_SBIS_PLAIN: return AVR_SBIS;
    default: return op;
    }
}

/* Decodes for this node alone, with the marks of its taps. */
static void decode_own(struct node *n, uint32_t first, uint32_t last)
{
    const struct own_code *own = avr_core_own_code(n);
    unmark(own->code);
    if (n->machine->trap_count)
        avr_traps_lift(own->code);
    avr_decode_range(n->machine, own->code, own->flash.known, first, last);
    for (uint32_t i = first; n->taps && n->taps->watches_registers && i < last; i++)
        own->code->insn[i].op = seen(own->code->insn[i].op);
    avr_traps_mark(n->machine, own->code);
    avr_waits_mark(own->code);
    marks_renew(n, 0, UINT32_MAX);
    n->cut = true;
}

static void watch_registers(struct node *n)
{
    decode_own(n, 0, avr_core_own_code(n)->code->words);
}

static enum motet_flow avr_core_flow(const struct node *n, uint32_t address)
{
    const struct avr_code *code = n->code;
    const struct avr_insn *i = &code->insn[address / 2];
    if (address / 2 >= code->words)
        return MOTET_FLOW_ON;
    switch (i->op & (AVR_MARK - 1)) {
    case AVR_RCALL: return i->k == address / 2 + 1 ? MOTET_FLOW_ON : MOTET_FLOW_CALL; /* only makes room on the stack */
    case AVR_CALL:
    case AVR_CALL_OUTSIDE:
    case AVR_ICALL:
    case AVR_EICALL: return MOTET_FLOW_CALL;
    case AVR_RET: return MOTET_FLOW_RETURN;
    case AVR_RETI: return MOTET_FLOW_INTERRUPT_RETURN;
    default: return MOTET_FLOW_ON;
    }
}

/* OUT SREG, r0 and then OUT SPL: as avr-gcc sets the stack pointer. */
static bool avr_core_frames(const struct node *n, uint32_t address)
{
    const struct avr_code *code = n->code;
    const uint8_t *program = n->machine->chip->isa->program(n);
    if (address < 2 || address / 2 >= code->words)
        return false;
    unsigned before = program[address - 2] | program[address - 1] << 8,
             at = program[address] | program[address + 1] << 8;
    return before == 0xbe0f && (at & 0xfe0f) == 0xbe0d;
}

static void avr_core_reprogrammed(struct node *n, uint32_t address, uint32_t size)
{
    struct own_code *own = avr_core_own_code(n);
    n->code = own->code;
    own_flash_read(&own->flash, n->machine, avr_core_program_pages(n), address & ~1u, (address + size + 1) & ~1u);
    /* The word before may be a skip or the first half of a two-word instruction; those after it look back. */
    uint32_t first = address / 2, last = (address + size) / 2 + AVR_CODE_LOOK_BACK;
    decode_own(n, first ? first - 1 : 0, last < own->code->words ? last : own->code->words);
}

static void avr_core_restored(struct node *n)
{
    const struct device *d = n->machine->instructions[INSTRUCTION_PROGRAM].device;
    struct pages *now = avr_core_program_pages(n);
    if (!now || (n->code == n->machine->code && pages_is_view(now, n->machine->pages[d->pages])))
        return;
    const uint8_t *flash = ((const struct avr_code *)n->code)->flash;
    uint8_t page[PAGES_SIZE];
    for (uint32_t at = 0; at < n->machine->code_size; at += PAGES_SIZE) {
        pages_read(now, at, page, PAGES_SIZE);
        if (memcmp(page, flash + at, PAGES_SIZE) != 0) {
            avr_core_reprogrammed(n, at, PAGES_SIZE);
            flash = ((const struct avr_code *)n->code)->flash;
        }
    }
}

static void avr_core_canonical(struct node *n)
{
    struct avr_cpu *cpu = n->cpu;
    uint64_t done = n->state->instructions;
    cpu->quiet_until = cpu->quiet_until > done ? cpu->quiet_until - done : 0;
}

/* ---- reset and interrupts ---- */

static void avr_core_reset(struct node *n)
{
    struct avr_cpu *cpu = n->cpu;
    unsigned ram_end = (unsigned)n->machine->data_size - 1;
    cpu->pc = cpu->reset_pc;
    cpu->quiet_until = 0;
    cpu->check = 0;
    cpu->stack_low = AVR_STACK_MAIN;
    cpu->heap_end = 0;
    if (!core_of(n)->stack_starts_at_zero)
        avr_set_sp(n, ram_end);
}

static void avr_core_push(struct node *n, uint8_t value)
{
    struct avr_cpu *cpu = n->cpu;
    uint32_t sp = avr_sp(n);
    if (sp >= avr_stack_low(n) && sp < n->machine->data_size && !n->watching && !n->machine->log && !n->uses)
        n->data[sp] = value;
    else
        avr_push_slow(n, cpu->pc, (uint16_t)sp, value);
    avr_set_sp(n, sp - 1);
}

/* The program counter, high byte first in memory. */
static void avr_core_push_pc(struct node *n)
{
    struct avr_cpu *cpu = n->cpu;
    uint32_t sp = avr_sp(n), bytes = core_of(n)->pc_bytes, pc = cpu->pc;
    bool plain = !n->watching && !n->machine->log && !n->uses;
    if (plain && sp < n->machine->data_size && sp + 1 >= avr_stack_low(n) + bytes) {
        for (unsigned i = 0; i < bytes; i++, pc >>= 8)
            n->data[sp - i] = (uint8_t)pc;
        avr_set_sp(n, sp - bytes);
        return;
    }
    if (n->watching)
        n->taps->entering = true;
    for (unsigned i = 0; i < bytes; i++, pc >>= 8)
        avr_core_push(n, (uint8_t)pc);
    if (n->watching)
        n->taps->entering = false;
}

/* Interrupt response: four clock cycles, five with a three-byte program counter (datasheets, "Interrupt Response
 * Time"), in which the program counter is pushed; the vector's own jump comes after. */
static void enter(struct node *n, unsigned line)
{
    struct avr_cpu *cpu = n->cpu;
    struct clock *clock = &n->state->clocks[CLOCK_CPU];
    const struct wire *w = &n->machine->lines[line];
    uint32_t pc = cpu->pc;
    avr_core_push_pc(n);
    cpu->pc = cpu->vector_base + line * core_of(n)->vector_words;
    n->data[AVR_SREG] &= (uint8_t)~SREG_I;
    unsigned cycles = 2u + core_of(n)->pc_bytes;
    if (w->device->type->acknowledge)
        w->device->type->acknowledge(n, w->device, w->role);
    if (taps_wanted(n, MOTET_ON(INTERRUPT_ENTRY) | MOTET_ON(INTERRUPT_EXIT)))
        taps_interrupt_entered(n, line, 2 * pc);
    n->state->now = clock_tick_of(clock, clock_cycle_at(clock, n->state->now) + cycles);
    n->time = n->state->now;
}

static bool avr_core_interrupt(struct node *n)
{
    struct avr_cpu *cpu = n->cpu;
    if (!(n->data[AVR_SREG] & SREG_I))
        return false;
    if (n->state->sleeping) {
        const struct device *d = n->machine->instructions[INSTRUCTION_WAKE].device;
        d->type->instruction(n, d, INSTRUCTION_WAKE);
        return !n->state->sleeping; /* the device ends sleep, at once or when the oscillator is stable again */
    }
    if (n->state->instructions < cpu->quiet_until)
        return false;
    enter(n, (unsigned)interrupts_next(n, INTERRUPT_ANY));
    return true;
}

/* ---- registers, as a debugger sees them ---- */

static const uint8_t *avr_core_program(const struct node *n)
{
    return ((const struct avr_code *)n->code)->flash;
}

static uint32_t avr_core_get_pc(const struct node *n)
{
    return 2 * ((const struct avr_cpu *)n->cpu)->pc;
}

static void avr_core_set_pc(struct node *n, uint32_t pc)
{
    struct avr_cpu *cpu = n->cpu;
    uint32_t words = n->machine->code_size / 2;
    cpu->pc = pc / 2 < words ? pc / 2 : words;
}

static const char *avr_core_register_name(unsigned number)
{
    static const char *const names[AVR_REGISTERS] = {
        "r0",  "r1",  "r2",  "r3",  "r4",  "r5",  "r6",  "r7",  "r8",   "r9",  "r10", "r11",
        "r12", "r13", "r14", "r15", "r16", "r17", "r18", "r19", "r20",  "r21", "r22", "r23",
        "r24", "r25", "r26", "r27", "r28", "r29", "r30", "r31", "SREG", "SP",  "PC",
    };
    return number < AVR_REGISTERS ? names[number] : NULL;
}

static unsigned avr_core_register_size(unsigned number)
{
    return number < AVR_REGISTER_SP ? 1 : number == AVR_REGISTER_SP ? 2 : 4;
}

static uint32_t avr_core_get_register(const struct node *n, unsigned number)
{
    switch (number) {
    case AVR_REGISTER_SREG: return n->data[AVR_SREG];
    case AVR_REGISTER_SP: return avr_sp(n);
    case AVR_REGISTER_PC: return avr_core_get_pc(n);
    default: assert(number < 32); return n->data[number];
    }
}

static void avr_core_set_register(struct node *n, unsigned number, uint32_t value)
{
    switch (number) {
    case AVR_REGISTER_SREG: n->data[AVR_SREG] = (uint8_t)value; break;
    case AVR_REGISTER_SP: avr_set_sp(n, value); break;
    case AVR_REGISTER_PC: avr_core_set_pc(n, value); break;
    default: assert(number < 32); n->data[number] = (uint8_t)value;
    }
}

/* ---- call chains without debug information ---- */

static bool avr_core_is_call(uint16_t one, uint16_t two)
{
    bool rcall = (one >> 12) == 0xd && one != 0xd000; /* `rcall .+0` only makes room on the stack */
    bool icall = one == 0x9509 || one == 0x9519, call = (two & 0xfe0e) == 0x940e;
    return rcall || icall || call;
}

static uint32_t avr_core_return_address(const struct node *n, uint32_t at)
{
    const struct avr_code *code = n->code;
    unsigned bytes = core_of(n)->pc_bytes;
    if (at + bytes > n->machine->data_size)
        return UINT32_MAX;
    uint32_t pc = 0;
    for (unsigned i = 0; i < bytes; i++)
        pc = pc << 8 | n->data[at + i];
    if (pc < 2 || pc >= code->words || (code->insn[pc].op & ~AVR_MARKS) >= AVR_ILLEGAL)
        return UINT32_MAX;
    const uint8_t *f = code->flash + 2 * pc;
    uint16_t one = (uint16_t)(f[-2] | f[-1] << 8), two = (uint16_t)(f[-4] | f[-3] << 8);
    return avr_core_is_call(one, two) ? 2 * pc : UINT32_MAX;
}

static unsigned avr_core_return_size(const struct machine *m)
{
    return ((const struct avr_core *)m->chip->core)->pc_bytes;
}

/* ---- recordings ---- */

static unsigned avr_core_argument(const struct node *n, unsigned number)
{
    return n->data[24 - 2 * number] | (unsigned)n->data[25 - 2 * number] << 8;
}

static void avr_core_leave(struct node *n, unsigned result, unsigned size)
{
    uint32_t sp = avr_sp(n), pc = 0;
    for (unsigned i = 0; i < core_of(n)->pc_bytes; i++)
        pc = pc << 8 | (++sp < n->machine->data_size ? n->data[sp] : 0);
    for (unsigned i = 0; i < size; i++)
        n->data[24 + i] = (uint8_t)(result >> 8 * i);
    avr_set_sp(n, sp);
    avr_core_set_pc(n, 2 * pc);
}

static void leave_routine(struct node *n, const uint8_t result[ISA_RESULT])
{
    n->data[0] = n->data[26] = n->data[27] = n->data[30] = n->data[31] = 0;
    for (unsigned i = 0; i < ISA_RESULT; i++)
        n->data[18 + i] = result[i];
    avr_core_leave(n, 0, 0);
}

static bool avr_core_accepts(const struct node *n)
{
    return n->data[AVR_SREG] & SREG_I;
}

static void avr_core_accept_interrupts(struct node *n, bool on)
{
    n->data[AVR_SREG] = (uint8_t)((n->data[AVR_SREG] & ~SREG_I) | (on ? SREG_I : 0));
}

static void avr_core_forget_flags(struct node *n)
{
    n->data[AVR_SREG] &= SREG_I;
}

static void avr_core_left_out(struct node *n)
{
    ((struct avr_cpu *)n->cpu)->quiet_until = 0;
}

/* As target/recorder/macros_avr.inc pushes them. No flags: they may be left over from a value that was not yet
 * recorded. */
static size_t avr_core_moment(const struct node *n, unsigned vector, uint8_t bytes[ISA_MOMENT], uint32_t *word)
{
    static const uint8_t order[] = {29, 28, 17, 16, 15, 14, 13, 12, 11, 10, 9,  8,  7,  6,  5, 4,
                                    3,  2,  31, 30, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 1};
    enum { VECTOR_PLACE = 23, REGISTERS = sizeof order };
    uint32_t wide = ((const struct avr_core *)n->machine->chip->core)->pc_bytes, top = avr_sp(n) + 1;
    size_t k = 0;
    *word = top + wide <= n->machine->data_size ? top + wide - 2 : 0;
    for (unsigned i = 0; i < REGISTERS; i++)
        bytes[k++] = i == VECTOR_PLACE ? (uint8_t)vector : n->data[order[i]];
    bytes[k++] = n->data[0];
    bytes[k++] = n->data[24];
    return k;
}

/* SBIC or SBIS, and RJMP .-4: as avr-libc waits for its EEPROM. */
static bool waits(const uint8_t *code, size_t size, size_t at, struct isa_wait *w)
{
    if (at + 4 > size || (code[at + 1] & 0xfd) != 0x99 || code[at + 2] != 0xfe || code[at + 3] != 0xcf)
        return false;
    *w = (struct isa_wait){0x20u + (code[at] >> 3), (uint8_t)(1 << (code[at] & 7)), code[at + 1] == 0x99};
    return true;
}

const struct isa isa_avr = {
    .name = "AVR",
    .machine = IMAGE_MACHINE_AVR,
    .flat = 0x10000,
    .interrupts = {.lines = 64}, /* the lowest vector first */
    .spaces = {.data = AVR_SPACE_DATA, .eeprom = AVR_SPACE_EEPROM, .fuses = AVR_SPACE_FUSES, .lock = AVR_SPACE_LOCK},
    .architecture = "avr",
    .debugger = "avr-gdb",
    .debugger_package = "gdb-avr",
    .stack_register = 32,
    .stack_gap = 1,
    .state_size = sizeof(struct avr_cpu),
    .first_line = 1, /* 0 is reset */
    .first_register = 0x20,
    .decode = avr_core_decode,
    .free_code = avr_core_free_code,
    .reset = avr_core_reset,
    .run = avr_run,
    .interrupt = avr_core_interrupt,
    .write = avr_write,
    .reprogrammed = avr_core_reprogrammed,
    .restored = avr_core_restored,
    .canonical = avr_core_canonical,
    .hot = avr_hot,
    .mark_hot = avr_mark_hot,
    .mark = avr_core_mark,
    .choose_code = avr_core_choose_code,
    .show = avr_show,
    .watch_registers = watch_registers,
    .flow = avr_core_flow,
    .frames = avr_core_frames,
    .abstract = &avr_abstract,
    .program = avr_core_program,
    .pc = avr_core_get_pc,
    .set_pc = avr_core_set_pc,
    .sp = avr_sp,
    .set_sp = avr_set_sp,
    .registers = AVR_REGISTERS,
    .register_name = avr_core_register_name,
    .register_size = avr_core_register_size,
    .get_register = avr_core_get_register,
    .set_register = avr_core_set_register,
    .disassemble = avr_disassemble,
    .return_size = avr_core_return_size,
    .return_address = avr_core_return_address,
    .argument = avr_core_argument,
    .leave = avr_core_leave,
    .leave_routine = leave_routine,
    .accepts = avr_core_accepts,
    .accept = avr_core_accept_interrupts,
    .forget_flags = avr_core_forget_flags,
    .left_out = avr_core_left_out,
    .address_unit = 2,
    .moment = avr_core_moment,
    .spread = avr_spread,
    .result_register = 24,
    .waits = waits,
};
