/* Registers of the nRF52840 that the kit uses, by the names and numbers of its Product Specification (v1.7). A
 * peripheral is a page of 4 KB; its tasks and events have a register each.
 */
#ifndef KIT_CORTEX_NRF52_H
#define KIT_CORTEX_NRF52_H

#include <stdint.h>

#define NRF_REGISTER(base, offset) (*(volatile uint32_t *)((base) + (offset)))
#define NRF_TASK(base, number)     NRF_REGISTER(base, 4 * (number))
#define NRF_EVENT(base, number)    NRF_REGISTER(base, 0x100 + 4 * (number))
#define NRF_SHORTS(base)           NRF_REGISTER(base, 0x200)
#define NRF_INTENSET(base)         NRF_REGISTER(base, 0x304)
#define NRF_INTENCLR(base)         NRF_REGISTER(base, 0x308)

#define NRF_CLOCK                  0x40000000u
#define NRF_RADIO                  0x40001000u
#define NRF_UART                   0x40002000u
#define NRF_SAADC                  0x40007000u
#define NRF_TIMER0                 0x40008000u
#define NRF_RTC1                   0x40011000u
#define NRF_NVMC                   0x4001e000u
#define NRF_PPI                    0x4001f000u
#define NRF_P0                     0x50000000u

#define NRF_P0_OUTSET              NRF_REGISTER(NRF_P0, 0x508)
#define NRF_P0_OUTCLR              NRF_REGISTER(NRF_P0, 0x50c)
#define NRF_P0_DIRSET              NRF_REGISTER(NRF_P0, 0x518)

#endif
