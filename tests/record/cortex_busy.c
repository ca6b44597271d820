/* Firmware for the nRF52840 that never rests: timers with three priorities interrupt each other, loops, recursion,
 * conditional and floating-point code; PendSV, SVC and SysTick; reads of registers of all widths; and sleep, at times.
 */
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define TIMER(n)          (0x40008000u + 0x1000u * (n))
#define RNG               0x4000d000u

extern uint32_t data_load, data_start, data_end, bss_start, bss_end, stack_top;
int main(void);
void _start(void);

static volatile uint32_t ticks[4], pended, called, systicks;
static uint32_t random_state = 1;
static float level = 1;

/* ---- handlers ---- */

static void timer_handler(unsigned n)
{
    REGISTER(TIMER(n) + 0x140) = 0;
    ticks[n] += REGISTER(TIMER(n) + 0x540) & 1;
    REGISTER(TIMER(n) + 0x44) = 1; /* capture 1 */
    random_state ^= REGISTER(TIMER(n) + 0x544) << n;
    if (ticks[n] % 7 == n)
        REGISTER(0xe000ed04) = 1u << 28; /* PendSV */
    for (volatile unsigned i = 0; i < n * 9; i++)
        ;
}

static void timer0(void)
{
    timer_handler(0);
}

static void timer1(void)
{
    timer_handler(1);
    level = level * 1.001f + 0.5f;
}

static void timer2(void)
{
    timer_handler(2);
}

static void pendsv(void)
{
    pended++;
}

static void svcall(void)
{
    called++;
}

static void systick(void)
{
    systicks += (REGISTER(0xe000e018) & 0xff) + *(volatile uint16_t *)0xe000e018 % 3 + *(volatile uint8_t *)0xe000e018;
}

static void unexpected(void)
{
    for (;;)
        ;
}

typedef void handler(void);
__attribute__((section(".vectors"), used)) static handler *const vectors[64] = {(handler *)&stack_top,
                                                                                _start,
                                                                                [2 ... 10] = unexpected,
                                                                                [11] = svcall,
                                                                                [12 ... 13] = unexpected,
                                                                                [14] = pendsv,
                                                                                [15] = systick,
                                                                                [16 ... 23] = unexpected,
                                                                                [24] = timer0,
                                                                                [25] = timer1,
                                                                                [26] = timer2,
                                                                                [27 ... 63] = unexpected};

void _start(void)
{
    for (uint32_t *to = &data_start, *from = &data_load; to < &data_end;)
        *to++ = *from++;
    for (uint32_t *to = &bss_start; to < &bss_end;)
        *to++ = 0;
    main();
}

/* ---- what is interrupted ---- */

static uint32_t next(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

static uint32_t depth(uint32_t n)
{
    volatile uint32_t here[3] = {n, n ^ 5, 3};
    return n ? here[n % 3] + depth(n - 1) : here[1];
}

static uint32_t words[32];

static void sort(void)
{
    for (unsigned i = 0; i < 32; i++)
        words[i] = next();
    for (unsigned i = 1; i < 32; i++)
        for (unsigned k = i; k && words[k] < words[k - 1]; k--) {
            uint32_t was = words[k];
            words[k] = words[k - 1];
            words[k - 1] = was;
        }
}

static float root(float of)
{
    float x = of;
    for (unsigned i = 0; i < 12; i++)
        x = 0.5f * (x + of / x);
    return x;
}

static void start_timer(unsigned n, uint32_t every, uint8_t priority)
{
    REGISTER(TIMER(n) + 0x508) = 3; /* 32 bits */
    REGISTER(TIMER(n) + 0x510) = 0; /* 16 MHz */
    REGISTER(TIMER(n) + 0x540) = every;
    REGISTER(TIMER(n) + 0x200) = 1; /* cleared by the compare */
    REGISTER(TIMER(n) + 0x304) = 1u << 16;
    *(volatile uint8_t *)(0xe000e400u + 8 + n) = priority;
    REGISTER(0xe000e100) = 1u << (8 + n);
    REGISTER(TIMER(n)) = 1;
}

volatile uint32_t result;

int main(void)
{
    REGISTER(0xe000ed88) |= 0xf << 20; /* the floating-point unit */
    __asm__ volatile("dsb\n\tisb");
    REGISTER(0xe000ed20) = 0xe0u << 16 | 0xa0u << 24; /* priorities of PendSV and SysTick */
    REGISTER(RNG) = 1;
    start_timer(0, 3517, 0x20);
    start_timer(1, 2203, 0x60);
    start_timer(2, 4099, 0xa0);
    REGISTER(0xe000e014) = 20011;
    REGISTER(0xe000e010) = 7;
    for (unsigned round = 0;; round++) {
        sort();
        result += depth(next() % 9) + (uint32_t)root((float)(next() % 1000 + 1) + level);
        result = result > 1u << 30 ? result - (1u << 30) : result / 3 + words[round % 32];
        if (round % 5 == 0)
            __asm__ volatile("svc 0");
        if (REGISTER(RNG + 0x100)) {
            REGISTER(RNG + 0x100) = 0;
            random_state += REGISTER(RNG + 0x508);
        }
        if (round % 11 == 0)
            __asm__ volatile("wfi");
        if (round % 13 == 0) {
            __asm__ volatile("cpsid i");
            result ^= depth(7);
            __asm__ volatile("cpsie i");
        }
    }
}
