/* Sleeps for good: with interrupts on, but none that could come (ALONE), or waiting for the serial port. */
#include <avr/interrupt.h>
#include <avr/sleep.h>

#include "serial.h"

#ifndef ALONE
ISR(USART_RX_vect)
{
    UDR0 = UDR0;
}
#endif

int main(void)
{
    serial_begin();
#ifndef ALONE
    UCSR0B |= 1 << RXCIE0;
#endif
    serial_print("good night\n");
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
    for (;;)
        sleep_mode();
}
