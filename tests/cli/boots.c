/* Counts its boots in EEPROM, from the value its own file has there, and says the count. */
#include <avr/eeprom.h>

#include "serial.h"

struct kept {
    uint8_t others[5], boots;
};
static struct kept EEMEM kept = {{1, 2, 3, 4, 5}, '3'};

int main(void)
{
    uint8_t count = eeprom_read_byte(&kept.boots) + 1;
    eeprom_write_byte(&kept.boots, count);
    eeprom_busy_wait();
    serial_begin();
    serial_put((char)count);
    serial_put((char)('0' + eeprom_read_byte(&kept.others[1])));
    serial_put('\n');
    return 0;
}
