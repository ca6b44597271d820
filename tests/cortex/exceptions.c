/* Exceptions, each of which says that it came: calls, tail-chaining, nesting by priority, faults, masks, floating-point
 * registers over a handler, interrupts inside of IT blocks. What is printed does not depend on time. */
#include <stdint.h>

#include "port.h"

#define REG(address) (*(volatile uint32_t *)(address))
#define SYST_CSR     REG(0xe000e010)
#define SYST_RVR     REG(0xe000e014)
#define SYST_CVR     REG(0xe000e018)
#define ICSR         REG(0xe000ed04)
#define SHCSR        REG(0xe000ed24)
#define CFSR         REG(0xe000ed28)
#define HFSR         REG(0xe000ed2c)
#define BFAR         REG(0xe000ed38)
#define CCR          REG(0xe000ed14)
#define ISER         REG(0xe000e100)
#define ISPR         REG(0xe000e200)
#define IPR          ((volatile uint8_t *)0xe000e400)
#define SHPR         ((volatile uint8_t *)0xe000ed18) /* of exception 4 and on */

static volatile uint32_t ticks, skip, mode;

static void say(const char *what, uint32_t value)
{
    port_print(what);
    port_put(' ');
    port_hex(value);
    port_put('\n');
}

static uint32_t ipsr(void)
{
    uint32_t v;
    __asm__ volatile("mrs %0, ipsr" : "=r"(v));
    return v;
}

void on_pendsv(void);
void on_pendsv(void)
{
    say("pendsv", ipsr());
}

/* The number is in the instruction before the return address. */
void svc_c(uint32_t *frame);
void svc_c(uint32_t *frame)
{
    say("svc", ((uint8_t *)(uintptr_t)frame[6])[-2]);
    frame[0] = frame[0] + frame[1];
    ICSR = 1u << 28; /* PendSV, after this */
    say("svc ends", ipsr());
}

__attribute__((naked)) void on_svc(void);
__attribute__((naked)) void on_svc(void)
{
    __asm__ volatile("tst lr, #4\n ite eq\n mrseq r0, msp\n mrsne r0, psp\n b svc_c");
}

void on_systick(void);
void on_systick(void)
{
    ticks++;
    if (mode == 1) { /* an interrupt of lower number, more urgent */
        SYST_CSR = 0;
        ICSR = 1u << 25;
        say("tick", ticks);
        ISPR = 1u << 3;
        __asm__ volatile("dsb\n isb");
        say("tick ends", ticks);
    }
}

void on_irq(void);
void on_irq(void)
{
    say("irq", ipsr());
}

void fault_c(uint32_t *frame);
void fault_c(uint32_t *frame)
{
    if (CFSR & 1u << 24)
        port_print("only Motet: ");
    else
        say("fault", ipsr());
    say("cfsr", CFSR);
    if (!(CFSR & 1u << 24))
        say("hfsr", HFSR);
    CFSR = 0xffffffff;
    HFSR = 0xffffffff;
    frame[6] += skip;
    frame[7] &= ~0x0600fc00u; /* no IT */
}

#define FAULT(name)                                                                          \
    __attribute__((naked)) void name(void);                                                  \
    __attribute__((naked)) void name(void)                                                   \
    {                                                                                        \
        __asm__ volatile("tst lr, #4\n ite eq\n mrseq r0, msp\n mrsne r0, psp\n b fault_c"); \
    }
FAULT(on_hard_fault)
FAULT(on_bus_fault)
FAULT(on_usage_fault)

static uint32_t call(uint32_t a, uint32_t b)
{
    register uint32_t r0 __asm__("r0") = a, r1 __asm__("r1") = b;
    __asm__ volatile("svc #42" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static void faults(void)
{
    skip = 2;
    __asm__ volatile("udf #1");
    SHCSR |= 7u << 16;
    __asm__ volatile("udf #2");
    skip = 4;
    __asm__ volatile("mov r0, #0x60000000\n ldr.w r1, [r0, #0x40]" ::: "r0", "r1");
    CCR |= 1u << 4;
    __asm__ volatile("mov r0, #0\n mov r1, #5\n sdiv r2, r1, r0" ::: "r0", "r1", "r2");
#ifndef QEMU /* which has no such trap */
    CCR |= 1u << 3;
    __asm__ volatile("add r0, sp, #1\n ldr.w r1, [r0]" ::: "r0", "r1");
#endif
    CCR &= ~(3u << 3);
    SHCSR &= ~(7u << 16);
}

/* A tick comes in the middle of blocks, again and again; what they compute must not change. */
static uint32_t blocks(uint32_t rounds)
{
    uint32_t sum = 1;
    for (uint32_t i = 0; i < rounds; i++)
        __asm__ volatile("lsls r3, %1, #31\n"
                         "ittee eq\n addeq %0, %0, #7\n lsleq %0, %0, #1\n eorne %0, %0, %1\n addne %0, %0, #3\n"
                         "cmp %0, %1\n itt hi\n subhi %0, %0, %1\n rorhi %0, %0, %1"
                         : "+r"(sum)
                         : "r"(i)
                         : "r3", "cc");
    return sum;
}

#ifdef __ARM_FP
static float floats(uint32_t rounds)
{
    float sum = 0;
    for (uint32_t i = 1; i < rounds; i++)
        sum += 1.0f / (float)i;
    return sum;
}
#endif

static uint32_t stack[128];
static void on_process_stack(void)
{
    uint32_t top = (uint32_t)(uintptr_t)(stack + 128), control;
    __asm__ volatile("msr psp, %0\n mov r2, #2\n msr control, r2\n isb\n"
                     "mov r0, #20\n mov r1, #30\n svc #7\n mov %1, r0\n"
                     "mov r2, #0\n msr control, r2\n isb"
                     : "+r"(top), "=r"(control)::"r0", "r1", "r2", "memory");
    say("from the process stack", control);
}

int main(void)
{
    say("call", call(1000, 24));
    faults();
    on_process_stack();

    __asm__ volatile("cpsid i");
    ICSR = 1u << 28;
    port_print("masked\n");
    __asm__ volatile("cpsie i\n isb");
    port_print("unmasked\n");

    IPR[3] = 0x20;
    IPR[4] = 0x60;
    IPR[5] = 0x40;
    SHPR[11] = 0x40; /* SysTick */
    ISER = 7u << 3;
    ISPR = 7u << 3; /* all at once: 3, 5, 4 */
    __asm__ volatile("dsb\n isb");

    mode = 1;
    SYST_RVR = 1000;
    SYST_CVR = 0;
    SYST_CSR = 7;
    __asm__ volatile("cpsid i");
    while (!ticks) /* the tick must not come between the question and the sleep */
        __asm__ volatile("wfi\n cpsie i\n isb\n cpsid i" ::: "memory");
    __asm__ volatile("cpsie i");

    __asm__ volatile("msr basepri, %0\n isb" ::"r"(0x20));
    ISPR = 1u << 4;
    __asm__ volatile("dsb\n isb");
    port_print("held by basepri\n");
    __asm__ volatile("msr basepri, %0\n isb" ::"r"(0));
    port_print("let go\n");

    mode = 2;
    SYST_RVR = 137;
    SYST_CVR = 0;
    SYST_CSR = 7;
    say("blocks", blocks(5000));
#ifdef __ARM_FP
    union {
        float f;
        uint32_t bits;
    } u = {floats(5000)};
    say("floats", u.bits);
#endif
    SYST_CSR = 0;
#ifndef QEMU /* whose time is the host's */
    port_print(ticks > 100 ? "only Motet: many ticks\n" : "only Motet: few ticks\n");
#endif
    port_end(0);
    return 0;
}
