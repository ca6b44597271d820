/* Writes a page of a 24C256 on the two-wire bus, polls until it is done, and reads it back across the page's end. What
 * happened is in `statuses` (TWSR after each step) and `back`. */
#include <avr/io.h>

volatile uint8_t statuses[32], status_count, back[6], polls, done;

static uint8_t step(uint8_t control)
{
    TWCR = 1 << TWINT | 1 << TWEN | control;
    while (!(TWCR & 1 << TWINT))
        ;
    return TWSR & 0xf8;
}

static void note(uint8_t status)
{
    if (status_count < sizeof statuses)
        statuses[status_count++] = status;
}

static uint8_t send(uint8_t byte)
{
    TWDR = byte;
    return step(0);
}

static void stop(void)
{
    TWCR = 1 << TWINT | 1 << TWEN | 1 << TWSTO;
    while (TWCR & 1 << TWSTO)
        ;
}

int main(void)
{
    TWBR = 12;
    note(step(1 << TWSTA));
    note(send(0xa0));
    note(send(0x12));
    note(send(0x3e));
    for (uint8_t i = 0; i < 2; i++)
        note(send(0x60 + i));
    stop();
    for (;;) {
        step(1 << TWSTA);
        if (send(0xa0) == 0x18)
            break;
        polls++;
        stop();
    }
    send(0x12);
    send(0x3d);
    note(step(1 << TWSTA));
    note(send(0xa1));
    for (uint8_t i = 0; i < 6; i++) {
        note(step(i < 5 ? 1 << TWEA : 0));
        back[i] = TWDR;
    }
    stop();
    done = 1;
    for (;;)
        ;
}
