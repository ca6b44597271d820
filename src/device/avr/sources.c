#include "device/avr/power.h"

/* Start-up times by CKSEL and SUT; K is 1024. Delays are counts of the watchdog oscillator: 4.1 ms and 65 ms at 5 V
 * (avr_power.delay_hz where that does not follow from the watchdog's own figures). */
#define K           1024u
#define CKSEL(a, b) (uint16_t)((2u << (b)) - (1u << (a)))

/* ATmega128 datasheet, tables 8 to 17: 4K and 64K cycles of a 1 MHz oscillator. */
const struct avr_source avr_sources_old[6] = {
    {.cksel = CKSEL(0, 0), .start = {6, 6, 6, 6}, .delay = {0, 4 * K, 64 * K, 0}},        /* external */
    {.cksel = CKSEL(1, 4), .start = {6, 6, 6, 6}, .delay = {0, 4 * K, 64 * K, 0}},        /* internal RC */
    {.cksel = CKSEL(5, 8), .start = {18, 18, 18, 6}, .delay = {0, 4 * K, 64 * K, 4 * K}}, /* external RC */
    {.cksel = CKSEL(9, 9),
     .start = {K, K, 32 * K, 32 * K},
     .delay = {4 * K, 64 * K, 64 * K, 64 * K}},                                                   /* watch crystal */
    {.cksel = 0x5400, .start = {258, 258, K, K}, .delay = {4 * K, 64 * K, 0, 4 * K}},             /* crystal, even */
    {.cksel = 0xa800, .start = {K, 16 * K, 16 * K, 16 * K}, .delay = {64 * K, 0, 4 * K, 64 * K}}, /* crystal, odd */
};

/* ATmega48/88/168, 328P, 640/1280/1281/2560/2561 datasheets: 512 and 8K cycles of a 128 kHz oscillator. */
const struct avr_source avr_sources[5] = {
    {.cksel = CKSEL(0, 3), .start = {6, 6, 6, 6}, .delay = {0, 512, 8 * K, 0}},     /* external, RC */
    {.cksel = CKSEL(4, 4), .start = {K, K, K, K}, .delay = {0, 512, 8 * K, 8 * K}}, /* watch crystal */
    {.cksel = CKSEL(5, 5), .start = {32 * K, 32 * K, 32 * K, 32 * K}, .delay = {0, 512, 8 * K, 8 * K}}, /* the same */
    {.cksel = 0x5540, .start = {258, 258, K, K}, .delay = {512, 8 * K, 0, 512}},              /* crystal, even */
    {.cksel = 0xaa80, .start = {K, 16 * K, 16 * K, 16 * K}, .delay = {8 * K, 0, 512, 8 * K}}, /* crystal, odd */
};

/* ATtiny25/45/85 datasheet, tables 6-3 to 6-12. */
const struct avr_source avr_sources_tiny[6] = {
    {.cksel = CKSEL(0, 0), .start = {6, 6, 6, 6}, .delay = {0, 512, 8 * K, 0}}, /* external */
    {.cksel = CKSEL(1, 1),
     .start = {K, 16 * K, K, 16 * K},
     .delay = {512, 512, 8 * K, 8 * K}},                                        /* the PLL's 64 MHz divided by 4 */
    {.cksel = CKSEL(2, 4), .start = {6, 6, 6, 6}, .delay = {0, 512, 8 * K, 0}}, /* RC */
    {.cksel = CKSEL(6, 6), .start = {K, K, 32 * K, 32 * K}, .delay = {512, 8 * K, 8 * K, 8 * K}}, /* watch crystal */
    {.cksel = 0x5500, .start = {258, 258, K, K}, .delay = {512, 8 * K, 0, 512}},                  /* crystal, even */
    {.cksel = 0xaa00, .start = {K, 16 * K, 16 * K, 16 * K}, .delay = {8 * K, 0, 512, 8 * K}},     /* crystal, odd */
};
