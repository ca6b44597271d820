/* A ring that DMA fills while the program reads it, as Contiki receives from its serial port: each byte is of a moment
 * that nothing else in the log tells. Also a word that DMA writes again and again, and a look at bytes that may not
 * have come yet. What is read decides how the program goes on. */
#include <msp430.h>
#include <stdint.h>

enum { BYTES = 16 };
static uint8_t ring[BYTES];
static uint16_t latest;
static uint16_t last = BYTES;
static volatile uint8_t due;
static uint16_t sum, early;

static void begin(void)
{
    DMACTL0 = DMA0TSEL_2 | DMA1TSEL_2; /* both at TBCCR2 */
    DMA0SA = (unsigned)(uintptr_t)&TAR;
    DMA0DA = (unsigned)(uintptr_t)&ring;
    DMA0SZ = BYTES;
    DMA0CTL = DMADT_4 | DMASBDB | DMADSTINCR_3 | DMAEN;
    DMA1SA = (unsigned)(uintptr_t)&TAR;
    DMA1DA = (unsigned)(uintptr_t)&latest;
    DMA1SZ = 1;
    DMA1CTL = DMADT_4;
    DMA1CTL |= DMAEN;
}

static void take(void)
{
    uint16_t left = DMA0SZ;
    while (last != left) {
        for (uint8_t n = ring[BYTES - last] % 5; n; n--)
            sum += TBR & 1;
        last--;
        if (!last)
            last = BYTES;
    }
    if (ring[BYTES - last] & 1) /* the next byte: an old one, or already a new one */
        early++;
    if (latest & 4)
        sum += latest;
}

INTERRUPT_WAKING(TIMERB0_VECTOR, tick)
{
    due++;
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    BCSCTL1 = 0x87;
    DCOCTL = 0xa0;
    TACTL = TASSEL_2 | MC_2;
    TBCCR0 = 61;
    TBCCR2 = 9;
    begin();
    TBCTL = TBSSEL_1 | MC_1;
    TBCCTL0 = CCIE;
    __eint();
    for (;;) {
        take();
        __dint();
        while (due < 3) {
            __bis_SR_register(GIE | CPUOFF);
            __dint();
        }
        due = 0;
        __eint();
    }
}
