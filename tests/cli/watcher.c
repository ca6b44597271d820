/* Reports each level of PD2 and, at each change, the voltage on analog input 0 as two hexadecimal digits. */
#include "serial.h"

static void print_analog(void)
{
    static const char digits[] = "0123456789abcdef";
    ADMUX = 1 << REFS0 | 1 << ADLAR;
    ADCSRA = 1 << ADEN | 1 << ADSC | 7;
    loop_until_bit_is_clear(ADCSRA, ADSC);
    serial_put(digits[ADCH >> 4]);
    serial_put(digits[ADCH & 15]);
}

int main(void)
{
    uint8_t last = 0xff;
    serial_begin();
    for (;;) {
        uint8_t level = PIND >> PD2 & 1;
        if (level == last)
            continue;
        last = level;
        serial_put((char)('0' + level));
        serial_put(' ');
        print_analog();
        serial_put('\n');
    }
}
