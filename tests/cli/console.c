/* Prints on Motet's console, among output of the serial port, and ends the run with status 5. */
#include <motet.h>

#include "serial.h"

int main(void)
{
    serial_begin();
    motet_puts("console one\n");
    serial_print("port\n");
    loop_until_bit_is_set(UCSR0A, TXC0);
    motet_puts("console two\n");
    motet_exit(5);
    serial_print("not reached\n");
    return 0;
}
