/* Ways to read registers that motet cc must see on a Cortex-M, each exact in replay. With STOPS the ways that it cannot
 * see, one at a time: replay must stop there. Interrupts come meanwhile. */
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define RNG               0x4000d000u
#define TIMER0            0x40008000u
#define TIMER1            0x40009000u

struct rng {
    volatile uint32_t start, stop, unused[62], ready, gap[257];
    const volatile uint32_t value;
};
struct timer {
    uint32_t tasks[16], captures[6], gap[298], mode;
    uint32_t more[13];
    uint32_t cc[6];
};
#define RNG_STRUCT   ((struct rng *)RNG)
#define TIMER_STRUCT ((volatile struct timer *)TIMER1)

enum shape { ROUND, SQUARE, LAST = 255 };

volatile uint32_t sum, interrupts;
static volatile uint32_t *const places[] = {&REGISTER(TIMER1 + 0x544), &sum, &REGISTER(RNG + 0x508), &interrupts};
static uint32_t table[8] = {3, 1, 4, 1, 5, 9, 2, 6};

void interrupt_8(void)
{
    REGISTER(TIMER0 + 0x140) = 0;
    interrupts++;
    REGISTER(TIMER1 + 0x44) = 1; /* captures its count in CC[1] */
}

static uint32_t through(const volatile uint32_t *p)
{
    return *p;
}

static inline uint32_t late(volatile uint32_t *p, unsigned i)
{
    return p[i] + i[p];
}

#define BOTH(a, b) ((a) > (b) ? (a) : (b))

static void next_value(void)
{
    REGISTER(TIMER1 + 0x44) = 1;
}

static uint32_t simple(unsigned round)
{
    uint32_t v = REGISTER(RNG + 0x508);
    v += RNG_STRUCT->value ^ TIMER_STRUCT->cc[1];
    v = v * 3 + *places[round % 4];
    v += through(places[(round + 1) % 4]);
    v += late((volatile uint32_t *)(TIMER1 + 0x540), 1);
    v ^= ((volatile uint32_t *)TIMER1)[0x544 / 4];
    v += *(volatile uint8_t *)(TIMER1 + 0x544) + *(volatile uint16_t *)(TIMER1 + 0x544);
    v += (uint32_t) * (volatile int8_t *)(TIMER1 + 0x544) + (uint32_t) * (volatile int16_t *)(TIMER1 + 0x544);
    v += (uint32_t)(uintptr_t) * (void *volatile *)(TIMER1 + 0x544);
    v += *(volatile enum shape *)(TIMER1 + 0x544);
    v += *(volatile _Bool *)(TIMER1 + 0x544) ? 7 : 11;
    return v + sizeof(REGISTER(RNG + 0x508));
}

static uint32_t nested(unsigned round)
{
    uint32_t v = table[REGISTER(TIMER1 + 0x544) & 7], pair[] = {REGISTER(TIMER1 + 0x544), REGISTER(RNG + 0x508)};
    __typeof__(REGISTER(RNG + 0x508)) copy = REGISTER(TIMER1 + 0x544);
    v += BOTH(REGISTER(RNG + 0x508), REGISTER(TIMER1 + 0x544) & 0xff) + pair[round & 1] + copy;
    if (REGISTER(TIMER1 + 0x544) & 4 && REGISTER(RNG + 0x508) > 100)
        v = -v;
    switch (REGISTER(RNG + 0x508) & 3) {
    case 0: v += 5; break;
    case 1: v ^= REGISTER(TIMER1 + 0x544), v++; break;
    default: v--;
    }
    for (unsigned i = 0; i < (REGISTER(RNG + 0x508) & 3); i++)
        v += i;
    do
        next_value();
    while (REGISTER(TIMER1 + 0x544) & 1);
    (void)REGISTER(TIMER1 + 0x544);
    REGISTER(RNG + 0x508);
    *&v += *&REGISTER(TIMER1 + 0x544);
    return v;
}

/* CC[2] of TIMER1 is what is written there. */
static uint32_t updates(void)
{
    volatile uint32_t *run_time = &REGISTER(TIMER1 + 0x548);
    REGISTER(TIMER1 + 0x548) |= 4;
    REGISTER(TIMER1 + 0x548) += table[3];
    *run_time <<= 1;
    REGISTER(TIMER1 + 0x548) &= ~(uint32_t)REGISTER(RNG + 0x508);
    TIMER_STRUCT->cc[2] ^= 0x10;
    uint32_t v = (REGISTER(TIMER1 + 0x548) -= 1);
    *(volatile uint32_t *)&sum += v;
    return v + REGISTER(TIMER1 + 0x548);
}

#ifdef STOPS
extern void *memcpy(void *to, const void *from, unsigned long count);
struct bits {
    uint32_t low : 4, high : 28;
};
static void stops(void)
{
    static uint32_t *volatile plain = (uint32_t *)(TIMER1 + 0x544);
    uint32_t copy = 0;
    (void)copy, (void)plain;
#if STOPS == 1
    sum += *plain;
#elif STOPS == 2
    memcpy(&copy, plain, sizeof copy);
    sum += copy;
#elif STOPS == 3
    sum += ((volatile struct bits *)plain)->low;
#elif STOPS == 4
    sum += (uint32_t) * (volatile uint64_t *)plain;
#elif STOPS == 5
    ++*(volatile uint32_t *)plain;
#elif STOPS == 6
    __asm__ volatile("ldr %0, [%1]" : "=r"(copy) : "r"(plain));
    sum += copy;
#elif STOPS == 7
    __asm__ volatile("str %0, [%1]" ::"r"(copy), "r"(0xb0000)); /* program memory */
#endif
}
#endif

int main(void)
{
    REGISTER(RNG) = 1;
    for (unsigned n = 0; n < 2; n++) {
        REGISTER(TIMER0 + 0x1000 * n + 0x508) = 3;
        REGISTER(TIMER0 + 0x1000 * n + 0x510) = 0;
        REGISTER(TIMER0 + 0x1000 * n) = 1;
    }
    REGISTER(TIMER0 + 0x540) = 1771;
    REGISTER(TIMER0 + 0x200) = 1;
    REGISTER(TIMER0 + 0x304) = 1u << 16;
    REGISTER(0xe000e100) = 1u << 8;
    for (unsigned round = 0;; round++) {
        next_value();
        sum += simple(round);
        sum ^= nested(round);
        sum += updates();
#ifdef STOPS
        if (round == 6)
            stops();
#endif
    }
}
