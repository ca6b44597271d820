#include "isa/msp430/memory.h"

#include "chip/chip.h"
#include "isa/msp430/code.h"
#include "isa/msp430/msp430.h"
#include "node/machine.h"
#include "node/taps.h"

static const struct msp430_core *msp430_memory_core_of(const struct node *n)
{
    return n->machine->chip->core;
}

static bool msp430_memory_within(uint32_t address, uint32_t start, uint32_t size)
{
    return address - start < size;
}

void msp430_mark_pages(struct node *n)
{
    const struct chip *chip = n->machine->chip;
    const struct msp430_core *core = chip->core;
    for (unsigned i = 0; i < PAGE_COUNT; i++) {
        unsigned at = i << PAGE_BITS;
        uint8_t mark = at < MACHINE_REGISTERS                                                ? PAGE_REGISTERS
                       : msp430_memory_within(at, chip->ram_start, chip->ram_size)           ? PAGE_PLAIN
                       : msp430_memory_within(at, core->mirror_start, core->mirror_size)     ? PAGE_MIRROR
                       : at >= core->flash_start                                             ? PAGE_FLASH
                       : msp430_memory_within(at & 0xff00u, core->info_start & 0xff00u, 256) ? PAGE_FLASH
                       : msp430_memory_within(at, core->boot_start, core->boot_size)         ? PAGE_FLASH
                                                                                             : PAGE_ABSENT;
        n->page[i] = mark | (n->page[i] & PAGE_WATCHED);
    }
}

static uint16_t msp430_memory_bytes_of(const uint8_t *at, unsigned size)
{
    return size == 1 ? at[0] : (uint16_t)(at[0] | at[1] << 8);
}

static uint16_t msp430_memory_load(struct node *n, uint16_t pc, uint16_t address, unsigned size)
{
    uint8_t mark = n->page[address >> PAGE_BITS];
    if (mark & PAGE_FLASH) {
        const struct device *flash = n->machine->instructions[INSTRUCTION_PROGRAM].device;
        if (n->code_reads_differ && flash)
            return (uint16_t)(flash->type->code_read(n, flash, address) |
                              (size == 2 ? flash->type->code_read(n, flash, address + 1u) << 8 : 0));
        return msp430_memory_bytes_of(((const struct msp430_code *)n->code)->memory + address, size);
    }
    if (mark & PAGE_REGISTERS)
        return size == 1 ? node_read(n, address) : node_read_word(n, address);
    if (mark & PAGE_MIRROR)
        address = (uint16_t)(address - msp430_memory_core_of(n)->mirror_start + n->machine->chip->ram_start);
    else if (mark & PAGE_ABSENT) {
        node_fault(n, FAULT_OUTSIDE_MEMORY, pc, address, 0);
        return 0;
    }
    return msp430_memory_bytes_of(n->data + address, size);
}

static void store_plain(struct node *n, uint16_t address, uint16_t value, unsigned size)
{
    n->data[address] = (uint8_t)value;
    if (size == 2)
        n->data[address + 1] = (uint8_t)(value >> 8);
}

static void msp430_memory_store(struct node *n, uint16_t pc, uint16_t address, uint16_t value, unsigned size)
{
    uint8_t mark = n->page[address >> PAGE_BITS];
    if (mark & PAGE_REGISTERS) {
        if (size == 1)
            node_write(n, address, (uint8_t)value);
        else
            node_write_word(n, address, value);
    } else if (mark & PAGE_FLASH) {
        const struct device *flash = n->machine->instructions[INSTRUCTION_PROGRAM].device;
        if (flash)
            flash->type->code_write(n, flash, address, value, size);
    } else if (mark & PAGE_MIRROR) {
        store_plain(n, (uint16_t)(address - msp430_memory_core_of(n)->mirror_start + n->machine->chip->ram_start),
                    value, size);
    } else if (mark & PAGE_ABSENT) {
        node_fault(n, FAULT_OUTSIDE_MEMORY, pc, address, value);
    } else {
        store_plain(n, address, value, size);
    }
}

/* ---- those who look on ---- */

/* What is there without asking a device. */
static uint16_t msp430_memory_peek(const struct node *n, uint16_t address, unsigned size)
{
    uint8_t mark = n->page[address >> PAGE_BITS];
    if (mark & PAGE_FLASH)
        return msp430_memory_bytes_of(((const struct msp430_code *)n->code)->memory + address, size);
    if (mark & PAGE_MIRROR)
        address = (uint16_t)(address - msp430_memory_core_of(n)->mirror_start + n->machine->chip->ram_start);
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

uint16_t msp430_load(struct node *n, uint16_t pc, uint16_t address, unsigned size)
{
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
    return cpu->stack_elsewhere || !m->stack_limit ? m->chip->ram_start : m->stack_limit;
}

void msp430_check_frame(struct node *n, uint16_t pc, uint16_t sp)
{
    if (sp < msp430_stack_low(n))
        node_fault(n, FAULT_STACK_OVERFLOW, pc, sp, 0);
}

void msp430_push_slow(struct node *n, uint16_t pc, uint16_t address, uint16_t value)
{
    bool in_ram = msp430_memory_within(address, n->machine->chip->ram_start, n->machine->chip->ram_size);
    if (!in_ram || address < msp430_stack_low(n))
        node_fault(n, FAULT_STACK_OVERFLOW, pc, address, value);
    msp430_store(n, pc, address & 0xfffe, value, 2);
}
