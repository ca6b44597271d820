/* The feeder: what a native program has in place of its chip.
 *
 * Registers are an array; what is written to them stays there. Runs on the host, compiled with each native program.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT = 0xf8, CONSOLE = 0xf9 };

uint8_t motet_registers[0x10000] = {[EXIT] = 'M', [CONSOLE] = 'T'};
static uint16_t status; /* interrupts on: bit 3, as on an MSP430 */
enum { ENABLED = 8 };

extern int firmware_main(void) __asm__("node.main");

uint64_t motet_stored(const uint8_t *at, uint64_t size)
{
    uint64_t address = (uint64_t)(at - motet_registers);
    (void)size;
    if (address >= sizeof motet_registers)
        return 0;
    if (address == EXIT) {
        fflush(stdout);
        exit(*at);
    }
    if (address == CONSOLE) {
        putchar(*at);
        motet_registers[CONSOLE] = 'T';
    }
    return 0;
}

uint64_t motet_loads(const uint8_t *at, uint64_t size)
{
    (void)at, (void)size;
    return 0;
}

uint64_t motet_enable(void)
{
    status |= ENABLED;
    return 0;
}

uint64_t motet_disable(void)
{
    status &= ~ENABLED;
    return 0;
}

uint64_t motet_status(void)
{
    return status;
}

uint64_t motet_set_status(uint64_t bits)
{
    status = (uint16_t)bits;
    return 0;
}

uint64_t motet_status_on(uint64_t bits)
{
    status |= (uint16_t)bits;
    return 0;
}

uint64_t motet_status_off(uint64_t bits)
{
    status &= (uint16_t)~bits;
    return 0;
}

uint64_t motet_sleep(void)
{
    fflush(stdout);
    exit(0);
}

int main(void)
{
    int result = firmware_main();
    fflush(stdout);
    return result & 0xff;
}
