/* Prints how many cycles calls into a component take, and calls that it makes: of a firmware that logs them, and of one
 * that does not. Between two, the log is written out. */
#include "cost.h"

#include <motet.h>
#ifdef __AVR__
#include <avr/io.h>
#else
#include <msp430.h>
#endif

static volatile uint16_t seen;
volatile uint16_t cost_shared = 5;

void cost_out_task(void)
{
    seen++;
}

uint16_t cost_out_getter(void)
{
    return 1000;
}

void cost_out_word(uint16_t value)
{
    seen = value;
}

uint16_t cost_out_word_word(uint16_t value)
{
    return value;
}

uint16_t cost_out_timer(uint16_t timer, uint32_t ticks)
{
    seen = (uint16_t)ticks;
    return timer;
}

void cost_out_bytes(const uint8_t *bytes, uint8_t length)
{
    seen = bytes[length - 1];
}

uint8_t cost_out_send(const uint8_t *bytes, uint8_t length)
{
    return bytes[length - 1];
}

void (*cost_out_pointer)(uint16_t value) = cost_out_word;

/* ---- measuring ---- */

static inline uint16_t now(void)
{
#ifdef __AVR__
    return TCNT1;
#else
    return TAR;
#endif
}

static void write_out(void)
{
#ifdef LOGGED
    unsigned char motet_idle(void);
    while (motet_idle())
        ;
#endif
}

static uint16_t begun;
static const uint8_t bytes[18];

static void begin(void)
{
    write_out();
    begun = now();
}

static void end(const char *name)
{
    uint16_t cycles = now() - begun;
    motet_puts(name);
    motet_putc(' ');
    for (uint16_t unit = 10000; unit; unit /= 10)
        motet_putc((char)('0' + cycles / unit % 10));
    motet_putc('\n');
}

int main(void)
{
    static const char *const names[COST_COUNT] = {[COST_NOTHING] = "nothing",         [COST_TASK] = "out-task",
                                                  [COST_GETTER] = "out-getter",       [COST_WORD] = "out-word",
                                                  [COST_WORD_WORD] = "out-word-word", [COST_TIMER] = "out-timer",
                                                  [COST_POINTER] = "out-pointer",     [COST_READ] = "read",
                                                  [COST_BYTES_1] = "out-bytes-1",     [COST_BYTES_18] = "out-bytes-18",
                                                  [COST_SEND_18] = "out-send-18"};
#ifdef __AVR__
    TCCR1B = 1 << CS10;
#else
    WDTCTL = WDTPW | WDTHOLD;
    TACTL = TASSEL_2 | MC_2;
#endif
    for (uint8_t i = 0; i < COST_COUNT; i++) {
        begin();
        cost_in(i);
        end(names[i]);
    }
    begin();
    cost_in_task();
    end("in-task");
    begin();
    cost_in_byte(7);
    end("in-byte");
    begin();
    cost_in_word(300);
    end("in-word");
    begin();
    cost_in_byte_byte(7);
    end("in-byte-byte");
    begin();
    cost_in_bytes(bytes, 1);
    end("in-bytes-1");
    begin();
    cost_in_bytes(bytes, 18);
    end("in-bytes-18");
    motet_exit(0);
}
