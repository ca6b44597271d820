/* EEPROM through <avr/eeprom.h>: all widths, blocks, updates that write nothing, and initial contents from the file. */
#include <avr/eeprom.h>
#include <string.h>

#include "check.h"

static uint8_t EEMEM bytes[4] = {1, 2, 3, 4};
static uint16_t EEMEM word = 0xbeef;
static uint32_t EEMEM number;
static float EEMEM real = 2.5f;
static char EEMEM text[16] = "in the file";

int main(void)
{
    check(eeprom_read_byte(&bytes[2]) == 3 && eeprom_read_word(&word) == 0xbeef && eeprom_read_float(&real) == 2.5f);
    char copy[16];
    eeprom_read_block(copy, text, sizeof copy);
    check(strcmp(copy, "in the file") == 0);
    eeprom_write_byte(&bytes[2], 0x55);
    eeprom_write_dword(&number, 0x12345678);
    check(eeprom_read_byte(&bytes[2]) == 0x55 && eeprom_read_byte(&bytes[1]) == 2 && eeprom_read_byte(&bytes[3]) == 4);
    check(eeprom_read_dword(&number) == 0x12345678);
    eeprom_update_block("in the chip", text, 12);
    eeprom_read_block(copy, text, sizeof copy);
    check(strcmp(copy, "in the chip") == 0);
    eeprom_update_word(&word, 0xbeee);
    check(eeprom_read_word(&word) == 0xbeee);
    eeprom_busy_wait();
    exit(0);
}
