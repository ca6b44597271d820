/* nRF52840, from its Product Specification (v1.7): Cortex-M4 with floating point, 1 MB of flash, 256 KB of RAM. */
#include "chip/chip.h"
#include "device/cortex/scs.h"
#include "device/nrf52/clock.h"
#include "device/nrf52/facts.h"
#include "device/nrf52/gpio.h"
#include "device/nrf52/gpiote.h"
#include "device/nrf52/nvmc.h"
#include "device/nrf52/pwm.h"
#include "device/nrf52/radio.h"
#include "device/nrf52/rtc.h"
#include "device/nrf52/saadc.h"
#include "device/nrf52/serial_master.h"
#include "device/nrf52/small.h"
#include "device/nrf52/timer.h"
#include "device/nrf52/uart.h"
#include "device/nrf52/wdt.h"
#include "device/simulation.h"
#include "isa/cortex/cortex.h"

/* A peripheral's number is that of its interrupt and of its page of 4 KB. */
#define BASE(id) (0x40000000u + 0x1000u * (id))
#define BLOCK(id)                        \
    {                                    \
        BASE(id), CORTEX_EXTERNAL + (id) \
    }

static const struct cortex_core core = {
    .external = 48, .priority_bits = 3, .dsp = true, .fpu = true, .mpu = true, .cpuid = 0x410fc241};

static const struct nrf52_block clock = BLOCK(0), radio = BLOCK(1), gpiote = BLOCK(6), ecb = BLOCK(14), wdt = BLOCK(16),
                                nvmc = {BASE(30), 0}, rng = BLOCK(13), temp = BLOCK(12), ppi = {NRF52_PPI, 0};
static const struct nrf52_block egu0 = BLOCK(20), egu1 = BLOCK(21), egu2 = BLOCK(22), egu3 = BLOCK(23),
                                egu4 = BLOCK(24), egu5 = BLOCK(25);
static const struct nrf52_block pwm0 = BLOCK(28), pwm1 = BLOCK(33), pwm2 = BLOCK(34), pwm3 = BLOCK(45);
static const struct nrf52_serial_master serial0 = {BLOCK(3), 0, true}, serial1 = {BLOCK(4), 1, true},
                                        serial2 = {BLOCK(35), 2, false}, serial3 = {BLOCK(47), 3, false};
static const struct nrf52_uart uart0 = {BLOCK(2), 0}, uart1 = {BLOCK(40), 1};
static const struct nrf52_timer timer0 = {BLOCK(8), 4}, timer1 = {BLOCK(9), 4}, timer2 = {BLOCK(10), 4},
                                timer3 = {BLOCK(26), 6}, timer4 = {BLOCK(27), 6};
static const struct nrf52_rtc rtc0 = {BLOCK(11), 3}, rtc1 = {BLOCK(17), 4}, rtc2 = {BLOCK(36), 4};
static const struct nrf52_gpio p0 = {{0x50000000, 0}, NRF52_PIN(0, 0), 32}, p1 = {{0x50000300, 0}, NRF52_PIN(1, 0), 16};
static const struct nrf52_saadc saadc = {BLOCK(7),
                                         {NRF52_PIN(0, 2), NRF52_PIN(0, 3), NRF52_PIN(0, 4), NRF52_PIN(0, 5),
                                          NRF52_PIN(0, 28), NRF52_PIN(0, 29), NRF52_PIN(0, 30), NRF52_PIN(0, 31)}};
static const struct simulation port = {0x400ffff0};

static const struct chip_device devices[] = {
    SCS_DEVICES,
    {"clock", &nrf52_clock, &clock},
    {"facts", &nrf52_facts, NULL},
    {"ppi", &nrf52_ppi, &ppi},
    {"p0", &nrf52_gpio, &p0},
    {"p1", &nrf52_gpio, &p1},
    {"gpiote", &nrf52_gpiote, &gpiote},
    {"nvmc", &nrf52_nvmc, &nvmc},
    {"wdt", &nrf52_wdt, &wdt},
    {"ecb", &nrf52_ecb, &ecb},
    {"radio", &nrf52_radio, &radio},
    {"timer0", &nrf52_timer, &timer0},
    {"timer1", &nrf52_timer, &timer1},
    {"timer2", &nrf52_timer, &timer2},
    {"timer3", &nrf52_timer, &timer3},
    {"timer4", &nrf52_timer, &timer4},
    {"rtc0", &nrf52_rtc, &rtc0},
    {"rtc1", &nrf52_rtc, &rtc1},
    {"rtc2", &nrf52_rtc, &rtc2},
    {"uart0", &nrf52_uart, &uart0},
    {"uart1", &nrf52_uart, &uart1},
    {"serial0", &nrf52_serial_master, &serial0},
    {"serial1", &nrf52_serial_master, &serial1},
    {"spim2", &nrf52_serial_master, &serial2},
    {"spim3", &nrf52_serial_master, &serial3},
    {"rng", &nrf52_rng, &rng},
    {"saadc", &nrf52_saadc, &saadc},
    {"temp", &nrf52_temp, &temp},
    {"egu0", &nrf52_egu, &egu0},
    {"egu1", &nrf52_egu, &egu1},
    {"egu2", &nrf52_egu, &egu2},
    {"egu3", &nrf52_egu, &egu3},
    {"egu4", &nrf52_egu, &egu4},
    {"egu5", &nrf52_egu, &egu5},
    {"pwm0", &nrf52_pwm, &pwm0},
    {"pwm1", &nrf52_pwm, &pwm1},
    {"pwm2", &nrf52_pwm, &pwm2},
    {"pwm3", &nrf52_pwm, &pwm3},
    {"motet port", &simulation_port, &port},
};

/* Registers of a peripheral of that number, `size` bytes, kept from `place` on. */
#define REGISTERS(id, size, place)                  \
    {                                               \
        BASE(id), size, REGION_REGISTERS, 32, place \
    }
enum {
    AT_CLOCK = 0,
    AT_UART0 = AT_CLOCK + 0x650,
    AT_TIMERS = AT_UART0 + 0x570,
    TIMER_SIZE = 0x560,
    AT_RTCS = AT_TIMERS + 5 * TIMER_SIZE,
    RTC_SIZE = 0x550,
    AT_TEMP = AT_RTCS + 3 * RTC_SIZE,
    AT_RNG = AT_TEMP + 0x570,
    AT_EGUS = AT_RNG + 0x510,
    EGU_SIZE = 0x310,
    AT_PPI = AT_EGUS + 6 * EGU_SIZE,
    AT_UART1 = AT_PPI + 0x990,
    AT_PORT = AT_UART1 + 0x570,
    AT_GPIO = AT_PORT + 0x10,
    AT_RADIO = AT_GPIO + 0xb00,
    AT_GPIOTE = AT_RADIO + 0x1000,
    AT_ECB = AT_GPIOTE + 0x530,
    AT_WDT = AT_ECB + 0x510,
    AT_NVMC = AT_WDT + 0x620,
    AT_FACTS = AT_NVMC + 0x550,
    AT_SERIALS = AT_FACTS + 0x7a0,
    SERIAL_SIZE = 0x5d0,
    AT_SAADC = AT_SERIALS + 4 * SERIAL_SIZE,
    AT_PWMS = AT_SAADC + 0x640,
    PWM_SIZE = 0x570,
    AT_SCS = AT_PWMS + 4 * PWM_SIZE,
    AT_RAM = (AT_SCS + SCS_PLACES + 0xff) / 0x100 * 0x100,
};

static const struct region regions[] = {
    {0x00000000, 0x100000, REGION_FLASH, 32, 0},
    {0x10000000, 0x460, REGION_REGISTERS, 32, AT_FACTS},
    {0x10001000, 0x310, REGION_REGISTERS, 32, AT_FACTS + 0x460},
    {0x20000000, 0x40000, REGION_RAM, 32, AT_RAM},
    REGISTERS(0, 0x650, AT_CLOCK),
    REGISTERS(1, 0x1000, AT_RADIO),
    REGISTERS(2, 0x570, AT_UART0),
    REGISTERS(3, SERIAL_SIZE, AT_SERIALS),
    REGISTERS(4, SERIAL_SIZE, AT_SERIALS + SERIAL_SIZE),
    REGISTERS(6, 0x530, AT_GPIOTE),
    REGISTERS(7, 0x640, AT_SAADC),
    REGISTERS(8, TIMER_SIZE, AT_TIMERS),
    REGISTERS(9, TIMER_SIZE, AT_TIMERS + TIMER_SIZE),
    REGISTERS(10, TIMER_SIZE, AT_TIMERS + 2 * TIMER_SIZE),
    REGISTERS(11, RTC_SIZE, AT_RTCS),
    REGISTERS(12, 0x570, AT_TEMP),
    REGISTERS(13, 0x510, AT_RNG),
    REGISTERS(14, 0x510, AT_ECB),
    REGISTERS(16, 0x620, AT_WDT),
    REGISTERS(17, RTC_SIZE, AT_RTCS + RTC_SIZE),
    REGISTERS(20, EGU_SIZE, AT_EGUS),
    REGISTERS(21, EGU_SIZE, AT_EGUS + EGU_SIZE),
    REGISTERS(22, EGU_SIZE, AT_EGUS + 2 * EGU_SIZE),
    REGISTERS(23, EGU_SIZE, AT_EGUS + 3 * EGU_SIZE),
    REGISTERS(24, EGU_SIZE, AT_EGUS + 4 * EGU_SIZE),
    REGISTERS(25, EGU_SIZE, AT_EGUS + 5 * EGU_SIZE),
    REGISTERS(26, TIMER_SIZE, AT_TIMERS + 3 * TIMER_SIZE),
    REGISTERS(27, TIMER_SIZE, AT_TIMERS + 4 * TIMER_SIZE),
    REGISTERS(28, PWM_SIZE, AT_PWMS),
    REGISTERS(30, 0x550, AT_NVMC),
    REGISTERS(31, 0x990, AT_PPI),
    REGISTERS(33, PWM_SIZE, AT_PWMS + PWM_SIZE),
    REGISTERS(34, PWM_SIZE, AT_PWMS + 2 * PWM_SIZE),
    REGISTERS(35, SERIAL_SIZE, AT_SERIALS + 2 * SERIAL_SIZE),
    REGISTERS(36, RTC_SIZE, AT_RTCS + 2 * RTC_SIZE),
    REGISTERS(40, 0x570, AT_UART1),
    REGISTERS(45, PWM_SIZE, AT_PWMS + 3 * PWM_SIZE),
    REGISTERS(47, SERIAL_SIZE, AT_SERIALS + 3 * SERIAL_SIZE),
    {0x400ffff0, 0x10, REGION_REGISTERS, 32, AT_PORT},
    {0x50000000, 0xb00, REGION_REGISTERS, 32, AT_GPIO},
    SCS_REGIONS(AT_SCS),
    {0xf0000fe0, 0x20, REGION_REGISTERS, 32, AT_FACTS + 0x780},
};

const struct chip chip_nrf52840 = {
    .name = "nrf52840",
    .isa = &isa_cortex,
    .core = &core,
    CHIP_REGIONS(regions),
    .ports = "000011",
    .default_hz = 64000000,
    CHIP_DEVICES(devices),
};
