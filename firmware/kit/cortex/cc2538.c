#include "cortex/cc2538.h"

#include "board.h"
#include "timer.h"

/* ---- start and sleep ---- */

enum { OSC32K_RC = 1 << 24, OSC_RC = 1 << 16 };

extern volatile uint8_t board_clock_users;

/* Both crystals, 32 MHz for the CPU and for the UART; the RC oscillators start the chip and go off then. */
void board_start(void)
{
    enum { OSC_PD = 1 << 17 };
    CC2538_I_MAP = 1;
    CC2538_CLOCK_CTRL = OSC_PD;
    while (CC2538_CLOCK_STA & (OSC32K_RC | OSC_RC))
        ;
    CC2538_GPIO_DATA(CC2538_PORT_C, 7 * LED_FIRST) = 0;
    CC2538_GPIO_DIR(CC2538_PORT_C) |= 7 * LED_FIRST;
}

/* In PM1 the 32 MHz stand still. An interrupt that is due ends WFI though none is accepted, and is accepted after it.
 */
void board_sleep(void)
{
#define SCR (*(volatile uint32_t *)0xe000ed10)
    enum { SLEEPDEEP = 1 << 2 };
    CC2538_PMCTL = 1;
    SCR = board_clock_users ? 0 : SLEEPDEEP;
    __asm__ volatile("dsb\n\twfi\n\tcpsie i\n\tisb\n\tcpsid i" ::: "memory");
}

/* ---- the counter: a reading of the lowest byte holds the others ---- */

static uint32_t count(void)
{
    uint32_t low = CC2538_ST(0);
    low |= CC2538_ST(1) << 8;
    low |= CC2538_ST(2) << 16;
    return low | CC2538_ST(3) << 24;
}

CPU_INTERRUPT(32)
{
    timer_interrupt();
}

counter_t board_counter(void)
{
    uint32_t low = CC2538_ST(0);
    return low | CC2538_ST(1) << 8;
}

/* The lowest byte is the last: with it the value counts, from the next tick on. An interrupt that the value before has
 * caused is taken back. */
void board_compare(counter_t at)
{
    while (!(CC2538_STLOAD & 1))
        ;
    uint32_t now = count(), to = now + (counter_t)(at - (counter_t)now);
    for (int8_t byte = 3; byte >= 0; byte--)
        CC2538_ST(byte) = to >> 8 * byte & 0xff;
    CPU_INTERRUPT_FORGET(CC2538_SLEEP_TIMER_NUMBER);
}

void board_counter_start(void)
{
    CPU_INTERRUPT_ENABLE(CC2538_SLEEP_TIMER_NUMBER);
}

/* ---- the serial port: pins 0 (in) and 1 (out) of port A ---- */

#define UART(offset) CC2538_REGISTER(0x4000c000 + (offset))
#define UART_DR      UART(0x00)
#define UART_FR      UART(0x18)
#define UART_IBRD    UART(0x24)
#define UART_FBRD    UART(0x28)
#define UART_LCRH    UART(0x2c)
#define UART_CTL     UART(0x30)
#define UART_IFLS    UART(0x34)
#define UART_IM      UART(0x38)
#define UART_ICR     UART(0x44)
enum { FR_TXFF = 1 << 5, FR_RXFE = 1 << 4 };
enum { LCRH_8_BITS = 3 << 5, LCRH_FIFOS = 1 << 4, CTL_ON = 0x301 };
enum { INTERRUPT_RX = 1 << 4, INTERRUPT_TX = 1 << 5, INTERRUPT_TIMEOUT = 1 << 6 };

static void (*receive)(uint8_t byte);
static int16_t (*take)(void);

/* Bytes out as long as there is room: if there is none, the FIFO asks again when it is nearly empty; if there are no
 * bytes, uart_send() does. */
CPU_INTERRUPT(5)
{
    UART_ICR = INTERRUPT_RX | INTERRUPT_TX | INTERRUPT_TIMEOUT;
    while (!(UART_FR & FR_RXFE))
        receive(UART_DR);
    while (!(UART_FR & FR_TXFF)) {
        int16_t byte = take();
        if (byte < 0)
            break;
        UART_DR = byte;
    }
}

void uart_start(void (*received)(uint8_t byte), int16_t (*next)(void))
{
    receive = received;
    take = next;
    board_clock_hold();
    CC2538_RCGCUART = CC2538_SCGCUART = 1;
    CC2538_IOC_UARTRXD = 0;
    CC2538_IOC_SEL(CC2538_PORT_A, 1) = 0;
    CC2538_IOC_OVER(CC2538_PORT_A, 1) = 8; /* an output */
    CC2538_GPIO_AFSEL(CC2538_PORT_A) |= 3;
    UART_IBRD = 17; /* 32 MHz by 16 * UART_BAUD is 17.36 */
    UART_FBRD = 23;
    UART_LCRH = LCRH_8_BITS | LCRH_FIFOS;
    UART_IFLS = 0; /* two bytes are there, two are left */
    UART_IM = INTERRUPT_RX | INTERRUPT_TX | INTERRUPT_TIMEOUT;
    UART_CTL = CTL_ON;
    CPU_INTERRUPT_ENABLE(CC2538_UART_NUMBER);
}

void uart_send(void)
{
    CPU_INTERRUPT_RAISE(CC2538_UART_NUMBER);
}

/* ---- the converter ---- */

static void (*converted)(uint16_t value);

/* Left-aligned, with a sign: noise about 0 may be below it. */
CPU_INTERRUPT(14)
{
    uint32_t low = CC2538_ADCL;
    int16_t value = low | CC2538_ADCH << 8;
    board_clock_release();
    converted(value < 0 ? 0 : value >> 4);
}

void board_adc_start(uint8_t channel, void (*done)(uint16_t value))
{
    enum { REFERENCE_SUPPLY = 2 << 6, BITS_12 = 3 << 4, ANALOG = 1 };
    converted = done;
    board_clock_hold();
    CPU_INTERRUPT_ENABLE(CC2538_ADC_NUMBER);
    if (channel < 8)
        CC2538_IOC_OVER(CC2538_PORT_A, channel) = ANALOG;
    CC2538_ADCCON3 = (channel == SENSOR_VOLTAGE ? 0 : REFERENCE_SUPPLY) | BITS_12 | channel;
}
