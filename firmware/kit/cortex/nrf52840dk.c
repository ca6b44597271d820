#include <motet.h>

#include "board.h"
#include "timer.h"

enum { RTC1_NUMBER = 17, UART_NUMBER = 2, SAADC_NUMBER = 7 };

enum { CLOCK_LFCLKSTART = 2 };
#define CLOCK_LFCLKSRC NRF_REGISTER(NRF_CLOCK, 0x518)
enum { LFCLKSRC_CRYSTAL = 1 };

/* ---- start and sleep ---- */

void board_start(void)
{
    NRF_P0_OUTSET = 7u << 13;
    NRF_P0_DIRSET = 7u << 13;
    CLOCK_LFCLKSRC = LFCLKSRC_CRYSTAL; /* until it runs, which takes a quarter of a second, the chip uses another */
    NRF_TASK(NRF_CLOCK, CLOCK_LFCLKSTART) = 1;
}

/* An interrupt that is due ends WFI though none is accepted, and is accepted after it. */
void board_sleep(void)
{
    __asm__ volatile("dsb\n\twfi\n\tcpsie i\n\tisb\n\tcpsid i" ::: "memory");
}

/* ---- the counter ---- */

enum { RTC_START = 0, RTC_COMPARE0 = 16 };
#define RTC_COUNTER NRF_REGISTER(NRF_RTC1, 0x504)
#define RTC_CC0     NRF_REGISTER(NRF_RTC1, 0x540)

CPU_INTERRUPT(17)
{
    NRF_EVENT(NRF_RTC1, RTC_COMPARE0) = 0;
    timer_interrupt();
}

counter_t board_counter(void)
{
    return RTC_COUNTER;
}

/* An interrupt that the value before has caused is taken back. */
void board_compare(counter_t at)
{
    uint32_t now = RTC_COUNTER;
    RTC_CC0 = now + (counter_t)(at - (counter_t)now);
    NRF_EVENT(NRF_RTC1, RTC_COMPARE0) = 0;
}

void board_counter_start(void)
{
    NRF_INTENSET(NRF_RTC1) = 1u << RTC_COMPARE0;
    NRF_TASK(NRF_RTC1, RTC_START) = 1;
    CPU_INTERRUPT_ENABLE(RTC1_NUMBER);
}

/* ---- the serial port: pins 6 (out) and 8 (in) of port 0 go to the interface chip ---- */

enum { UART_STARTRX = 0, UART_STARTTX = 2, UART_RXDRDY = 2, UART_TXDRDY = 7 };
#define UART_ENABLE   NRF_REGISTER(NRF_UART, 0x500)
#define UART_PSELTXD  NRF_REGISTER(NRF_UART, 0x50c)
#define UART_PSELRXD  NRF_REGISTER(NRF_UART, 0x514)
#define UART_RXD      NRF_REGISTER(NRF_UART, 0x518)
#define UART_TXD      NRF_REGISTER(NRF_UART, 0x51c)
#define UART_BAUDRATE NRF_REGISTER(NRF_UART, 0x524)

static void (*receive)(uint8_t byte);
static int16_t (*take)(void);
static volatile bool line_busy; /* a byte is on its way out */

static void send_next(void)
{
    int16_t byte = take();
    line_busy = byte >= 0;
    if (line_busy)
        UART_TXD = byte;
}

/* The event of a byte that went out is also raised by uart_send(), where none is on its way. */
CPU_INTERRUPT(2)
{
    if (NRF_EVENT(NRF_UART, UART_RXDRDY)) {
        NRF_EVENT(NRF_UART, UART_RXDRDY) = 0;
        receive(UART_RXD);
    }
    if (NRF_EVENT(NRF_UART, UART_TXDRDY)) {
        NRF_EVENT(NRF_UART, UART_TXDRDY) = 0;
        send_next();
    } else if (!line_busy) {
        send_next();
    }
}

void uart_start(void (*received)(uint8_t byte), int16_t (*next)(void))
{
    receive = received;
    take = next;
    UART_PSELTXD = 6;
    UART_PSELRXD = 8;
    UART_BAUDRATE = 0x01d60000; /* UART_BAUD */
    UART_ENABLE = 4;
    NRF_INTENSET(NRF_UART) = 1u << UART_RXDRDY | 1u << UART_TXDRDY;
    NRF_TASK(NRF_UART, UART_STARTRX) = 1;
    NRF_TASK(NRF_UART, UART_STARTTX) = 1;
    CPU_INTERRUPT_ENABLE(UART_NUMBER);
}

void uart_send(void)
{
    CPU_INTERRUPT_RAISE(UART_NUMBER);
}

/* ---- the converter ---- */

enum { SAADC_START, SAADC_SAMPLE, SAADC_STOP };
enum { SAADC_END = 1 };
#define SAADC_ENABLE     NRF_REGISTER(NRF_SAADC, 0x500)
#define SAADC_PSELP      NRF_REGISTER(NRF_SAADC, 0x510)
#define SAADC_CONFIG     NRF_REGISTER(NRF_SAADC, 0x518)
#define SAADC_RESOLUTION NRF_REGISTER(NRF_SAADC, 0x5f0)
#define SAADC_PTR        NRF_REGISTER(NRF_SAADC, 0x62c)
#define SAADC_MAXCNT     NRF_REGISTER(NRF_SAADC, 0x630)
enum {
    GAIN_QUARTER = 2 << 8,
    REFERENCE_SUPPLY = 1 << 12, /* a quarter of it */
    ACQUISITION_10US = 2 << 16,
    RESOLUTION_12 = 2,
};

static void (*converted)(uint16_t value);
static volatile uint16_t conversion; /* the converter writes it */

CPU_INTERRUPT(7)
{
    NRF_EVENT(NRF_SAADC, SAADC_END) = 0;
    motet_filled(&conversion, sizeof conversion);
    SAADC_ENABLE = 0;
    converted(conversion);
}

void board_adc_start(uint8_t channel, void (*done)(uint16_t value))
{
    converted = done;
    SAADC_ENABLE = 1;
    SAADC_PSELP = channel + 1;
    SAADC_CONFIG = ACQUISITION_10US | (channel == SENSOR_VOLTAGE ? 0 : GAIN_QUARTER | REFERENCE_SUPPLY);
    SAADC_RESOLUTION = RESOLUTION_12;
    SAADC_PTR = (uint32_t)(uintptr_t)&conversion;
    SAADC_MAXCNT = 1;
    NRF_INTENSET(NRF_SAADC) = 1u << SAADC_END;
    CPU_INTERRUPT_ENABLE(SAADC_NUMBER);
    NRF_TASK(NRF_SAADC, SAADC_START) = 1;
    NRF_TASK(NRF_SAADC, SAADC_SAMPLE) = 1;
}
