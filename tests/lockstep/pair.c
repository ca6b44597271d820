#include "pair.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <simavr/sim_avr.h>
#include <simavr/sim_core.h>

#include "isa/avr/avr.h"

/* simavr's messages go nowhere: whatever it complains of shows as a difference. */
static void quiet(avr_t *avr, const int level, const char *format, va_list arguments)
{
    (void)avr, (void)level, (void)format, (void)arguments;
}

static void no_sleep(avr_t *avr, avr_cycle_count_t cycles)
{
    (void)avr, (void)cycles;
}

bool pair_open(struct pair *p, struct machine *m, const char *name, bool plain_io)
{
    avr_global_logger_set(quiet);
    *p = (struct pair){.machine = m, .plain_io = plain_io};
    p->avr = avr_make_mcu_by_name(name);
    if (!p->avr) {
        fprintf(stderr, "simavr has no chip %s\n", name);
        return false;
    }
    avr_init(p->avr);
    p->avr->sleep = no_sleep;
    avr_loadcode(p->avr, m->flash, m->code_size, 0);
    p->avr->codeend = m->code_size;
    if (plain_io)
        memset(p->avr->io, 0, sizeof p->avr->io);
    p->node = node_new(m, 0, 1);
    for (int i = 0; i < FAULT_KINDS; i++)
        p->node->fault_action[i] = FAULT_IGNORE;
    /* Reset values of I/O registers are not under test. */
    memset(p->avr->data, 0, m->ram->first);
    if (plain_io)
        memset(p->node->data, 0, m->ram->first);
    SET_SREG_FROM(p->avr, 0);
    p->avr->interrupt_state = 0;
    p->avr->data[R_SPL] = p->node->data[AVR_SPL];
    p->avr->data[R_SPH] = p->node->data[AVR_SPH];
    return true;
}

void pair_close(struct pair *p)
{
    if (p->avr)
        avr_terminate(p->avr);
    if (p->node)
        node_free(p->node);
    machine_free(p->machine);
}

void pair_poke(struct pair *p, unsigned address, uint8_t value)
{
    p->node->data[address] = value;
    p->avr->data[address] = value;
    if (address == AVR_SREG)
        SET_SREG_FROM(p->avr, value);
}

void pair_jump(struct pair *p, uint32_t pc)
{
    isa_avr.set_pc(p->node, 2 * pc);
    p->avr->pc = 2 * pc;
}

uint32_t pair_pc(const struct pair *p)
{
    return isa_avr.pc(p->node) / 2;
}

uint16_t pair_opcode(const struct pair *p, uint32_t pc)
{
    pc &= p->machine->code_size / 2 - 1;
    const uint8_t *f = p->machine->flash + 2 * pc;
    return (uint16_t)(f[0] | f[1] << 8);
}

static uint8_t simavr_byte(const struct pair *p, unsigned address)
{
    uint8_t sreg;
    if (address != AVR_SREG)
        return p->avr->data[address];
    READ_SREG_INTO(p->avr, sreg);
    return sreg;
}

static bool compared(const struct pair *p, unsigned address)
{
    return p->plain_io || address < 0x20 || (address >= AVR_SPL && address <= AVR_SREG) ||
           address >= p->machine->ram->first;
}

static bool same_data(const struct pair *p)
{
    unsigned low = p->plain_io ? AVR_SREG : 0x20, ram = p->plain_io ? AVR_SREG + 1u : p->machine->ram->first;
    const uint8_t *ours = p->node->data, *theirs = p->avr->data;
    return memcmp(ours, theirs, low) == 0 && memcmp(ours + AVR_SPL, theirs + AVR_SPL, 2) == 0 &&
           ours[AVR_SREG] == simavr_byte(p, AVR_SREG) &&
           memcmp(ours + ram, theirs + ram, p->machine->data_size - ram) == 0;
}

static void print_difference(const struct pair *p, uint32_t pc, uint64_t cycles, uint64_t simavr_cycles)
{
    char text[64];
    isa_avr.disassemble(p->machine->flash + 2 * pc, p->machine->code_size - 2 * pc, 2 * pc, text, sizeof text);
    printf("instruction %llu at 0x%x: %04x %04x  %s\n", (unsigned long long)p->steps, 2 * pc, pair_opcode(p, pc),
           pair_opcode(p, pc + 1), text);
    printf("%-12s %8s %8s\n", "", "motet", "simavr");
    for (unsigned at = 0; at < p->machine->data_size; at++)
        if (compared(p, at) && p->node->data[at] != simavr_byte(p, at))
            printf("data[0x%04x] %8.2x %8.2x\n", at, p->node->data[at], simavr_byte(p, at));
    if (2 * pair_pc(p) != p->avr->pc)
        printf("%-12s %8x %8x\n", "pc", 2 * pair_pc(p), (unsigned)p->avr->pc);
    if (cycles != simavr_cycles)
        printf("%-12s %8llu %8llu\n", "cycles", (unsigned long long)cycles, (unsigned long long)simavr_cycles);
}

/* ---- what simavr is known to do otherwise: the headings are those of docs/simavr-differences.md ---- */

static bool is_skip(uint16_t o)
{
    bool cpse = (o & 0xfc00) == 0x1000, sbrc_sbrs = (o & 0xfc08) == 0xfc00, sbic_sbis = (o & 0xfd00) == 0x9900;
    return cpse || sbrc_sbrs || sbic_sbis;
}

/* "A skip takes ADIW and SBIW for two words" */
static bool skip_differs(uint16_t o, uint16_t next)
{
    return is_skip(o) && (next & 0xfe0c) == 0x960c;
}

/* "Branches over the ends of flash" */
static bool branch_differs(const struct pair *p, uint32_t pc, uint16_t o)
{
    int32_t offset = (o >> 3 & 0x3f) - (o >> 3 & 0x40);
    return (o & 0xf800) == 0xf000 && pc + 1 + (uint32_t)offset >= p->machine->code_size / 2;
}

static bool known_to_differ(const struct pair *p, uint32_t pc)
{
    uint16_t o = pair_opcode(p, pc);
    return skip_differs(o, pair_opcode(p, pc + 1)) || branch_differs(p, pc, o);
}

/* The manual is on our side (tests/unit/avr_opcodes.c): simavr goes on from our state. */
static void adopt(struct pair *p, uint64_t cycle)
{
    memcpy(p->avr->data, p->node->data, p->machine->data_size);
    SET_SREG_FROM(p->avr, p->node->data[AVR_SREG]);
    p->avr->pc = 2 * pair_pc(p);
    p->avr->cycle = cycle;
}

bool pair_step(struct pair *p)
{
    uint32_t pc = pair_pc(p);
    uint64_t now = p->node->state->now, simavr_now = p->avr->cycle;
    p->node->state->halt_at = 0;
    node_step(p->node);
    p->avr->state = cpu_Running;
    p->avr->run_cycle_count = 0; /* one instruction, no more */
    p->avr->pc = avr_run_one(p->avr);
    p->avr->interrupt_state = 0;
    p->steps++;
    if (known_to_differ(p, pc))
        adopt(p, simavr_now + p->node->state->now - now);
    uint64_t cycles = p->node->state->now - now, simavr_cycles = p->avr->cycle - simavr_now;
    if (same_data(p) && 2 * pair_pc(p) == p->avr->pc && cycles == simavr_cycles)
        return true;
    print_difference(p, pc, cycles, simavr_cycles);
    return false;
}
