#include "isa/cortex/memory.h"

#include "chip/chip.h"
#include "isa/cortex/code.h"
#include "isa/cortex/cortex.h"
#include "isa/cortex/exceptions.h"
#include "isa/cortex/mpu.h"
#include "node/machine.h"
#include "node/map.h"
#include "node/taps.h"
#include "node/uses.h"

static uint32_t cortex_memory_bytes(const uint8_t *at, unsigned size)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < size; i++)
        v |= (uint32_t)at[i] << 8 * i;
    return v;
}

static uint8_t cortex_memory_mark(const struct node *n, uint32_t address)
{
    return n->page[map_slot(n->machine, address) >> PAGE_BITS];
}

static void cortex_memory_absent(struct node *n, uint32_t pc, uint32_t address, uint32_t value)
{
    struct cortex_cpu *cpu = n->cpu;
    cpu->aborted = 1;
    n->cut = true;
    if (node_fault(n, address < 16 ? FAULT_NULL_WRITE : FAULT_OUTSIDE_MEMORY, pc, address, value))
        return;
    cpu->bfar = address;
    cortex_exception_fault(n, CORTEX_BUS_FAULT, CORTEX_PRECISERR | CORTEX_BFARVALID);
}

static void cortex_memory_unaligned(struct node *n, uint32_t pc, uint32_t address)
{
    struct cortex_cpu *cpu = n->cpu;
    cpu->aborted = 1;
    n->cut = true;
    if (!node_fault(n, FAULT_MISALIGNED, pc, address, 0))
        cortex_exception_fault(n, CORTEX_USAGE_FAULT, CORTEX_UNALIGNED);
}

/* Where a log stands in for the devices: it has this, or the replay ends. */
static void cortex_memory_touched(struct node *n, uint32_t address, unsigned size, bool write)
{
    const struct device *log = n->machine->log;
    if (__builtin_expect(log != NULL, 0) && log->type->touched)
        log->type->touched(n, log, address, size, write);
}

static uint32_t cortex_memory_read_register(struct node *n, uint32_t address, unsigned size)
{
    cortex_memory_touched(n, address, size, false);
    return size == 4 ? node_read_long(n, address) : size == 2 ? node_read_word(n, address) : node_read(n, address);
}

static void cortex_memory_write_register(struct node *n, uint32_t address, uint32_t value, unsigned size)
{
    if (size == 4)
        node_write_long(n, address, value);
    else if (size == 2)
        node_write_word(n, address, (uint16_t)value);
    else
        node_write(n, address, (uint8_t)value);
}

static uint32_t cortex_memory_program(struct node *n, uint32_t address, unsigned size)
{
    const struct device *flash = n->machine->instructions[INSTRUCTION_PROGRAM].device;
    const struct cortex_code *code = n->code;
    uint32_t v = 0;
    if (!n->code_reads_differ || !flash)
        return address + size <= code->size ? cortex_memory_bytes(code->memory + address, size) : 0xffffffff;
    for (unsigned i = 0; i < size; i++)
        v |= (uint32_t)flash->type->code_read(n, flash, address + i) << 8 * i;
    return v;
}

/* Whether the address is a word for one bit of RAM or of a register (0x22000000 and 0x42000000 on): of which word, and
 * which bit. */
static bool cortex_memory_bit(const struct node *n, uint32_t address, uint32_t *word, unsigned *bit)
{
    const struct cortex_core *core = n->machine->chip->core;
    uint32_t region = address & 0xfe000000;
    if (!core->bit_band || (region != 0x22000000 && region != 0x42000000))
        return false;
    *word = (address & 0xf0000000) | ((address & 0x01ffffff) >> 5 & ~3u);
    *bit = address >> 2 & 31;
    return true;
}

/* One access that is aligned, or a byte. */
static uint32_t cortex_memory_load(struct node *n, uint32_t pc, uint32_t address, unsigned size)
{
    uint8_t mark = cortex_memory_mark(n, address);
    if (mark & PAGE_PROGRAM)
        return cortex_memory_program(n, address, size);
    if (mark & PAGE_REGISTERS)
        return cortex_memory_read_register(n, address, size);
    uint32_t place = mark & PAGE_ABSENT ? MAP_NOWHERE : map_place(n->machine, address);
    if (place == MAP_NOWHERE) {
        unsigned bit;
        if (cortex_memory_bit(n, address, &address, &bit))
            return cortex_memory_load(n, pc, address, 4) >> bit & 1;
        cortex_memory_absent(n, pc, address, 0);
        return 0;
    }
    uses_data(n, place, size, false);
    return cortex_memory_bytes(n->data + place, size);
}

static void cortex_memory_store(struct node *n, uint32_t pc, uint32_t address, uint32_t value, unsigned size)
{
    uint8_t mark = cortex_memory_mark(n, address);
    const struct device *flash = n->machine->instructions[INSTRUCTION_PROGRAM].device;
    if (mark & PAGE_REGISTERS) {
        cortex_memory_write_register(n, address, value, size);
        return;
    }
    if (mark & PAGE_PROGRAM)
        cortex_memory_touched(n, address, size, true);
    if (mark & PAGE_PROGRAM && flash && flash->type->code_write) {
        flash->type->code_write(n, flash, address, value, size);
        return;
    }
    uint32_t place = mark & (PAGE_ABSENT | PAGE_PROGRAM) ? MAP_NOWHERE : map_place(n->machine, address);
    if (place == MAP_NOWHERE) {
        unsigned bit;
        if (cortex_memory_bit(n, address, &address, &bit)) {
            uint32_t word = cortex_memory_load(n, pc, address, 4) & ~(1u << bit);
            cortex_memory_store(n, pc, address, word | (value & 1) << bit, 4);
            return;
        }
        cortex_memory_absent(n, pc, address, value);
        return;
    }
    uses_data(n, place, size, true);
    for (unsigned i = 0; i < size; i++)
        n->data[place + i] = (uint8_t)(value >> 8 * i);
}

static uint32_t cortex_memory_peek(const struct node *n, uint32_t address, unsigned size)
{
    const struct cortex_code *code = n->code;
    if (address < code->size && size <= code->size - address)
        return cortex_memory_bytes(code->memory + address, size);
    uint8_t bytes[4];
    return map_peek(n, address, bytes, size) ? cortex_memory_bytes(bytes, size) : 0;
}

static struct motet_access cortex_memory_access(const struct node *n, uint32_t pc, uint32_t address, unsigned size,
                                                bool write)
{
    uint32_t now = cortex_memory_peek(n, address, size);
    return (struct motet_access){
        .address = address, .pc = pc, .size = (uint8_t)size, .write = write, .old = now, .value = now};
}

static bool cortex_memory_aligned(struct node *n, uint32_t pc, uint32_t address, unsigned size, bool whole)
{
    const struct cortex_cpu *cpu = n->cpu;
    if (!(address & (size - 1)))
        return true;
    if (whole || cpu->ccr & CORTEX_UNALIGN_TRAP)
        cortex_memory_unaligned(n, pc, address);
    return false;
}

static uint32_t cortex_memory_watched_load(struct node *n, uint32_t pc, uint32_t address, unsigned size)
{
    if (__builtin_expect(!taps_look(n, address, size), 1))
        return cortex_memory_load(n, pc, address, size);
    struct motet_access a = cortex_memory_access(n, pc, address, size, false);
    taps_accessing(n, &a);
    a.value = cortex_memory_load(n, pc, address, size);
    taps_accessed(n, &a);
    return a.value;
}

static void cortex_memory_watched_store(struct node *n, uint32_t pc, uint32_t address, uint32_t value, unsigned size)
{
    if (__builtin_expect(!taps_look(n, address, size), 1)) {
        cortex_memory_store(n, pc, address, value, size);
        return;
    }
    struct motet_access a = cortex_memory_access(n, pc, address, size, true);
    a.value = value;
    taps_accessing(n, &a);
    cortex_memory_store(n, pc, address, value, size);
    taps_accessed(n, &a);
}

/* True if the memory protection unit denies the access: a MemManage fault, or what becomes of it. */
static bool cortex_memory_denied(struct node *n, uint32_t address, unsigned size, enum cortex_mpu_access access)
{
    struct cortex_cpu *cpu = n->cpu;
    if (__builtin_expect(!cpu->mpu_ctrl, 1) || cortex_mpu_allows(n, address, size, access))
        return false;
    cpu->mmfar = address;
    cortex_exception_fault(n, CORTEX_MEM_MANAGE, CORTEX_DACCVIOL | CORTEX_MMARVALID);
    return true;
}

uint32_t cortex_load(struct node *n, uint32_t pc, uint32_t address, unsigned size, bool whole)
{
    return cortex_memory_denied(n, address, size, CORTEX_MPU_READ) ? 0 : cortex_load_any(n, pc, address, size, whole);
}

void cortex_store(struct node *n, uint32_t pc, uint32_t address, uint32_t value, unsigned size, bool whole)
{
    if (!cortex_memory_denied(n, address, size, CORTEX_MPU_WRITE))
        cortex_store_any(n, pc, address, value, size, whole);
}

uint32_t cortex_load_any(struct node *n, uint32_t pc, uint32_t address, unsigned size, bool whole)
{
    const struct cortex_cpu *cpu = n->cpu;
    if (cortex_memory_aligned(n, pc, address, size, whole))
        return cortex_memory_watched_load(n, pc, address, size);
    uint32_t v = 0;
    for (unsigned i = 0; i < size && !cpu->aborted; i++)
        v |= cortex_memory_watched_load(n, pc, address + i, 1) << 8 * i;
    return v;
}

void cortex_store_any(struct node *n, uint32_t pc, uint32_t address, uint32_t value, unsigned size, bool whole)
{
    const struct cortex_cpu *cpu = n->cpu;
    if (cortex_memory_aligned(n, pc, address, size, whole)) {
        cortex_memory_watched_store(n, pc, address, value, size);
        return;
    }
    for (unsigned i = 0; i < size && !cpu->aborted; i++)
        cortex_memory_watched_store(n, pc, address + i, value >> 8 * i & 0xff, 1);
}

bool cortex_fetch(const struct node *n, uint32_t address, uint16_t *halfword)
{
    const struct cortex_code *code = n->code;
    uint8_t bytes[2];
    if (address < code->size)
        *halfword = (uint16_t)cortex_memory_bytes(code->memory + address, 2);
    else if (map_is_register(n->machine, address) || !map_peek(n, address, bytes, 2))
        return false;
    else
        *halfword = (uint16_t)cortex_memory_bytes(bytes, 2);
    return true;
}

void cortex_write(struct node *n, uint32_t address, uint32_t value, unsigned size)
{
    if (map_is_register(n->machine, address)) {
        cortex_memory_write_register(n, address, value, size);
        return;
    }
    uint32_t place = map_place(n->machine, address);
    uses_data(n, place, size, true);
    for (unsigned i = 0; i < size; i++)
        n->data[place + i] = (uint8_t)(value >> 8 * i);
}

void cortex_stack_overflows(struct node *n, uint32_t pc, uint32_t sp)
{
    if (!cortex_on_process_stack(n->cpu))
        node_fault(n, FAULT_STACK_OVERFLOW, pc, sp, 0);
}
