/* Ways to read a register that are easily overlooked: CASE selects one. */
#include <stdint.h>
#include <string.h>

static volatile uint16_t ticks, odd, mixed;

#ifdef __AVR__
#include <avr/eeprom.h>

#define NUMBER 0x52 /* TCNT0 */
#define READ   "in %0, 0x32"
#else
#define NUMBER 0x190 /* TBR */
#endif

#include "../record/waker.h"

#if CASE == 1 /* a plain pointer made of a number */
static uint8_t *from = (uint8_t *)NUMBER;
static uint16_t get(void)
{
    return *from;
}
#elif CASE == 2  /* the same as an argument */
__attribute__((noinline)) static uint16_t follow(const uint8_t *from)
{
    return *from;
}
static uint16_t get(void)
{
    return follow((const uint8_t *)NUMBER);
}
#elif CASE == 3  /* as a return value */
__attribute__((noinline)) static uint8_t *where(void)
{
    return (uint8_t *)NUMBER;
}
static uint16_t get(void)
{
    return *where();
}
#elif CASE == 4  /* as a member, and in a table */
static const struct port {
    uint8_t *in, *out;
} ports[] = {{(uint8_t *)NUMBER, 0}};
static uint16_t get(void)
{
    return *ports[ticks & 0].in;
}
#elif CASE == 5  /* as a pointer to void */
static void *volatile from = (void *)NUMBER;
static uint16_t get(void)
{
    return *(uint8_t *)from;
}
#elif CASE == 6  /* a number that the run makes a pointer */
static volatile uintptr_t number = NUMBER;
static uint16_t get(void)
{
    const uint8_t *from = (const uint8_t *)number;
    return *from;
}
#elif CASE == 7  /* four bytes through a volatile pointer */
static volatile uint32_t *volatile from = (volatile uint32_t *)NUMBER;
static uint16_t get(void)
{
    return (uint16_t)(*from ^ *from >> 16);
}
#elif CASE == 8  /* eight bytes, and a float */
static volatile uint64_t *volatile from = (volatile uint64_t *)NUMBER;
static volatile float *volatile real = (volatile float *)NUMBER;
static float kept;
static uint16_t get(void)
{
    kept = *real;
    return (uint16_t)(*from ^ *from >> 32);
}
#elif CASE == 9  /* wide variables of the program through pointers are no registers */
static volatile uint32_t wide = 77;
static volatile uint32_t *volatile from = &wide;
static uint16_t get(void)
{
    wide += COUNTER;
    return (uint16_t)(*from + (*from >> 16));
}
#elif CASE == 10 /* a copy, by functions that know nothing of registers */
static uint16_t get(void)
{
    char bytes[4];
    strncpy(bytes, (const char *)NUMBER, sizeof bytes);
    return (uint16_t)(bytes[0] + strnlen((const char *)NUMBER, 2));
}
#elif CASE == 11 /* a copy that is recorded */
static uint16_t get(void)
{
    uint8_t bytes[2];
    memcpy(bytes, (const void *)NUMBER, sizeof bytes);
    memmove(bytes, (const void *)NUMBER, 1);
    return bytes[0];
}
#elif CASE == 12 /* a register that the linker places: give --defsym=placed=NUMBER */
extern volatile uint8_t placed;
static uint16_t get(void)
{
    return placed;
}
#elif CASE == 22 /* a section that the linker places: give --section-start=.ports=NUMBER */
__asm__(".section .ports,\"aw\",@nobits\n\t.global placed_port\nplaced_port:\n\t.space 2\n\t.text");
extern volatile uint8_t placed_port;
static uint16_t get(void)
{
    return placed_port;
}
#elif CASE == 13 /* assembly of the whole file */
#ifdef __AVR__
__asm__(".text\nread_it:\n\tin r24, 0x32\n\tclr r25\n\tret");
#else
__asm__(".text\nread_it:\n\tmov &0x190, r12\n\tret");
#endif
uint16_t read_it(void);
static uint16_t get(void)
{
    return read_it();
}
#elif CASE == 14 /* attributes that place a variable */
#ifdef __AVR__
volatile uint8_t placed __attribute__((io(0x52)));
#else
volatile uint16_t placed __asm__("0x0190");
#endif
static uint16_t get(void)
{
    return placed;
}
#elif CASE == 15
#ifdef __AVR__
volatile uint8_t placed __attribute__((address(0x52)));
#else
#define placed (*(volatile uint8_t *)0x190)
#endif
static uint16_t get(void)
{
    return placed;
}
#elif CASE == 16 /* EEPROM by a name in parentheses */
#ifdef __AVR__
static uint16_t get(void)
{
    return (eeprom_read_byte)((const uint8_t *)3);
}
#else
static uint16_t get(void)
{
    return *(uint8_t *)0x190;
}
#endif
#elif CASE == 17 /* and through a pointer */
#ifdef __AVR__
static uint8_t (*volatile read)(const uint8_t *) = eeprom_read_byte;
static uint16_t get(void)
{
    return read((const uint8_t *)3);
}
#else
static uint16_t get(void)
{
    return ((volatile uint8_t *)0x100)[0x90 + (ticks & 0)];
}
#endif
#elif CASE == 18               /* a painted stack */
static uint16_t get(void)
{
    const volatile uint8_t *here = (const volatile uint8_t *)__builtin_frame_address(0) - 160;
    uint16_t same = 0;
    for (uint8_t i = 0; ticks > 9 && i < 120; i++)
        same += here[i] == 0xc5;
    return same;
}
#elif CASE == 19               /* the stack is painted, and later searched for how deep it has been */
static uint8_t painted;
static uint16_t get(void)
{
    volatile uint8_t *here = (volatile uint8_t *)__builtin_frame_address(0) - 200;
    uint16_t same = 0;
    for (uint8_t i = 0; !painted && i < 160; i++)
        here[i] = 0xc5;
    painted = 1;
    while (ticks > 9 && same < 160 && here[same] == 0xc5)
        same++;
    return same;
}
#elif CASE == 20 || CASE == 21 /* a second stack: assembly in a function, and of the whole file */
uint8_t other_stack[200];
uint16_t stacks[2], counted;
void swap_stacks(uint16_t *keep, uint16_t to);
#ifdef __AVR__
#define SWAP                                                                                                         \
    "push r28\n\tpush r29\n\tpush r16\n\tpush r17\n\tmovw r30, r24\n\tin r24, 0x3d\n\tin r25, 0x3e\n\tst Z, r24\n\t" \
    "std Z+1, r25\n\tin r0, 0x3f\n\tcli\n\tout 0x3e, r23\n\tout 0x3f, r0\n\tout 0x3d, r22\n\tpop r17\n\tpop r16\n\t" \
    "pop r29\n\tpop r28\n\tret"
#define KEPT 4
#else
#define SWAP                                                                                                           \
    "push r10\n\tpush r9\n\tpush r8\n\tpush r7\n\tmov r1, 0(r12)\n\tmov r13, r1\n\tpop r7\n\tpop r8\n\tpop r9\n\tpop " \
    "r10\n\tret"
#define KEPT 8
#endif
#if CASE == 20
__attribute__((naked, noinline)) void swap_stacks(uint16_t *keep, uint16_t to)
{
    __asm__ volatile(SWAP);
}
#else
__asm__(".text\nswap_stacks:\n\t" SWAP);
#endif
static void other(void)
{
    for (;;) {
        for (uint8_t i = 0; i < 10; i++)
            counted += COUNTER;
        swap_stacks(&stacks[1], stacks[0]);
    }
}
static uint16_t get(void)
{
    if (!stacks[1]) {
        uint16_t at = (uint16_t)(uintptr_t)other;
        uint8_t *top = other_stack + sizeof other_stack - 16;
#ifdef __AVR__
        top[KEPT + 1] = at >> 8; /* as CALL leaves it, with the stack pointer below */
        top[KEPT + 2] = (uint8_t)at;
#else
        top[KEPT] = (uint8_t)at;
        top[KEPT + 1] = at >> 8;
#endif
        stacks[1] = (uint16_t)(uintptr_t)top;
    }
    swap_stacks(&stacks[0], stacks[1]);
    return counted;
}
#endif

int main(void)
{
    begin();
    for (;;) {
        for (uint8_t i = 0; i < 40; i++)
            mixed ^= COUNTER;
        if (get() & 1)
            odd++;
        wait();
    }
}
