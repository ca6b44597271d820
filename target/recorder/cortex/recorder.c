/* Events: what the cores of the entries do, as bytes in the ring. */
#include "recorder.h"

#include <stddef.h>

#include "../page.h"

#define CYCCTRL (*(volatile uint32_t *)0xe0001000u)
#define ICSR    (*(volatile uint32_t *)0xe000ed04u)
#define VTOR    (*(volatile uint32_t *)0xe000ed08u)
#define DEMCR   (*(volatile uint32_t *)0xe000edfcu)
enum { PENDING = 1 << 22 | 1 << 26 | 1 << 28 };

struct recorder motet_recorder;
/* The application's vectors, and those that lead here (entries.S fills them). */
uint32_t motet_vectors[CHIP_VECTORS] __attribute__((aligned(4 * CHIP_VECTORS)));

/* Where the recorder's stack begins, for entries.S. */
static __attribute__((used)) void recorder_name_stack(void)
{
    __asm__(".global motet_stack_end\n\t.set motet_stack_end, motet_recorder + %c0" ::"i"(
        offsetof(struct recorder, stack_end)));
}

/* ---- bytes ---- */

void events_byte(uint8_t byte)
{
    R.ring[R.head] = byte;
    R.head = R.head + 1 == MOTET_RING ? 0 : R.head + 1;
    R.fill++;
}

static void events_number(uint32_t number, unsigned bytes)
{
    for (; bytes; bytes--, number >>= 8)
        events_byte((uint8_t)number);
}

static void events_end_run(void)
{
    if (R.run)
        events_byte(R.run - 1);
    R.run = 0;
}

static void events_check(void)
{
    events_end_run();
    events_byte(WORDS_CHECK);
    events_number(R.guess.check, 2);
    R.unchecked = 0;
}

/* What comes next cannot be recorded. */
static void events_lose(void)
{
    events_end_run();
    events_byte(WORDS_LOST);
    events_check();
    R.state = LOST;
    pages_flush(PAGE_GAP);
}

/* Makes room for an event; false if nothing is recorded. The firmware waits for as much as is needed. The vectors must
 * still be those that lead here, or interrupts would be missing. */
static uint8_t events_ready(uint32_t size)
{
    if (R.state != RECORDING)
        return 0;
    if (VTOR != (uint32_t)motet_vectors || size > MOTET_RING / 2) {
        events_lose();
        return 0;
    }
    while (R.fill + size + EVENT_MOST > MOTET_RING)
        if (!pages_step(0)) {
            R.state = LOST;
            return 0;
        }
    R.count = 0;
    if (R.unchecked > 200)
        events_check();
    R.unchecked += (uint16_t)size;
    return 1;
}

/* A core is left that has recorded nothing. */
static void events_silent(void)
{
    if (R.state == RECORDING && ++R.count == 0xffff)
        R.state = LOST;
}

/* ---- reads ---- */

static uint32_t events_load(uint32_t address, uint32_t size)
{
    switch (size) {
    case 1: return *(volatile uint8_t *)address;
    case 2: return *(volatile uint16_t *)address;
    default: return *(volatile uint32_t *)address;
    }
}

uint32_t motet_load_work(uint32_t address, uint32_t size)
{
    uint32_t value = events_load(address, size);
    if (!events_ready(8))
        return value;
    uint32_t step = value - *words_last(&R.guess, address);
    if (value == *words_next(&R.guess, address)) {
        if (++R.run == WORDS_RUN_MOST)
            events_end_run();
    } else {
        events_end_run();
        if (value < 0x100) {
            events_byte(WORDS_READ_BYTE);
            events_number(value, 1);
        } else if (step + 0x80 < 0x100) {
            events_byte(WORDS_READ_NEAR);
            events_number(step, 1);
        } else if (step + 0x8000 < 0x10000) {
            events_byte(WORDS_READ_FAR);
            events_number(step, 2);
        } else {
            events_byte(WORDS_READ_WORD);
            events_number(value, 4);
        }
    }
    words_learn_read(&R.guess, address, value);
    return value;
}

/* ---- interrupts ---- */

enum {
    ON_PROCESS_STACK = 4, /* in EXC_RETURN */
    FRAME_LR = 5,         /* words of a frame */
    FRAME_ADDRESS = 6,
    FRAME_STATUS = 7,
    FRAME = 32,
    PUSHED = 32, /* by the stub */
    ENTRY_CYCLES = 12,
};

void motet_enter(void);

static void events_interrupt(const struct words_place *p)
{
    const struct words_place *was = words_known(&R.guess, p->vector);
    events_end_run();
    if (was->vector == p->vector && was->count == p->count && was->cycles == p->cycles && was->address == p->address &&
        was->sp == p->sp) {
        events_byte(WORDS_AGAIN);
        events_byte((uint8_t)p->vector);
    } else {
        events_byte(WORDS_INTERRUPT);
        events_number(p->vector, 2);
        events_number(p->count, 2);
        events_number(p->cycles, 4);
        events_number(p->address, 4);
        events_number(p->sp, 4);
    }
    words_learn_interrupt(&R.guess, p);
}

static uint32_t enter_process_stack(void)
{
    uint32_t sp;
    __asm__ volatile("mrs %0, psp" : "=r"(sp));
    return sp;
}

/* Where an exception came that has this frame, and began so many cycles after the last core. If it came before the
 * first instruction of another one's stub, that one came first, and will find that it is noted. */
static void enter_note(uint32_t vector, uint32_t frame, uint32_t cycles, uint16_t count)
{
    const uint32_t *at = (const uint32_t *)frame;
    uint32_t outer = at[FRAME_STATUS] & 0x1ff, bit = 1u << outer % 32, *noted = &R.noted[outer / 32 % 8];
    if (at[FRAME_ADDRESS] == ((uint32_t)motet_enter & ~1u) && !(*noted & bit)) {
        uint32_t above = frame + FRAME + (at[FRAME_STATUS] >> 9 & 1) * 4;
        *noted |= bit;
        enter_note(outer, at[FRAME_LR] & ON_PROCESS_STACK ? enter_process_stack() : above, cycles - ENTRY_CYCLES,
                   count);
        count = 0;
    }
    if (!events_ready(EVENT_MOST))
        return;
    events_interrupt(&(struct words_place){
        .vector = (uint16_t)vector, .count = count, .cycles = cycles, .address = at[FRAME_ADDRESS], .sp = frame});
}

/* `sp` is the stack pointer in the stub, `exit` its EXC_RETURN. */
void motet_enter_work(uint32_t cycles, uint32_t sp, uint32_t exit)
{
    uint32_t vector;
    __asm__ volatile("mrs %0, ipsr" : "=r"(vector));
    uint32_t bit = 1u << vector % 32, *noted = &R.noted[vector / 32 % 8];
    if (*noted & bit) {
        *noted &= ~bit;
        events_silent();
        return;
    }
    enter_note(vector, exit & ON_PROCESS_STACK ? enter_process_stack() : sp + PUSHED, cycles - R.stamp, R.count);
}

/* ---- memory that hardware filled ---- */

static uint32_t events_same(const uint8_t *bytes, uint32_t left)
{
    uint32_t n = 1;
    while (n < left && n < 129 && bytes[n] == bytes[0])
        n++;
    return n;
}

void motet_block_work(const uint8_t *bytes, uint32_t size)
{
    if (!events_ready(size > MOTET_RING ? MOTET_RING : 2 * size + EVENT_MOST))
        return;
    events_end_run();
    events_byte(WORDS_BLOCK);
    words_note(&R.guess, size);
    for (uint32_t i = 0; i < size; i++)
        words_note(&R.guess, bytes[i]);
    while (size) {
        uint32_t n = events_same(bytes, size), same = n > 2;
        while (!same && n < size && n < 128 && events_same(bytes + n, size - n) <= 2)
            n++;
        events_byte((uint8_t)(same ? 0x80 + n - 2 : n - 1));
        for (uint32_t i = 0; i < (same ? 1 : n); i++)
            events_byte(bytes[i]);
        bytes += n;
        size -= n;
    }
}

/* ---- idle, flush, freeze: without an event, as far as replay is concerned ---- */

/* Before sleep, as long as no interrupt waits. */
void motet_idle_work(void)
{
    events_silent();
    if (R.state == RECORDING && flash_memory_is_lost())
        events_lose();
    while (R.state != NOT_BEGUN && !(ICSR & PENDING) && pages_step(0))
        ;
}

void motet_flush_work(void)
{
    if (R.state == RECORDING)
        events_check();
    events_silent();
    if (R.state != NOT_BEGUN)
        pages_flush(0);
}

void motet_freeze_work(void)
{
    if (R.state != RECORDING)
        return;
    events_end_run();
    events_byte(WORDS_FROZEN);
    events_check();
    R.state = FROZEN;
    pages_flush(PAGE_FROZEN);
}

/* ---- the start ---- */

static void boot_clear(uint8_t *from, uint8_t *to)
{
    while (from < to)
        *from++ = 0;
}

/* Memory that start-up code does not initialise holds anything. It is cleared, but for the stack in use, so that what
 * is executed does not depend on it; replay does the same. */
static void boot_clear_rest(uint8_t *sp)
{
    uint8_t *first = (uint8_t *)CHIP_RAM_FIRST, *end = (uint8_t *)CHIP_RAM_LAST + 1;
    boot_clear(first, sp < motet_ram_first ? sp : motet_ram_first);
    boot_clear(motet_ram_last, sp >= motet_ram_last ? sp : end);
}

/* Returns where the application's vectors are. */
uint32_t motet_boot_work(uint8_t *sp)
{
    uint32_t vectors = VTOR;
    const uint8_t *own = (const uint8_t *)&motet_recorder, *after = own + sizeof motet_recorder;
    uint16_t crc = pages_crc(0, motet_ram_first, (uint32_t)(own - motet_ram_first));
    crc = pages_crc(crc, after, (uint32_t)(motet_ram_last - after));
    boot_clear_rest(sp);
    DEMCR |= 1u << 24; /* TRCENA, for the cycle counter */
    CYCCTRL |= 1;
    R.state = RECORDING;
    pages_begin();
    if (R.state != RECORDING)
        return vectors;
    events_byte(WORDS_BEGIN);
    events_number(crc, 2);
    words_note(&R.guess, crc);
    return vectors;
}
