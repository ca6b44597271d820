/* A two-wire slave at 0x12, by interrupt: keeps what it is sent, and gives it back plus one. Between transfers it is in
 * power-down, from which its address wakes it. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

volatile uint8_t awake;
volatile uint8_t kept[8], at, statuses[32], status_count;

ISR(TWI_vect)
{
    uint8_t status = TWSR & 0xf8;
    if (status_count < sizeof statuses)
        statuses[status_count++] = status;
    awake = status != 0xa0 && status != 0xc0;
    switch (status) {
    case 0x60: at = 0; break;
    case 0x80: kept[at++ % 8] = TWDR; break;
    case 0xa8: at = 0; /* fall through */
    case 0xb8: TWDR = kept[at++ % 8] + 1; break;
    }
    TWCR = 1 << TWINT | 1 << TWEA | 1 << TWEN | 1 << TWIE;
}

int main(void)
{
    TWAR = 0x12 << 1;
    TWCR = 1 << TWEA | 1 << TWEN | 1 << TWIE;
    set_sleep_mode(SLEEP_MODE_PWR_DOWN);
    for (;;) {
        cli();
        if (!awake) {
            sleep_enable();
            sei();
            sleep_cpu();
            sleep_disable();
        }
        sei();
    }
}
