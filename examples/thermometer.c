/* A thermometer on an I2C bus, as a part of a board; it resembles the LM75.
 *
 *     cc -shared -fPIC -o thermometer.so thermometer.c $(pkg-config --cflags motet)
 *     motet run --board uno --part ./thermometer.so:i2c0,PD2,address=0x49 --sense temperature=31.5C weather.elf
 *
 * It measures every 100 ms, first when its power comes on. The first byte written chooses a register: 0 is the
 * temperature in 1/256 degrees, 1 is the limit in degrees; both are two bytes, the high one first. `alert` is high
 * while the temperature is above the limit.
 */
#include <motet/part.h>

enum { BUS, ALERT, TEMPERATURE };
enum { ADDRESS };
enum { REGISTERS = 2 };

static const struct motet_leg legs[] = {
    [BUS] = {.name = "bus", .kind = MOTET_LEG_I2C},
    [ALERT] = {.name = "alert", .kind = MOTET_LEG_OUTPUT},
    [TEMPERATURE] = {.name = "temperature", .kind = MOTET_LEG_SENSE, .unit = "C", .usual = 20000000},
};

static const struct motet_parameter parameters[] = {
    [ADDRESS] = {.name = "address", .usual = 0x48, .least = 0x48, .most = 0x4f},
};

struct thermometer {
    uint16_t registers[REGISTERS]; /* temperature, limit */
    uint8_t chosen, bytes;         /* the register, and how many bytes have followed */
};

static void measure(const struct motet_mount *m, unsigned timer)
{
    struct thermometer *t = m->state;
    int16_t measured = (int16_t)((int64_t)motet_part_sense(m, TEMPERATURE) * 256 / 1000000);
    t->registers[0] = (uint16_t)measured;
    motet_part_drive(m, ALERT, measured > (int16_t)t->registers[1] ? MOTET_HIGH : MOTET_LOW);
    motet_part_after(m, timer, 100000000);
}

static void power_on(const struct motet_mount *m)
{
    struct thermometer *t = m->state;
    t->registers[1] = 80 * 256;
    motet_part_after(m, 0, 0);
}

static bool start(const struct motet_mount *m, unsigned leg, uint8_t address, bool reads)
{
    struct thermometer *t = m->state;
    (void)leg, (void)reads;
    t->bytes = 0;
    return address == motet_part_parameter(m, ADDRESS);
}

static bool take(const struct motet_mount *m, unsigned leg, uint8_t byte)
{
    struct thermometer *t = m->state;
    (void)leg;
    if (t->bytes == 0)
        t->chosen = byte % REGISTERS;
    else if (t->chosen == 1 && t->bytes <= 2)
        t->registers[1] = (uint16_t)(t->registers[1] << 8 | byte);
    t->bytes++;
    return true;
}

static uint8_t give(const struct motet_mount *m, unsigned leg, bool last)
{
    struct thermometer *t = m->state;
    (void)leg, (void)last;
    return (uint8_t)(t->registers[t->chosen] >> (t->bytes++ % 2 ? 0 : 8));
}

MOTET_PART_EXPORT const struct motet_part motet_part = {
    .version = MOTET_PART_VERSION,
    .size = sizeof(struct motet_part),
    .name = "thermometer",
    .legs = legs,
    .leg_count = sizeof legs / sizeof *legs,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .state_size = sizeof(struct thermometer),
    .timers = 1,
    .power_on = power_on,
    .i2c_start = start,
    .i2c_write = take,
    .i2c_read = give,
    .timer = measure,
};
