#define PRINTED_C
#include "printed.h"

#ifdef __AVR__
#include <avr/io.h>

static void printed_set_up(void)
{
    UBRR0L = 7; /* 115200 Bd at 7.3728 MHz, with U2X */
    UCSR0A = 1 << U2X0;
    UCSR0B |= 1 << TXEN0;
}

static uint8_t printed_full(void)
{
    return !(UCSR0A & 1 << UDRE0);
}

static void printed_send(uint8_t byte)
{
    UDR0 = byte;
}
#else
#include <msp430.h>

static void printed_set_up(void)
{
    if (!(ME2 & UTXE1)) {
        P3SEL |= 0x40;
        P3DIR |= 0x40;
        U1CTL = CHAR | SWRST;
        U1TCTL = SSEL1;
        U1BR0 = 36; /* 115200 Bd at 2^22 Hz */
        U1BR1 = 0;
        U1MCTL = 0x4a;
        ME2 |= UTXE1;
        U1CTL = CHAR;
    }
}

static uint8_t printed_full(void)
{
    return !(IFG2 & UTXIFG1);
}

static void printed_send(uint8_t byte)
{
    U1TXBUF = byte;
}
#endif

#ifdef COMPACT
static uint8_t compact_ring[64], compact_first, compact_last;

void compact_note(uint8_t event)
{
    uint8_t next = (compact_last + 1) % sizeof compact_ring;
    printed_set_up();
    if (next != compact_first) {
        compact_ring[compact_last] = event;
        compact_last = next;
    }
    while (compact_first != compact_last && !printed_full()) {
        printed_send(compact_ring[compact_first]);
        compact_first = (compact_first + 1) % sizeof compact_ring;
    }
}
#elif defined __AVR__
static int printed_put(char c, FILE *f)
{
    (void)f;
    while (printed_full())
        ;
    printed_send((uint8_t)c);
    return 0;
}

static FILE printed_serial = FDEV_SETUP_STREAM(printed_put, NULL, _FDEV_SETUP_WRITE);

static __attribute__((constructor)) void printed_start(void)
{
    printed_set_up();
    stdout = &printed_serial;
}
#else
int putchar(int c)
{
    printed_set_up();
    while (printed_full())
        ;
    printed_send((uint8_t)c);
    return c;
}
#endif

#ifdef COMPACT
void printed_bytes(const void *bytes, uint8_t count)
{
    (void)bytes, (void)count;
}
#else
void printed_bytes(const void *bytes, uint8_t count)
{
    for (const uint8_t *at = bytes; count; count--)
        printf(" %02x", *at++);
    printf("\n");
}
#endif

void printed_packet(const char *name, const struct radio_packet *p)
{
    printf("%s %p", name, (const void *)p);
    printed_bytes(p, sizeof *p);
    printed_bytes(p->data, p->length);
}

void printed_message(const char *name, const struct radio_message *m)
{
    printf("%s %p", name, (const void *)m);
    printed_bytes(m, sizeof *m);
    printed_bytes(m->data, m->length);
}

bool printed_radio_send(struct radio_packet *p)
{
    printed_packet("radio_send", p);
    bool result = radio_send(p);
    printf("radio_send = %u", result);
    printed_bytes(p, sizeof *p);
    return result;
}

void printed_radio_listen(struct radio_listener *l)
{
    printf("radio_listen %p\n", (void *)l);
    radio_listen(l);
    printf("radio_listen done\n");
}

uint16_t printed_radio_interval_ms(void)
{
    printf("radio_interval_ms\n");
    uint16_t result = radio_interval_ms();
    printf("radio_interval_ms = %u\n", result);
    return result;
}

uint16_t printed_random_next(void)
{
    printf("random_next\n");
    uint16_t result = random_next();
    printf("random_next = %u\n", result);
    return result;
}

void printed_timer_once(struct timer *t, uint32_t ticks)
{
    printf("timer_once %p %lu\n", (void *)t, (unsigned long)ticks);
    timer_once(t, ticks);
    printf("timer_once done\n");
}

void printed_trickle_start(struct trickle *t)
{
    printf("trickle_start %p\n", (void *)t);
    trickle_start(t);
    printf("trickle_start done\n");
}

void printed_trickle_reset(struct trickle *t)
{
    printf("trickle_reset %p\n", (void *)t);
    trickle_reset(t);
    printf("trickle_reset done\n");
}

void printed_deliver(void (*to)(uint16_t, const uint8_t *, uint8_t), uint16_t origin, const uint8_t *data,
                     uint8_t length)
{
    printf("deliver %u %p %u", origin, (const void *)data, length);
    printed_bytes(data, length);
    to(origin, data, length);
    printf("deliver done\n");
}
