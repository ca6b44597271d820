/* Reads back what it wrote, one and two cycles later. */
#include <avr/io.h>
#include <avr/sleep.h>

int main(void)
{
    uint8_t one, two;
    DDRB = 0xff;
    asm volatile("out %[port], %[ones]\n"
                 "in %[one], %[pin]\n"
                 "in %[two], %[pin]\n"
                 : [one] "=&r"(one), [two] "=&r"(two)
                 : [port] "I"(_SFR_IO_ADDR(PORTB)), [pin] "I"(_SFR_IO_ADDR(PINB)), [ones] "r"((uint8_t)0xff));
    GPIOR1 = one;
    GPIOR2 = two;
    sleep_mode();
}
