/* CC2538SF53 of Texas Instruments: Cortex-M3, 512 KB of flash, 32 KB of RAM, a radio of IEEE 802.15.4 (CC2538 User's
 * Guide, SWRU319C; data sheet SWRS096D). PKA is not there: an access to its registers is a fault. */
#include "chip/chips.h"
#include "device/cc2538/crypto.h"
#include "device/cc2538/flash.h"
#include "device/cc2538/gpio.h"
#include "device/cc2538/gptimer.h"
#include "device/cc2538/i2c.h"
#include "device/cc2538/rf.h"
#include "device/cc2538/sleep_timer.h"
#include "device/cc2538/soc_adc.h"
#include "device/cc2538/ssi.h"
#include "device/cc2538/sys_ctrl.h"
#include "device/cc2538/trim.h"
#include "device/cc2538/uart.h"
#include "device/cc2538/udma.h"
#include "device/cc2538/usb.h"
#include "device/cortex/scs.h"
#include "device/simulation.h"
#include "isa/cortex/cortex.h"
#include "node/pins.h"

#define LINE(interrupt) (CORTEX_EXTERNAL + (interrupt))
#define GPIO(number)                                                 \
    {                                                                \
        {0x400d9000 + 0x1000 * (number), LINE(number)}, 8 * (number) \
    }
#define GPTIMER(number, a)                                       \
    {                                                            \
        {0x40030000 + 0x1000 * (number), LINE(a)}, LINE((a) + 1) \
    }

static const struct cortex_core core = {
    .external = 147, .priority_bits = 3, .mpu = true, .cpuid = 0x412fc230, .boot = CC2538_BOOT, .bit_band = true};

static const struct block32 sys_ctrl = {0x400d2000, 0}, flash = {0x400d3000, 0}, ioc = {CC2538_IOC, 0},
                            sleep_timer = {0x400d5000, 0}, soc_adc = {0x400d7000, LINE(14)},
                            udma = {0x400ff000, LINE(46)}, rf = {CC2538_RF, 0}, usb = {0x40089000, 0},
                            crypto = {CC2538_CRYPTO, 0};
static const struct cc2538_gpio port_a = GPIO(0), port_b = GPIO(1), port_c = GPIO(2), port_d = GPIO(3);
static const struct cc2538_gptimer timer0 = GPTIMER(0, 19), timer1 = GPTIMER(1, 21), timer2 = GPTIMER(2, 23),
                                   timer3 = GPTIMER(3, 35);
static const struct cc2538_uart uart0 = {{0x4000c000, LINE(5)}, 0}, uart1 = {{0x4000d000, LINE(6)}, 1};
static const struct cc2538_ssi ssi0 = {{0x40008000, LINE(7)}, 0}, ssi1 = {{0x40009000, LINE(34)}, 1};
static const struct cc2538_i2c i2c = {{0x40020000, LINE(8)}, 0};
static const struct cc2538_trim ana = {{0x400d6000, 0}, 0x10}, cctest = {{0x44010000, 0}, 0x60};
static const struct simulation port = {0x400ffff0};

static const struct chip_device devices[] = {
    SCS_DEVICES,
    {"sys_ctrl", &cc2538_sys_ctrl, &sys_ctrl},
    {"flash", &cc2538_flash, &flash},
    {"ioc", &cc2538_ioc, &ioc},
    {"port a", &cc2538_gpio, &port_a},
    {"data a", &cc2538_gpio_data, &port_a},
    {"port b", &cc2538_gpio, &port_b},
    {"data b", &cc2538_gpio_data, &port_b},
    {"port c", &cc2538_gpio, &port_c},
    {"data c", &cc2538_gpio_data, &port_c},
    {"port d", &cc2538_gpio, &port_d},
    {"data d", &cc2538_gpio_data, &port_d},
    {"sleep timer", &cc2538_sleep_timer, &sleep_timer},
    {"timer0", &cc2538_gptimer, &timer0},
    {"timer1", &cc2538_gptimer, &timer1},
    {"timer2", &cc2538_gptimer, &timer2},
    {"timer3", &cc2538_gptimer, &timer3},
    {"uart0", &cc2538_uart, &uart0},
    {"uart1", &cc2538_uart, &uart1},
    {"ssi0", &cc2538_ssi, &ssi0},
    {"ssi1", &cc2538_ssi, &ssi1},
    {"i2c", &cc2538_i2c, &i2c},
    {"adc", &cc2538_soc_adc, &soc_adc},
    {"udma", &cc2538_udma, &udma},
    {"radio", &cc2538_rf, &rf},
    {"usb", &cc2538_usb, &usb},
    {"crypto", &cc2538_crypto, &crypto},
    {"ana_regs", &cc2538_trim, &ana},
    {"cctest", &cc2538_trim, &cctest},
    {"motet port", &simulation_port, &port},
};

/* Places of registers: one block after the other. */
enum {
    SSI_SIZE = 0xfd0,
    UART_SIZE = 0xfd0,
    TIMER_SIZE = 0xfd0,
    I2C_SIZE = 0x30,
    PORT_SIZE = 0x730,
    AT_INFORMATION = 0,
    AT_SSIS = AT_INFORMATION + CC2538_INFORMATION_SIZE,
    AT_UARTS = AT_SSIS + 2 * SSI_SIZE,
    AT_I2C = AT_UARTS + 2 * UART_SIZE,
    AT_TIMERS = AT_I2C + I2C_SIZE,
    AT_RF = AT_TIMERS + 4 * TIMER_SIZE,
    AT_USB = AT_RF + 0x840,
    AT_CRYPTO = AT_USB + 0xb0,
    AT_SYS_CTRL = AT_CRYPTO + CC2538_CRYPTO_SIZE,
    AT_FLASH = AT_SYS_CTRL + 0xc0,
    AT_IOC = AT_FLASH + 0x20,
    AT_SLEEP_TIMER = AT_IOC + 0x180,
    AT_ANA = AT_SLEEP_TIMER + 0x70,
    AT_ADC = AT_ANA + 0x10,
    AT_PORTS = AT_ADC + 0x30,
    AT_UDMA = AT_PORTS + 4 * PORT_SIZE,
    AT_PORT = AT_UDMA + 0x520,
    AT_CCTEST = AT_PORT + 0x10,
    AT_SCS = AT_CCTEST + 0x60,
    AT_RAM = (AT_SCS + SCS_PLACES + 0xff) / 0x100 * 0x100,
};
#define REGISTERS(first, size, place)            \
    {                                            \
        first, size, REGION_REGISTERS, 32, place \
    }

/* The program memory of a node has ROM and flash at their own addresses. */
static const struct region regions[] = {
    {0x00000000, 0x20000, REGION_FLASH, 32, 0},
    {0x00200000, 0x80000, REGION_FLASH, 32, 0x00200000},
    REGISTERS(CC2538_INFORMATION, CC2538_INFORMATION_SIZE, AT_INFORMATION),
    {0x20000000, 0x8000, REGION_RAM, 32, AT_RAM},
    REGISTERS(0x40008000, SSI_SIZE, AT_SSIS),
    REGISTERS(0x40009000, SSI_SIZE, AT_SSIS + SSI_SIZE),
    REGISTERS(0x4000c000, UART_SIZE, AT_UARTS),
    REGISTERS(0x4000d000, UART_SIZE, AT_UARTS + UART_SIZE),
    REGISTERS(0x40020000, I2C_SIZE, AT_I2C),
    REGISTERS(0x40030000, TIMER_SIZE, AT_TIMERS),
    REGISTERS(0x40031000, TIMER_SIZE, AT_TIMERS + TIMER_SIZE),
    REGISTERS(0x40032000, TIMER_SIZE, AT_TIMERS + 2 * TIMER_SIZE),
    REGISTERS(0x40033000, TIMER_SIZE, AT_TIMERS + 3 * TIMER_SIZE),
    REGISTERS(CC2538_RF, CC2538_RF_SIZE, AT_RF),
    REGISTERS(0x40089000, 0xb0, AT_USB),
    REGISTERS(CC2538_CRYPTO, CC2538_CRYPTO_SIZE, AT_CRYPTO),
    REGISTERS(0x400d2000, 0xc0, AT_SYS_CTRL),
    REGISTERS(0x400d3000, 0x20, AT_FLASH),
    REGISTERS(CC2538_IOC, 0x180, AT_IOC),
    REGISTERS(0x400d5000, 0x70, AT_SLEEP_TIMER),
    REGISTERS(0x400d6000, 0x10, AT_ANA),
    REGISTERS(0x400d7000, 0x30, AT_ADC),
    REGISTERS(0x400d9000, PORT_SIZE, AT_PORTS),
    REGISTERS(0x400da000, PORT_SIZE, AT_PORTS + PORT_SIZE),
    REGISTERS(0x400db000, PORT_SIZE, AT_PORTS + 2 * PORT_SIZE),
    REGISTERS(0x400dc000, PORT_SIZE, AT_PORTS + 3 * PORT_SIZE),
    REGISTERS(0x400ff000, 0x520, AT_UDMA),
    REGISTERS(0x400ffff0, 0x10, AT_PORT),
    REGISTERS(0x44010000, 0x60, AT_CCTEST),
    SCS_REGIONS(AT_SCS),
};

const struct chip chip_cc2538 = {
    .name = "cc2538",
    .isa = &isa_cortex,
    .core = &core,
    CHIP_REGIONS(regions),
    .ports = "ABCD",
    .default_hz = 32000000,
    .reset_hz = 16000000,
    CHIP_DEVICES(devices),
};
