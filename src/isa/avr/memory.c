#include "isa/avr/memory.h"

#include "chip/chip.h"
#include "image/image.h"
#include "isa/avr/avr.h"
#include "isa/avr/code.h"
#include "node/machine.h"
#include "node/taps.h"
#include "node/uses.h"

enum { FIRST_REGISTER = 0x20 };

bool avr_short_stack_pointer(const struct machine *m)
{
    return m->data_size <= 0x100;
}

uint32_t avr_sp(const struct node *n)
{
    return (uint32_t)(n->data[AVR_SPL] | n->data[AVR_SPH] << 8);
}

void avr_set_sp(struct node *n, uint32_t sp)
{
    n->data[AVR_SPL] = (uint8_t)sp;
    n->data[AVR_SPH] = avr_short_stack_pointer(n->machine) ? 0 : (uint8_t)(sp >> 8);
}

static bool outside(struct node *n, uint32_t pc, uint16_t address, uint8_t value)
{
    if (address < n->machine->data_size)
        return false;
    node_fault(n, FAULT_OUTSIDE_MEMORY, 2 * pc, address, value);
    return true;
}

static struct motet_access avr_memory_access_of(const struct node *n, uint32_t pc, uint16_t address, bool write)
{
    uint8_t now = address < n->machine->data_size ? n->data[address] : 0;
    return (struct motet_access){.address = address, .pc = 2 * pc, .size = 1, .write = write, .old = now, .value = now};
}

static uint8_t avr_memory_load(struct node *n, uint32_t pc, uint16_t address)
{
    return outside(n, pc, address, 0) ? 0 : node_read(n, address);
}

/* The log that is replayed may not know what is there. */
static void avr_memory_touch(struct node *n, uint16_t address, bool write)
{
    const struct device *log = n->machine->log;
    if (__builtin_expect(n->page[address >> PAGE_BITS] & PAGE_UNKNOWN, 0))
        log->type->touched(n, log, address, 1, write);
}

/* Apart from the functions below, which so need no frame of their own. */
static __attribute__((noinline)) uint8_t avr_memory_load_seen(struct node *n, uint32_t pc, uint16_t address)
{
    avr_memory_touch(n, address, false);
    if (!taps_look(n, address, 1))
        return avr_memory_load(n, pc, address);
    struct motet_access a = avr_memory_access_of(n, pc, address, false);
    taps_accessing(n, &a);
    a.value = avr_memory_load(n, pc, address);
    taps_accessed(n, &a);
    return (uint8_t)a.value;
}

/* False: it is there, and nothing looks. */
static bool avr_memory_needs_look(const struct node *n, uint16_t address)
{
    return n->page[address >> PAGE_BITS] & (PAGE_UNKNOWN | PAGE_WATCHED) || n->hooked & MOTET_ON(REGISTER) ||
           address >= n->machine->data_size;
}

uint8_t avr_load(struct node *n, uint32_t pc, uint16_t address)
{
    if (__builtin_expect(avr_memory_needs_look(n, address), 0))
        return avr_memory_load_seen(n, pc, address);
    return address < n->machine->register_size ? node_read_register(n, address) : node_read(n, address);
}

/* avr-libc's eeprom_read_word, _dword and _float let the loop they share store their result through X into r18-r25:
 * `in r0, EEDR` then `st X+, r0`. That is no null pointer. */
static bool reads_eeprom_into_registers(const struct node *n, uint32_t pc, uint16_t address)
{
    enum { ST_X_INC_R0 = 0x920d, IN_R0 = 0xb000, IN_R0_MASK = 0xf9f0 };
    const uint8_t *flash = ((const struct avr_code *)n->code)->flash + 2 * pc;
    unsigned before = pc ? flash[-2] | flash[-1] << 8 : 0, now = flash[0] | flash[1] << 8;
    return address >= 18 && address <= 25 && now == ST_X_INC_R0 && (before & IN_R0_MASK) == IN_R0;
}

static void avr_memory_store(struct node *n, uint32_t pc, uint16_t address, uint8_t value)
{
    if (address < FIRST_REGISTER) {
        if (!reads_eeprom_into_registers(n, pc, address))
            node_fault(n, FAULT_NULL_WRITE, 2 * pc, address, value);
        n->data[address] = value;
    } else if (address == AVR_SREG) {
        n->data[address] = value;
    } else if (address == AVR_SPL || (address == AVR_SPH && !avr_short_stack_pointer(n->machine))) {
        n->data[address] = value;
        avr_stack_moved(n, false);
    } else if (!outside(n, pc, address, value)) {
        node_write(n, address, value);
    }
}

void avr_write(struct node *n, uint32_t address, uint32_t value, unsigned size)
{
    (void)size; /* one byte: no region carries more */
    if (address < FIRST_REGISTER || (address >= AVR_SPL && address <= AVR_SREG)) {
        n->data[address] = (uint8_t)value;
        if (address == AVR_SPL || address == AVR_SPH)
            avr_stack_moved(n, false);
    } else {
        node_write(n, address, (uint8_t)value);
    }
}

static __attribute__((noinline)) void avr_memory_store_seen(struct node *n, uint32_t pc, uint16_t address,
                                                            uint8_t value)
{
    avr_memory_touch(n, address, true);
    if (!taps_look(n, address, 1)) {
        avr_memory_store(n, pc, address, value);
        return;
    }
    struct motet_access a = avr_memory_access_of(n, pc, address, true);
    a.value = value;
    taps_accessing(n, &a);
    avr_memory_store(n, pc, address, value);
    taps_accessed(n, &a);
}

void avr_store(struct node *n, uint32_t pc, uint16_t address, uint8_t value)
{
    if (__builtin_expect(avr_memory_needs_look(n, address), 0))
        avr_memory_store_seen(n, pc, address, value);
    else if ((unsigned)address - FIRST_REGISTER < AVR_SPL - FIRST_REGISTER) /* most are of devices */
        node_write_register(n, address, value);
    else
        avr_memory_store(n, pc, address, value);
}

/* Most chips touch the one bit only: a flag that a one clears keeps its neighbours, PINx toggles one pin. The ATmega128
 * reads the whole register and writes it back (datasheet, "I/O Memory"), clearing every such flag it read as one. */
void avr_write_bit(struct node *n, uint32_t pc, uint16_t address, uint8_t mask, bool on)
{
    const struct avr_core *core = n->machine->chip->core;
    uint8_t old = core->bit_writes_whole_byte ? node_read(n, address)
                                              : n->data[address] & n->machine->registers[address].writable;
    avr_store(n, pc, address, (uint8_t)(on ? old | mask : old & ~mask));
}

/* ---- the stack ----
 *
 * Below the stack lie variables and the heap; a push that goes there is a stack overflow. Firmware with several stacks
 * (an RTOS) keeps them among its variables, though, so being there is not wrong in itself. What distinguishes the two
 * is how SP came there: a function that makes room for its locals computes SP from SP (decode.c sees that in the code);
 * a context switch brings another value.
 */

/* The end of variables and heap. */
static uint32_t main_stack_low(const struct node *n)
{
    const struct machine *m = n->machine;
    const struct avr_cpu *cpu = n->cpu;
    uint32_t limit = m->stack_limit ? m->stack_limit : m->ram->first;
    return cpu->heap_end > limit ? cpu->heap_end : limit;
}

uint32_t avr_stack_low(const struct node *n)
{
    const struct avr_cpu *cpu = n->cpu;
    switch (cpu->stack_low) {
    case AVR_STACK_MAIN: return main_stack_low(n);
    case AVR_STACK_ELSEWHERE: return UINT16_MAX; /* the next push finds out */
    default: return cpu->stack_low;
    }
}

void avr_heap_moved(struct node *n)
{
    struct avr_cpu *cpu = n->cpu;
    uint32_t at = n->machine->heap_break;
    uses_data(n, at, 2, false);
    cpu->heap_end = n->data[at] | (uint32_t)n->data[at + 1] << 8;
}

void avr_stack_moved(struct node *n, bool by_frame)
{
    struct avr_cpu *cpu = n->cpu;
    if (!by_frame)
        cpu->stack_low = avr_sp(n) < main_stack_low(n) ? AVR_STACK_ELSEWHERE : AVR_STACK_MAIN;
}

void avr_frame_made(struct node *n, uint32_t pc)
{
    const struct avr_cpu *cpu = n->cpu;
    uint32_t lowest = avr_sp(n) + 1;
    if (cpu->stack_low != AVR_STACK_ELSEWHERE && lowest < avr_stack_low(n))
        node_fault(n, FAULT_STACK_OVERFLOW, 2 * pc, lowest, 0);
}

/* Where the stack that a context switch has put at this address ends: at the start of the variable or the heap that
 * holds it; at the start of RAM where the image does not name what is there. */
static uint32_t own_stack_at(const struct node *n, uint16_t address)
{
    const struct image_symbol *s = image_symbol_at(n->machine->image, AVR_SPACE_DATA + address);
    bool holds = s && s->kind == IMAGE_SYMBOL_OBJECT && address < (s->address & 0xffff) + s->size;
    uint32_t heap_start = n->machine->stack_limit;
    if (holds)
        return s->address & 0xffff;
    return heap_start && address >= heap_start ? heap_start : n->machine->ram->first;
}

void avr_push_slow(struct node *n, uint32_t pc, uint16_t address, uint8_t value)
{
    struct avr_cpu *cpu = n->cpu;
    if (address >= n->machine->ram->first && address < n->machine->data_size) {
        if (cpu->stack_low == AVR_STACK_ELSEWHERE)
            cpu->stack_low = own_stack_at(n, address);
        if (address < avr_stack_low(n))
            node_fault(n, FAULT_STACK_OVERFLOW, 2 * pc, address, value);
    } else {
        node_fault(n, FAULT_STACK_OVERFLOW, 2 * pc, address, value);
    }
    if (address < FIRST_REGISTER && !taps_look(n, address, 1))
        n->data[address] = value; /* one fault is enough */
    else
        avr_store(n, pc, address, value);
    /* The caller counts down from here; a stack pointer of one byte then goes on at 0xff. */
    if (address == 0 && avr_short_stack_pointer(n->machine))
        n->data[AVR_SPH] = 1;
}
