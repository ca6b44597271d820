/* avr-libc's functions for the EEPROM, with interrupts in them: they wait within the library, and update only what
 * differs. */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <string.h>

static volatile uint16_t ticks;
static uint8_t bytes[8];
static uint32_t sum;

ISR(TIMER0_OVF_vect)
{
    ticks++;
}

static void update(uint8_t round)
{
    uint8_t *at = (uint8_t *)(uint16_t)(16 * (round & 3));
    eeprom_update_byte(at, round & 0xf0);
    eeprom_update_word((uint16_t *)(at + 2), 0x1200 | round);
    eeprom_update_dword((uint32_t *)(at + 4), sum & 0xff00ff);
    eeprom_update_float((float *)(at + 8), round / 4);
    memset(bytes, round & 3, sizeof bytes);
    eeprom_update_block(bytes, at + 64, sizeof bytes);
    sum += eeprom_read_dword((const uint32_t *)(at + 4)) + eeprom_read_word((const uint16_t *)(at + 2));
    sum += (uint32_t)eeprom_read_float((const float *)(at + 8));
}

int main(void)
{
    TCCR0 = 1 << CS01; /* about 3600 interrupts a second */
    TIMSK = 1 << TOIE0;
    sei();
    for (uint8_t round = 0;; round++) {
        update(round);
        eeprom_write_byte((uint8_t *)200, round);
        eeprom_write_block(bytes, (void *)208, 4);
        eeprom_busy_wait();
        set_sleep_mode(SLEEP_MODE_IDLE);
        sleep_mode();
    }
}
