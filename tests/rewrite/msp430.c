/* What motet cc makes of each way to read a register of an MSP430; as avr.c. */
#include <msp430.h>
#include <stdint.h>

#include "../../target/include/motet.h"

extern void use(uint16_t v);
volatile uint8_t flag;

int direct(void)
{
    return IFG2 & URXIFG1; //= IFG2 0x10
}

uint16_t array(uint8_t i)
{
    return ADC12MEM[i]; //= ADC12MEM0 0xffff
}

uint16_t array_element(void)
{
    return ADC12MEM[3]; //= ADC12MEM3 0x0fff
}

int16_t negative(void)
{
    int16_t v = TAR; //= TAR 0xffff
    return v >> 12 & 0x0f;
}

int vector(void)
{
    switch (TAIV) { //= TAIV 0x000e
    case 2: return 1;
    default: return 0;
    }
}

void none(void)
{
    TACCR0 += 100;
    P1IFG &= ~1;
    TACTL = TASSEL_2 | MC_2 | TACLR;
    use(P1OUT);
    use(RESLO);
}

void polls(void)
{
    while (!(IFG1 & UTXIFG0)) //= poll
        ;
    while (ADC12CTL1 & ADC12BUSY) //= poll
        ;
    for (;;) //= poll
        if (IFG1 & UTXIFG0)
            break;
}

uint16_t steady(void)
{
    uint16_t a, b;
    do {
        a = TBR;
        b = TBR;      //= TBR 0xffff
    } while (a != b); //= poll
    return a;
}

uint16_t steady_as_tinyos_has_it(void)
{
    uint16_t a, b = TAR;
    do {
        a = b;
        b = TAR;      //= TAR 0xffff
    } while (a != b); //= poll
    return b;
}

uint16_t not_steady(void)
{
    uint16_t a, b, n = 0;
    do {
        a = TBR; //= TBR 0xffff
        b = TBR; //= TBR 0xffff
        n++;
    } while (a != b);
    return n;
}

static uint16_t seen;
uint16_t steady_elsewhere(void)
{
    uint16_t a;
    do {
        seen = TBR; //= TBR 0xffff
        a = TBR;    //= TBR 0xffff
    } while (a != seen);
    return a;
}

/* ---- structures over registers, and other ways TinyOS and its compilers have ---- */
typedef struct {
    unsigned ccifg : 1;
    unsigned cov : 1;
    unsigned out : 1;
    unsigned cci : 1;
    unsigned ccie : 1;
    unsigned rest : 11;
} control_t;

control_t copied(void)
{
    return *(control_t *)&TACCTL1; //= TACCTL1 0x040b
}

int fields(void)
{
    if (((control_t *)&TACCTL0)->cov) //= TACCTL0 0x0001
        return 1;
    if ((*(volatile control_t *)0x186).ccie)
        return 2;
    return (*(volatile control_t *)&TBCCTL2).cci; //= TBCCTL2 0x0001
}

void field_written(void)
{
    ((volatile control_t *)&TACCTL0)->ccie = 1;
}

uint16_t through_a_union(void)
{
    union {
        uint16_t f;
        control_t t;
    } c = {.f = TACCTL2}; //= TACCTL2 0x040b
    return c.t.ccifg;
}

uint16_t not_volatile(uint8_t i)
{
    return *((uint16_t *)0x140 + i); //= ADC12MEM0 0xffff
}

static volatile uint8_t U1RXBUFnr __asm__("0x007f");
static volatile uint8_t IFG2nr __asm__("0x0003");
uint8_t by_number(void)
{
    U1RXBUFnr = 1;
    if (IFG2nr & 0x10) //= IFG2 0x10
        return 1;
    return 0;
}

static inline uint8_t tinyos_pin(void)
{
    static volatile uint8_t r __asm__("0x0028");
    return r & (1 << 7); //= P2IN 0x80
}
static inline void tinyos_pin_not_used(void)
{
    static volatile uint8_t r __asm__("0x0019");
    r |= 1 << 1;
}
static inline void tinyos_pin_set(void)
{
    static volatile uint8_t r __asm__("0x0019");
    r |= 1 << 1;
}
uint8_t tinyos_pins(void)
{
    tinyos_pin_set();
    return tinyos_pin();
}

uint8_t high_byte(void)
{
    return *((volatile uint8_t *)&TAR + 1); //= TAR 0xff
}

uint8_t calibration(void)
{
    return *(uint8_t *)0x10f8 + ((const uint8_t *)0x1080)[flag]; //= INFORMATION 0xff INFORMATION 0xff
}

uint16_t from[4];
void dma(void)
{
    DMA0CTL = DMADT_0 | DMAEN;
    while (!(DMA0CTL & DMAIFG)) //= poll
        ;
    motet_filled(from, sizeof from); //= motet_filled 0xff
    DMA0CTL &= ~DMAEN;
}

struct usart {
    uint8_t ctl, tctl, rctl, mctl, br0, br1, rxbuf, txbuf;
};
uint8_t block_of_registers(void)
{
    return ((volatile struct usart *)0x78)->rxbuf + ((volatile struct usart *)0x78)->br0; //= U1RXBUF 0xff
}

uint8_t given_a_block(volatile struct usart *u)
{
    while (!(u->tctl & 1)) //= *pointer 0xff
        ;
    u->txbuf = 1;
    return u->rxbuf; //= *pointer 0xff
}
uint8_t given_fields(volatile control_t *c)
{
    c->ccie = 1;
    return c->cov; //= *pointer 0x01
}
volatile struct usart copy;
volatile control_t controls[2];
uint8_t of_the_program(uint8_t i)
{
    return copy.rxbuf + controls[i].cov + controls[1].rest;
}

void asleep_with_a_variable(uint16_t bits)
{
    uint16_t all = bits | GIE;
    __asm__ volatile("bis %0, r2" : : "m"(all));
}

__attribute__((wakeup)) __attribute__((interrupt(0x001a))) void timerb0_as_nesc_has_it(void)
{
    flag = 2;
}

uint8_t received(void)
{
    return U1RXBUF; //= U1RXBUF 0xff
}

INTERRUPT_WAKING(TIMERA0_VECTOR, handler)
{
    flag = 1;
}

int main(void)
{
    for (;;)
        __bis_status_register(GIE | CPUOFF);
}
