#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pages.h"
#include "chip/chip.h"
#include "isa/cortex/abstract.h"
#include "isa/cortex/code.h"
#include "isa/cortex/cortex.h"
#include "isa/cortex/disassemble.h"
#include "isa/cortex/exceptions.h"
#include "isa/cortex/execute.h"
#include "isa/cortex/hot.h"
#include "isa/cortex/memory.h"
#include "isa/cortex/mpu.h"
#include "isa/cortex/pair.h"
#include "isa/cortex/trap.h"
#include "isa/own_flash.h"
#include "node/interrupts.h"
#include "node/machine.h"
#include "node/map.h"
#include "node/node.h"
#include "node/taps.h"

enum { REGISTERS = 17, STATUS = 16 };

/* ---- code ---- */

static uint16_t cortex_core_half(const struct cortex_code *code, uint32_t at)
{
    return at + 2 <= code->size ? (uint16_t)(code->memory[at] | code->memory[at + 1] << 8) : 0xffff;
}

static struct cortex_insn cortex_core_decode_at(const struct cortex_code *code, uint32_t at, unsigned it)
{
    struct cortex_insn i = cortex_decode_on(code, at, cortex_core_half(code, at), cortex_core_half(code, at + 2), it);
    cortex_settle(&i, at, code->size, false);
    return i;
}

/* What follows an IT; its first entry is in the IT's. */
static void cortex_core_add_block(struct cortex_code *code, uint32_t at, struct cortex_insn *i)
{
    struct cortex_insn *b = &code->insn[code->count];
    unsigned it = i->imm & 0xff, k = 0;
    assert(code->count + CORTEX_BLOCK <= code->room);
    memset(b, 0, CORTEX_BLOCK * sizeof *b);
    i->x = (uint8_t)it;
    i->imm = code->count;
    code->count += CORTEX_BLOCK;
    while (it) {
        b[k] = cortex_core_decode_at(code, at + 2 + 2 * k, it);
        k += b[k].length;
        it = cortex_it_next(it);
    }
    b[k] = (struct cortex_insn){.op = CORTEX_REJOIN, .length = 1, .at = at + 2 + 2 * k};
}

/* Halfwords of code that are an IT, or half of another instruction. */
static uint32_t cortex_core_its(const struct cortex_code *code, const uint8_t *known)
{
    uint32_t count = 0;
    for (uint32_t at = 0; at < code->size; at += 2)
        if (known[at] != FLASH_ERASED && (cortex_core_half(code, at) & 0xff00) == 0xbf00)
            count++;
    return count;
}

/* Erased memory is ERASED, which is 0: entries that are never touched need no pages of the host. */
static void cortex_core_decode_range(struct cortex_code *code, const uint8_t *known, uint32_t first, uint32_t last)
{
    for (uint32_t at = first; at < last; at += 2) {
        struct cortex_insn *i = &code->insn[at / 2];
        if (known[at] == FLASH_ERASED) {
            if (i->length)
                *i = (struct cortex_insn){.op = CORTEX_ERASED};
            continue;
        }
        *i = cortex_core_decode_at(code, at, 0);
        if (i->op == CORTEX_IT)
            cortex_core_add_block(code, at, i);
        if (known[at] == FLASH_DATA)
            *i = (struct cortex_insn){.op = CORTEX_DATA, .length = 1, .at = at};
    }
}

/* Nordic's delays are an array of halfwords that firmware jumps to: it ends in BX LR. */
static bool cortex_core_is_function(const uint8_t *bytes, uint32_t size)
{
    return size >= 2 && size % 2 == 0 && bytes[size - 2] == 0x70 && bytes[size - 1] == 0x47;
}

static uint32_t cortex_core_memory_word(const uint8_t *memory, uint32_t size, uint32_t at)
{
    if (at > size - 4)
        return 0xffffffff;
    return memory[at] | (uint32_t)memory[at + 1] << 8 | (uint32_t)memory[at + 2] << 16 | (uint32_t)memory[at + 3] << 24;
}

/* Where the vectors are after reset. */
static uint32_t cortex_core_vectors(const struct machine *m, const uint8_t *memory)
{
    const struct cortex_core *core = m->chip->core;
    return core->boot ? cortex_core_memory_word(memory, m->code_size, core->boot) : 0;
}

/* The word before that with the vectors' address is 0 in a firmware that the chip starts. */
static bool cortex_core_boots(const struct machine *m, struct motet_error *e)
{
    const struct cortex_core *core = m->chip->core;
    uint32_t vectors = cortex_core_vectors(m, m->flash);
    bool valid = !core->boot || !cortex_core_memory_word(m->flash, m->code_size, core->boot - 4);
    if (valid && vectors <= m->code_size - 8 && !(vectors & 0x7f))
        return true;
    return error_set(
        e,
        "%s: the boot configuration of %s at 0x%x names no vectors, so that the chip would stay in its boot "
        "loader; is the firmware linked for another chip?",
        image_path(m->image), m->chip->name, core->boot - 8);
}

static const void *cortex_core_decode(const struct machine *m, struct motet_error *e)
{
    const struct cortex_core *core = m->chip->core;
    if (!core || !core->priority_bits || core->external + CORTEX_EXTERNAL > CORTEX_EXCEPTIONS) {
        error_set(e, "the table of %s has no core, or one without priorities", m->chip->name);
        return NULL;
    }
    if (!cortex_core_boots(m, e))
        return NULL;
    struct cortex_code *code = memory_new(sizeof *code);
    code->memory = m->flash;
    code->size = m->code_size;
    code->baseline = core->baseline;
    code->count = code->size / 2 + 2;
    code->room = code->count + CORTEX_BLOCK * cortex_core_its(code, m->flash_known);
    code->insn = memory_array(code->room, sizeof *code->insn);
    cortex_core_decode_range(code, m->flash_known, 0, m->code_size);
    for (uint32_t at = code->size; at <= code->size + 2; at += 2)
        code->insn[at / 2] = (struct cortex_insn){.op = CORTEX_OUTSIDE, .length = 1, .at = at};
    cortex_traps_mark(m, code, 0, code->size);
    cortex_pair_join(code, 0, code->size);
    return code;
}

static void cortex_core_free_code(const void *given)
{
    struct cortex_code *code = (void *)(uintptr_t)given;
    free(code->insn);
    free(code);
}

/* A node's own code, in one piece of memory, as it is freed in one: the struct, entries, flash and what is known of it.
 * Blocks that a reprogrammed page needs have room of their own. */
struct own_code {
    struct cortex_code code;
    struct own_flash flash;
};
enum { OWN_BLOCKS = 256 };

static struct own_code *cortex_core_own_code(struct node *n)
{
    if (n->code_own)
        return n->code_own;
    const struct cortex_code *shared = n->machine->code;
    size_t room = shared->count + (size_t)CORTEX_BLOCK * OWN_BLOCKS;
    size_t at_entries = (sizeof(struct own_code) + 15) & ~(size_t)15;
    size_t at_flash = at_entries + room * sizeof(struct cortex_insn);
    uint8_t *all = memory_bytes(at_flash + 2 * (size_t)shared->size);
    struct own_code *own = (void *)all;
    own_flash_begin(&own->flash, n->machine, all + at_flash, shared->size);
    own->code = (struct cortex_code){.memory = own->flash.bytes,
                                     .size = shared->size,
                                     .baseline = shared->baseline,
                                     .count = shared->count,
                                     .room = (uint32_t)room,
                                     .insn = (void *)(all + at_entries)};
    memcpy(own->code.insn, shared->insn, shared->count * sizeof(struct cortex_insn));
    for (uint32_t i = 0; i < shared->count; i++) /* translated code is that of all nodes */
        own->code.insn[i].op &= (uint16_t)~CORTEX_HOT;
    n->code_own = own;
    return own;
}

static void cortex_core_choose_code(struct node *n, bool own)
{
    const struct machine *m = n->machine;
    const struct own_code *o = cortex_core_own_code(n);
    n->code = own || o->flash.changed ? &o->code : m->code;
}

/* What a mark has parted stays parted (pair.h): a node without marks uses the shared code. */
static void cortex_core_mark_entry(struct cortex_insn *i, bool on)
{
    i->op = (uint16_t)(on ? i->op | CORTEX_MARK : i->op & ~CORTEX_MARK);
}

static void cortex_core_mark(struct node *n, uint32_t address, bool on)
{
    const struct cortex_code *shared = n->machine->code;
    if (address >= shared->size)
        return;
    struct cortex_code *code = &cortex_core_own_code(n)->code;
    cortex_pair_part(code, address);
    cortex_core_mark_entry(&code->insn[address / 2], on);
    for (uint32_t back = 2; back <= 2 * (CORTEX_BLOCK - 1) && back <= address; back += 2) {
        struct cortex_insn *i = &code->insn[(address - back) / 2];
        if ((i->op & ~CORTEX_BITS) == CORTEX_IT) {
            struct cortex_insn *in = &code->insn[i->imm + back / 2 - 1];
            if ((in->op & ~CORTEX_BITS) != CORTEX_REJOIN && in->length)
                cortex_core_mark_entry(in, on);
        }
    }
}

/* Whether the CPU, if the node has one, stands at the address and what it branches to there ends a handler. */
static bool cortex_core_leaves_handler(const struct node *n, uint32_t address, const struct cortex_insn *i)
{
    const struct cortex_cpu *cpu = n->cpu;
    if (!cpu || !cpu->exception || cpu->r[CORTEX_PC] != address)
        return false;
    if ((i->op & ~CORTEX_BITS) == CORTEX_BX)
        return cpu->r[i->m] >> 24 >= 0xf0;
    uint8_t top[4] = {0};
    uint32_t at = cpu->r[i->n] + 4 * (uint32_t)(__builtin_popcount(i->imm) - 1);
    return map_peek(n, at, top, 4) && top[3] >= 0xf0;
}

static enum motet_flow cortex_core_flow(const struct node *n, uint32_t address)
{
    const struct cortex_code *code = n->code;
    if (address >= code->size)
        return MOTET_FLOW_ON;
    const struct cortex_insn *i = &code->insn[address / 2];
    unsigned op = i->op & ~CORTEX_BITS;
    if (op == CORTEX_BL || op == CORTEX_BLX)
        return MOTET_FLOW_CALL;
    bool returns = (op == CORTEX_BX && i->m == CORTEX_LR) || (op == CORTEX_LDM && i->n == CORTEX_SP && i->imm & 0x8000);
    if (!returns)
        return MOTET_FLOW_ON;
    return cortex_core_leaves_handler(n, address, i) ? MOTET_FLOW_INTERRUPT_RETURN : MOTET_FLOW_RETURN;
}

static struct pages *cortex_core_program_pages(const struct node *n)
{
    const struct device *d = n->machine->instructions[INSTRUCTION_PROGRAM].device;
    return d && d->pages != 0xff ? device_pages(n, d) : NULL;
}

static void cortex_core_reprogrammed(struct node *n, uint32_t address, uint32_t size)
{
    struct own_code *own = cortex_core_own_code(n);
    n->code = &own->code;
    uint32_t first = address & ~1u, last = (address + size + 1) & ~1u;
    own_flash_read(&own->flash, n->machine, cortex_core_program_pages(n), first, last);
    /* An IT up to 16 bytes before has a copy of what is there. An IT that has no room for a copy is decoded each time.
     */
    uint32_t from = first >= 18 ? first - 18 : 0;
    for (uint32_t at = from; at < last; at += 2) {
        struct cortex_insn *i = &own->code.insn[at / 2];
        *i = own->flash.known[at] == FLASH_ERASED ? (struct cortex_insn){.op = CORTEX_ERASED}
                                                  : cortex_core_decode_at(&own->code, at, 0);
        if (i->op == CORTEX_IT && own->code.count + CORTEX_BLOCK <= own->code.room)
            cortex_core_add_block(&own->code, at, i);
        else if (i->op == CORTEX_IT)
            cortex_settle(i, at, own->code.size, true);
    }
    cortex_traps_mark(n->machine, &own->code, from, last);
    cortex_pair_part(&own->code, from);
    cortex_pair_join(&own->code, from, last);
    marks_renew(n, from, last + 18);
    n->cut = true;
}

static void cortex_core_restored(struct node *n)
{
    const struct device *d = n->machine->instructions[INSTRUCTION_PROGRAM].device;
    struct pages *now = cortex_core_program_pages(n);
    cortex_mpu_changed(n);
    if (!now || (n->code == n->machine->code && pages_is_view(now, n->machine->pages[d->pages])))
        return;
    uint8_t page[PAGES_SIZE];
    for (uint32_t at = 0; at < n->machine->code_size; at += PAGES_SIZE) {
        pages_read(now, at, page, PAGES_SIZE);
        if (memcmp(page, ((const struct cortex_code *)n->code)->memory + at, PAGES_SIZE) != 0)
            cortex_core_reprogrammed(n, at, PAGES_SIZE);
    }
}

/* ---- reset ---- */

static uint32_t cortex_core_first_sp(const struct machine *m)
{
    uint32_t sp = cortex_core_memory_word(m->flash, m->code_size, cortex_core_vectors(m, m->flash));
    return sp - m->ram->first <= m->ram->size ? sp : 0;
}

static void cortex_core_reset(struct node *n)
{
    struct cortex_cpu *cpu = n->cpu;
    const struct cortex_code *code = n->code;
    memset(cpu, 0, sizeof *cpu);
    cpu->vtor = cortex_core_vectors(n->machine, code->memory);
    cpu->r[CORTEX_SP] = cortex_core_memory_word(code->memory, code->size, cpu->vtor) & ~3u;
    cpu->r[CORTEX_LR] = 0xffffffff;
    cpu->r[CORTEX_PC] = cortex_core_memory_word(code->memory, code->size, cpu->vtor + 4) & ~1u;
    cpu->ccr = CORTEX_STACK_ALIGN | (cortex_core_of(n->machine->chip->core)->baseline ? CORTEX_UNALIGN_TRAP : 0);
    cpu->fpccr = CORTEX_AUTOMATIC | CORTEX_LAZY;
    cortex_mpu_changed(n);
    interrupts_reset(n);
}

/* Of the exceptions; those without a number of their own have the most urgent of the firmware's. */
static const uint8_t priorities[CORTEX_EXCEPTIONS] = {
    [CORTEX_RESET] = 0,
    [CORTEX_NMI] = 0,
    [CORTEX_HARD_FAULT] = 1,
    [CORTEX_MEM_MANAGE... CORTEX_EXCEPTIONS - 1] = CORTEX_PRIORITY_FIRST,
};

/* ---- registers, as a debugger sees them ---- */

static const uint8_t *cortex_core_program(const struct node *n)
{
    return ((const struct cortex_code *)n->code)->memory;
}

static uint32_t cortex_core_get_pc(const struct node *n)
{
    return ((const struct cortex_cpu *)n->cpu)->r[CORTEX_PC];
}

static void cortex_core_set_pc(struct node *n, uint32_t pc)
{
    struct cortex_cpu *cpu = n->cpu;
    cpu->it = cpu->r[CORTEX_PC] == (pc & ~1u) ? cpu->it : 0;
    cpu->r[CORTEX_PC] = pc & ~1u;
}

static uint32_t cortex_core_get_sp(const struct node *n)
{
    return ((const struct cortex_cpu *)n->cpu)->r[CORTEX_SP];
}

static void cortex_core_set_sp(struct node *n, uint32_t sp)
{
    ((struct cortex_cpu *)n->cpu)->r[CORTEX_SP] = sp & ~3u;
}

static const char *cortex_core_register_name(unsigned number)
{
    static const char *const names[REGISTERS] = {"r0", "r1",  "r2",  "r3",  "r4", "r5", "r6", "r7",  "r8",
                                                 "r9", "r10", "r11", "r12", "sp", "lr", "pc", "xpsr"};
    return number < REGISTERS ? names[number] : NULL;
}

static unsigned cortex_core_register_size(unsigned number)
{
    (void)number;
    return 4;
}

static uint32_t cortex_core_get_register(const struct node *n, unsigned number)
{
    const struct cortex_cpu *cpu = n->cpu;
    assert(number < REGISTERS);
    return number == STATUS ? cortex_xpsr(cpu) : cpu->r[number];
}

static void cortex_core_set_register(struct node *n, unsigned number, uint32_t value)
{
    struct cortex_cpu *cpu = n->cpu;
    assert(number < REGISTERS);
    if (number == STATUS)
        cpu->psr = value & (CORTEX_FLAGS | CORTEX_Q | CORTEX_GE);
    else if (number == CORTEX_PC)
        cortex_core_set_pc(n, value);
    else
        cpu->r[number] = number == CORTEX_SP ? value & ~3u : value;
}

/* ---- call chains without debug information ---- */

static uint32_t cortex_core_return_address(const struct node *n, uint32_t at)
{
    const struct cortex_code *code = n->code;
    uint8_t bytes[4];
    if (!map_peek(n, at, bytes, 4))
        return UINT32_MAX;
    uint32_t pc = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    if (!(pc & 1) || pc < 4 || pc >= code->size)
        return UINT32_MAX;
    pc &= ~1u;
    bool call = (code->insn[pc / 2 - 2].op & ~CORTEX_BITS) == CORTEX_BL ||
                (code->insn[pc / 2 - 1].op & ~CORTEX_BITS) == CORTEX_BLX;
    return call ? pc : UINT32_MAX;
}

static unsigned cortex_core_return_size(const struct machine *m)
{
    (void)m;
    return 4;
}

/* ---- calls ---- */

static unsigned cortex_core_argument(const struct node *n, unsigned number)
{
    return ((const struct cortex_cpu *)n->cpu)->r[number & 3];
}

static void cortex_core_leave(struct node *n, unsigned result, unsigned size)
{
    struct cortex_cpu *cpu = n->cpu;
    cortex_core_set_pc(n, cpu->r[CORTEX_LR]);
    if (size)
        cpu->r[0] = size == 1 ? result & 0xff : size == 2 ? (uint16_t)result : result;
}

static bool cortex_core_accepts(const struct node *n)
{
    const struct cortex_cpu *cpu = n->cpu;
    return !cpu->primask && !cpu->faultmask;
}

static void cortex_core_accept(struct node *n, bool on)
{
    ((struct cortex_cpu *)n->cpu)->primask = !on;
}

static void cortex_core_forget_flags(struct node *n)
{
    ((struct cortex_cpu *)n->cpu)->psr &= ~CORTEX_FLAGS;
}

static void cortex_core_left_out(struct node *n)
{
    (void)n; /* nothing here is held off by an instruction */
}

const struct isa isa_cortex = {
    .name = "Cortex-M",
    .machine = IMAGE_MACHINE_ARM,
    .architecture = "arm",
    .feature = "org.gnu.gdb.arm.m-profile",
    .debugger = "gdb-multiarch",
    .debugger_package = "gdb-multiarch",
    .stack_register = CORTEX_SP,
    .interrupts = {.lines = CORTEX_EXCEPTIONS, .priorities = priorities, .programmable = true},
    .state_size = sizeof(struct cortex_cpu),
    .first_line = CORTEX_NMI,
    .decode = cortex_core_decode,
    .free_code = cortex_core_free_code,
    .first_sp = cortex_core_first_sp,
    .reset = cortex_core_reset,
    .run = cortex_run,
    .interrupt = cortex_exception_take,
    .line = cortex_exception_line,
    .reprogrammed = cortex_core_reprogrammed,
    .write = cortex_write,
    .restored = cortex_core_restored,
    .hot = cortex_hot,
    .mark_hot = cortex_mark_hot,
    .mark = cortex_core_mark,
    .choose_code = cortex_core_choose_code,
    .show = cortex_show,
    .flow = cortex_core_flow,
    .abstract = &cortex_abstract,
    .program = cortex_core_program,
    .pc = cortex_core_get_pc,
    .set_pc = cortex_core_set_pc,
    .sp = cortex_core_get_sp,
    .set_sp = cortex_core_set_sp,
    .registers = REGISTERS,
    .register_name = cortex_core_register_name,
    .register_size = cortex_core_register_size,
    .get_register = cortex_core_get_register,
    .set_register = cortex_core_set_register,
    .disassemble = cortex_disassemble,
    .return_address = cortex_core_return_address,
    .return_size = cortex_core_return_size,
    .argument = cortex_core_argument,
    .leave = cortex_core_leave,
    .accepts = cortex_core_accepts,
    .accept = cortex_core_accept,
    .links = true,
    .link_register = CORTEX_LR,
    .interrupts_at_once = true,
    .forget_flags = cortex_core_forget_flags,
    .left_out = cortex_core_left_out,
    .is_function = cortex_core_is_function,
    .address_unit = 1,
    .cores = &cortex_cores,
};
