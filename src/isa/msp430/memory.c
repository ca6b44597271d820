#include "isa/msp430/memory.h"

#include "chip/chip.h"
#include "isa/msp430/code.h"
#include "isa/msp430/msp430.h"
#include "node/machine.h"
#include "node/map.h"
#include "node/taps.h"
#include "node/uses.h"

static uint16_t msp430_memory_bytes_of(const uint8_t *at, unsigned size)
{
    return size == 1 ? at[0] : (uint16_t)(at[0] | at[1] << 8);
}

/* RAM that is at most watched: no device, no log and no list of uses asks about it. */
static bool msp430_memory_is_plain(uint8_t mark)
{
    return (mark & (uint8_t)~PAGE_WATCHED) == PAGE_PLAIN;
}

static uint16_t msp430_memory_load(struct node *n, uint16_t pc, uint16_t address, unsigned size)
{
    uint8_t mark = n->page[address >> PAGE_BITS];
    if (msp430_memory_is_plain(mark))
        return msp430_memory_bytes_of(n->data + address, size);
    if (mark & PAGE_PROGRAM) {
        const struct device *flash = n->machine->instructions[INSTRUCTION_PROGRAM].device;
        if (n->code_reads_differ && flash)
            return (uint16_t)(flash->type->code_read(n, flash, address) |
                              (size == 2 ? flash->type->code_read(n, flash, address + 1u) << 8 : 0));
        return msp430_memory_bytes_of(((const struct msp430_code *)n->code)->memory + address, size);
    }
    if (mark & PAGE_REGISTERS)
        return size == 1 ? node_read(n, address) : node_read_word(n, address);
    if (mark & PAGE_ALIAS)
        address = (uint16_t)map_place(n->machine, address);
    else if (mark & PAGE_ABSENT) {
        node_fault(n, FAULT_OUTSIDE_MEMORY, pc, address, 0);
        return 0;
    }
    uses_data(n, address, size, false);
    return msp430_memory_bytes_of(n->data + address, size);
}

static void msp430_memory_put(struct node *n, uint16_t address, uint16_t value, unsigned size)
{
    n->data[address] = (uint8_t)value;
    if (size == 2)
        n->data[address + 1] = (uint8_t)(value >> 8);
}

static void msp430_memory_store_ram(struct node *n, uint16_t address, uint16_t value, unsigned size)
{
    uses_data(n, address, size, true);
    msp430_memory_put(n, address, value, size);
}

static void msp430_memory_store(struct node *n, uint16_t pc, uint16_t address, uint16_t value, unsigned size)
{
    uint8_t mark = n->page[address >> PAGE_BITS];
    if (msp430_memory_is_plain(mark)) {
        msp430_memory_put(n, address, value, size);
    } else if (mark & PAGE_REGISTERS) {
        if (size == 1)
            node_write(n, address, (uint8_t)value);
        else
            node_write_word(n, address, value);
    } else if (mark & PAGE_PROGRAM) {
        const struct device *flash = n->machine->instructions[INSTRUCTION_PROGRAM].device;
        if (flash)
            flash->type->code_write(n, flash, address, value, size);
    } else if (mark & PAGE_ALIAS) {
        msp430_memory_store_ram(n, (uint16_t)map_place(n->machine, address), value, size);
    } else if (mark & PAGE_ABSENT) {
        node_fault(n, FAULT_OUTSIDE_MEMORY, pc, address, value);
    } else {
        msp430_memory_store_ram(n, address, value, size);
    }
}

void msp430_write(struct node *n, uint32_t address, uint32_t value, unsigned size)
{
    if (!map_is_register(n->machine, address))
        msp430_memory_store_ram(n, (uint16_t)map_place(n->machine, address), (uint16_t)value, size);
    else if (size == 1)
        node_write(n, address, (uint8_t)value);
    else
        node_write_word(n, address, (uint16_t)value);
}

/* ---- observers ---- */

/* What is there without asking a device. */
static uint16_t msp430_memory_peek(const struct node *n, uint16_t address, unsigned size)
{
    uint8_t mark = n->page[address >> PAGE_BITS];
    if (msp430_memory_is_plain(mark))
        return msp430_memory_bytes_of(n->data + address, size);
    if (mark & PAGE_PROGRAM)
        return msp430_memory_bytes_of(((const struct msp430_code *)n->code)->memory + address, size);
    if (mark & PAGE_ALIAS)
        address = (uint16_t)map_place(n->machine, address);
    return mark & PAGE_ABSENT ? 0 : msp430_memory_bytes_of(n->data + address, size);
}

static struct motet_access msp430_memory_access_of(const struct node *n, uint16_t pc, uint16_t address, unsigned size,
                                                   bool write)
{
    uint16_t now = msp430_memory_peek(n, address, size);
    return (struct motet_access){
        .address = address, .pc = pc, .size = (uint8_t)size, .write = write, .old = now, .value = now};
}

uint16_t msp430_fetch(struct node *n, uint16_t pc, uint16_t address)
{
    return msp430_memory_load(n, pc, address, 2);
}

/* The log that is replayed may not know what is there. */
static void msp430_memory_touch(struct node *n, uint16_t address, unsigned size, bool write)
{
    const struct device *log = n->machine->log;
    if (__builtin_expect(n->page[address >> PAGE_BITS] & PAGE_UNKNOWN, 0))
        log->type->touched(n, log, address, size, write);
}

uint16_t msp430_load(struct node *n, uint16_t pc, uint16_t address, unsigned size)
{
    msp430_memory_touch(n, address, size, false);
    if (__builtin_expect(!taps_look(n, address, size), 1))
        return msp430_memory_load(n, pc, address, size);
    struct motet_access a = msp430_memory_access_of(n, pc, address, size, false);
    taps_accessing(n, &a);
    a.value = msp430_memory_load(n, pc, address, size);
    taps_accessed(n, &a);
    return a.value;
}

void msp430_store(struct node *n, uint16_t pc, uint16_t address, uint16_t value, unsigned size)
{
    msp430_memory_touch(n, address, size, true);
    if (__builtin_expect(!taps_look(n, address, size), 1)) {
        msp430_memory_store(n, pc, address, value, size);
        return;
    }
    struct motet_access a = msp430_memory_access_of(n, pc, address, size, true);
    a.value = size == 1 ? value & 0xff : value;
    taps_accessing(n, &a);
    msp430_memory_store(n, pc, address, value, size);
    taps_accessed(n, &a);
}

/* ---- the stack ---- */

uint32_t msp430_stack_low(const struct node *n)
{
    const struct msp430_cpu *cpu = n->cpu;
    const struct machine *m = n->machine;
    return cpu->stack_elsewhere || !m->stack_limit ? m->ram->first : m->stack_limit;
}

void msp430_check_frame(struct node *n, uint16_t pc, uint16_t sp)
{
    if (sp < msp430_stack_low(n))
        node_fault(n, FAULT_STACK_OVERFLOW, pc, sp, 0);
}

void msp430_push_slow(struct node *n, uint16_t pc, uint16_t address, uint16_t value)
{
    bool in_ram = address - n->machine->ram->first < n->machine->ram->size;
    if (!in_ram || address < msp430_stack_low(n))
        node_fault(n, FAULT_STACK_OVERFLOW, pc, address, value);
    msp430_store(n, pc, address & 0xfffe, value, 2);
}
