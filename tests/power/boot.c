/* A boot loader section programming the application section with <avr/boot.h>, then reading what it wrote. */
#include <avr/boot.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>

#include "check.h"

#define PAGE 0x2000UL

static volatile uint16_t ready;

BOOTLOADER_SECTION static __attribute__((noinline)) void program(const uint8_t *bytes)
{
    uint8_t sreg = SREG;
    cli();
    boot_page_erase(PAGE);
    while (boot_spm_busy())
        ready++;
    for (uint16_t i = 0; i < SPM_PAGESIZE; i += 2)
        boot_page_fill(PAGE + i, bytes[i] | bytes[i + 1] << 8);
    boot_page_write(PAGE);
    while (boot_spm_busy())
        ready++;
    boot_rww_enable();
    SREG = sreg;
}

BOOTLOADER_SECTION static __attribute__((noinline)) uint8_t busy_read(void)
{
    boot_page_erase(PAGE + SPM_PAGESIZE);
    uint8_t seen = pgm_read_byte(PAGE); /* the section is busy */
    while (boot_spm_busy())
        ;
    boot_rww_enable();
    return seen;
}

static uint8_t page[SPM_PAGESIZE];

int main(void)
{
    for (uint16_t i = 0; i < SPM_PAGESIZE; i++)
        page[i] = (uint8_t)(i * 7 + 1);
    CHECK(pgm_read_byte(PAGE) == 0xff);
    program(page);
    CHECK(ready > 100); /* the CPU went on */
    for (uint16_t i = 0; i < SPM_PAGESIZE; i++)
        CHECK(pgm_read_byte(PAGE + i) == page[i]);
    CHECK(busy_read() == 0xff);
    CHECK(pgm_read_byte(PAGE) == page[0]);
    CHECK(boot_lock_fuse_bits_get(GET_LOW_FUSE_BITS) == 0xff);
    CHECK(boot_lock_fuse_bits_get(GET_LOCK_BITS) == 0xff);
    CHECK(boot_lock_fuse_bits_get(GET_HIGH_FUSE_BITS) == HIGH_FUSE);
#ifdef SIGRD
    CHECK(boot_signature_byte_get(0) == SIGNATURE_0);
    CHECK(boot_signature_byte_get(2) == SIGNATURE_1);
    CHECK(boot_signature_byte_get(4) == SIGNATURE_2);
#endif
    motet_exit(0);
}
