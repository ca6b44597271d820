/* avr-libc's EEPROM functions, initial contents from the ELF file, and the ready interrupt waking the CPU. */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <string.h>

#include "check.h"

static uint8_t EEMEM greeting[6] = "hello";
static uint16_t EEMEM words[8] = {1, 2, 3, 0xbeef};
static volatile uint8_t ready;

ISR(EE_READY_vect)
{
    ready++;
    EECR &= (uint8_t)~_BV(EERIE);
}

int main(void)
{
    char text[6];
    eeprom_read_block(text, greeting, sizeof text);
    CHECK(strcmp(text, "hello") == 0);
    CHECK(eeprom_read_word(&words[3]) == 0xbeef);
    CHECK(eeprom_read_byte((uint8_t *)(E2END)) == 0xff);

    eeprom_write_byte((uint8_t *)(E2END), 0x5a);
    eeprom_update_block("world", greeting, 6);
    eeprom_write_dword((uint32_t *)(E2END - 7), 0x01020304);
    CHECK(eeprom_read_byte((uint8_t *)(E2END)) == 0x5a);
    CHECK(eeprom_read_dword((uint32_t *)(E2END - 7)) == 0x01020304);
    eeprom_read_block(text, greeting, sizeof text);
    CHECK(strcmp(text, "world") == 0);

    eeprom_write_word(&words[0], 0x1111); /* returns while the second byte is being written */
    CHECK(!eeprom_is_ready());
    set_sleep_mode(SLEEP_MODE_IDLE);
    sleep_enable();
    EECR |= _BV(EERIE);
    sei();
    while (!ready)
        sleep_cpu();
    CHECK(ready == 1);
    CHECK(eeprom_is_ready());
    CHECK(eeprom_read_word(&words[0]) == 0x1111);
    motet_exit(0);
}
