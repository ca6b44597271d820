/* Registers of the CC2538 that the kit uses, by the names of its User's Guide (SWRU319C).
 *
 * Interrupts have their alternate numbers (chapter 7, I_MAP), which are below 48.
 */
#ifndef KIT_CORTEX_CC2538_H
#define KIT_CORTEX_CC2538_H

#include <stdint.h>

#define CC2538_REGISTER(address) (*(volatile uint32_t *)(address))

#define CC2538_CLOCK_CTRL        CC2538_REGISTER(0x400d2000)
#define CC2538_CLOCK_STA         CC2538_REGISTER(0x400d2004)
#define CC2538_RCGCUART          CC2538_REGISTER(0x400d2028)
#define CC2538_SCGCUART          CC2538_REGISTER(0x400d202c)
#define CC2538_PMCTL             CC2538_REGISTER(0x400d2058)
#define CC2538_I_MAP             CC2538_REGISTER(0x400d2098)
#define CC2538_RCGCRFC           CC2538_REGISTER(0x400d20a8)
#define CC2538_SCGCRFC           CC2538_REGISTER(0x400d20ac)

#define CC2538_ST(byte)          CC2538_REGISTER(0x400d5040 + 4 * (byte))
#define CC2538_STLOAD            CC2538_REGISTER(0x400d5050)

#define CC2538_ADCCON3           CC2538_REGISTER(0x400d7008)
#define CC2538_ADCL              CC2538_REGISTER(0x400d700c)
#define CC2538_ADCH              CC2538_REGISTER(0x400d7010)

/* Ports are numbered from A. A word of a port's data stands for the bits of its address: the others keep their value.
 */
#define CC2538_GPIO(port)            (0x400d9000 + 0x1000 * (port))
#define CC2538_GPIO_DATA(port, bits) CC2538_REGISTER(CC2538_GPIO(port) + 4 * (bits))
#define CC2538_GPIO_DIR(port)        CC2538_REGISTER(CC2538_GPIO(port) + 0x400)
#define CC2538_GPIO_AFSEL(port)      CC2538_REGISTER(CC2538_GPIO(port) + 0x420)
#define CC2538_IOC_SEL(port, pin)    CC2538_REGISTER(0x400d4000 + 32 * (port) + 4 * (pin))
#define CC2538_IOC_OVER(port, pin)   CC2538_REGISTER(0x400d4080 + 32 * (port) + 4 * (pin))
#define CC2538_IOC_UARTRXD           CC2538_REGISTER(0x400d4100)
enum { CC2538_PORT_A, CC2538_PORT_B, CC2538_PORT_C, CC2538_PORT_D };

enum {
    CC2538_UART_NUMBER = 5,
    CC2538_ADC_NUMBER = 14,
    CC2538_RF_NUMBER = 26,
    CC2538_RF_ERROR_NUMBER = 27,
    CC2538_SLEEP_TIMER_NUMBER = 32,
};

#endif
