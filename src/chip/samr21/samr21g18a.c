/* ATSAMR21G18A, from its datasheet (42223G): Cortex-M0+, 256 KB of flash, 32 KB of RAM, an AT86RF233 in the same
 * package, which is a part of the board here. Its other peripherals are not there: an access to one is a fault. */
#include "chip/chips.h"
#include "device/cortex/scs.h"
#include "device/samr21/clocks.h"
#include "device/samr21/port.h"
#include "device/samr21/sercom.h"
#include "device/samr21/tc.h"
#include "device/simulation.h"
#include "isa/cortex/cortex.h"

static const struct cortex_core core = {.external = 28, .priority_bits = 2, .baseline = true, .cpuid = 0x410cc601};

#define SERCOM(n)                                                                            \
    {                                                                                        \
        0x42000800 + 0x400 * (n), CORTEX_EXTERNAL + 9 + (n), SAMR21_CLOCK_SERCOM0 + (n), (n) \
    }
static const struct samr21_sercom sercom0 = SERCOM(0), sercom1 = SERCOM(1), sercom2 = SERCOM(2), sercom3 = SERCOM(3),
                                  sercom4 = SERCOM(4), sercom5 = SERCOM(5);
static const struct samr21_tc tc3 = {0x42002c00, CORTEX_EXTERNAL + 18, SAMR21_CLOCK_TC3},
                              tc4 = {0x42003000, CORTEX_EXTERNAL + 19, SAMR21_CLOCK_TC4_TC5},
                              tc5 = {0x42003400, CORTEX_EXTERNAL + 20, SAMR21_CLOCK_TC4_TC5};
static const struct samr21_port pa = {0x41004400, SAMR21_PIN(0, 0)}, pb = {0x41004480, SAMR21_PIN(1, 0)},
                                pc = {0x41004500, SAMR21_PIN(2, 0)};
static const struct simulation port = {0x400ffff0};

static const struct chip_device devices[] = {
    SCS_DEVICES,
    {"clocks", &samr21_clocks, NULL},
    {"port a", &samr21_port, &pa},
    {"port b", &samr21_port, &pb},
    {"port c", &samr21_port, &pc},
    {"sercom0", &samr21_sercom, &sercom0},
    {"sercom1", &samr21_sercom, &sercom1},
    {"sercom2", &samr21_sercom, &sercom2},
    {"sercom3", &samr21_sercom, &sercom3},
    {"sercom4", &samr21_sercom, &sercom4},
    {"sercom5", &samr21_sercom, &sercom5},
    {"tc3", &samr21_tc, &tc3},
    {"tc4", &samr21_tc, &tc4},
    {"tc5", &samr21_tc, &tc5},
    {"motet port", &simulation_port, &port},
};

enum {
    AT_PM = 0,
    AT_SYSCTRL = AT_PM + 0x40,
    AT_GCLK = AT_SYSCTRL + 0x60,
    AT_WDT = AT_GCLK + 0x10,
    AT_NVMCTRL = AT_WDT + 0x10,
    AT_PORT = AT_NVMCTRL + 0x30,
    AT_SERCOMS = AT_PORT + 0x180,
    SERCOM_SIZE = 0x40,
    AT_TCS = AT_SERCOMS + 6 * SERCOM_SIZE,
    TC_SIZE = 0x20,
    AT_SIMULATION = AT_TCS + 3 * TC_SIZE,
    AT_SCS = AT_SIMULATION + 0x10,
    AT_RAM = (AT_SCS + SCS_PLACES + 0xff) / 0x100 * 0x100,
};
#define REGISTERS(first, size, place)            \
    {                                            \
        first, size, REGION_REGISTERS, 32, place \
    }
#define SERCOM_REGISTERS(n) REGISTERS(0x42000800 + 0x400 * (n), SERCOM_SIZE, AT_SERCOMS + SERCOM_SIZE * (n))

static const struct region regions[] = {
    {0x00000000, 0x40000, REGION_FLASH, 32, 0},
    {0x20000000, 0x8000, REGION_RAM, 32, AT_RAM},
    REGISTERS(0x40000400, 0x40, AT_PM),
    REGISTERS(0x40000800, 0x60, AT_SYSCTRL),
    REGISTERS(0x40000c00, 0x10, AT_GCLK),
    REGISTERS(0x40001000, 0x10, AT_WDT),
    REGISTERS(0x400ffff0, 0x10, AT_SIMULATION),
    REGISTERS(0x41004000, 0x30, AT_NVMCTRL),
    REGISTERS(0x41004400, 0x180, AT_PORT),
    SERCOM_REGISTERS(0),
    SERCOM_REGISTERS(1),
    SERCOM_REGISTERS(2),
    SERCOM_REGISTERS(3),
    SERCOM_REGISTERS(4),
    SERCOM_REGISTERS(5),
    REGISTERS(0x42002c00, TC_SIZE, AT_TCS),
    REGISTERS(0x42003000, TC_SIZE, AT_TCS + TC_SIZE),
    REGISTERS(0x42003400, TC_SIZE, AT_TCS + 2 * TC_SIZE),
    {0x60000000, 0x180, REGION_ALIAS, 32, 0x41004400}, /* the ports again, at the CPU's own bus */
    SCS_REGIONS(AT_SCS),
};

const struct chip chip_samr21g18a = {
    .name = "samr21g18a",
    .isa = &isa_cortex,
    .core = &core,
    CHIP_REGIONS(regions),
    .ports = "AAAABBBBCCCC",
    .default_hz = 96000000,
    .reset_hz = 1000000,
    CHIP_DEVICES(devices),
};
