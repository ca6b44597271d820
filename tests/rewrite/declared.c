/* As C for msp430-gcc looks after its preprocessor: registers by their numbers, functions built into the compiler only
 * declared, attributes that clang does not know. */
typedef unsigned char uint8_t;
typedef unsigned int uint16_t;
void __nop(void);
void __dint(void);
void __eint(void);
unsigned int __read_status_register(void);
void __bis_status_register(unsigned int bits);

static volatile uint16_t WDTCTL __asm__("0x0120");
static volatile uint8_t DCOCTL __asm__("0x0056");
static volatile uint8_t BCSCTL1 __asm__("0x0057");
volatile uint16_t TBCTL __asm__("0x0180");
volatile uint16_t TBCCTL0 __asm__("0x0182");
volatile uint16_t TBR __asm__("0x0190");
volatile uint16_t TBCCR0 __asm__("0x0192");

static uint16_t fired, sum, due;

static inline uint8_t pin(void)
{
    static volatile uint8_t r __asm__("0x0020");
    return r & (1 << 7);
}

static inline uint8_t atomic_start(void)
{
    uint8_t on = (__read_status_register() & 0x0008) != 0;
    __dint();
    __nop();
    return on;
}

static inline void atomic_end(uint8_t on)
{
    if (on)
        __eint();
}

void sig_TIMERB0_VECTOR(void) __attribute((wakeup)) __attribute((interrupt(26)));
void sig_TIMERB0_VECTOR(void)
{
    TBCCR0 += 150 + (sum & 127);
    fired++;
    due = 1;
}

static uint16_t counter(void)
{
    uint16_t t0, t1 = TBR;
    do {
        t0 = t1;
        t1 = TBR;
    } while (t0 != t1);
    return t1;
}

int main(void)
{
    WDTCTL = 0x5a80;
    BCSCTL1 = 0x87;
    DCOCTL = 0xa0;
    TBCCR0 = 200;
    TBCCTL0 = 0x0010;
    TBCTL = 0x0120;
    __eint();
    for (;;) {
        uint8_t on = atomic_start();
        while (!due) {
            __bis_status_register(0x0018);
            __dint();
        }
        due = 0;
        atomic_end(1);
        sum += counter() + pin() + on;
        for (uint8_t n = sum & 15; n; n--)
            sum += TBR;
        for (uint8_t i = 0; i < 20; i++)
            sum = sum * 3 + i;
    }
}
