/* A part that uses every kind of leg and every service, and mixes all that it gets into its state. With MISUSE it asks
 * for what its table does not have. With a name of WRONG_... its table or file has that one defect. */
#include <motet/part.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef PART_NAME
#define PART_NAME "every"
#endif

enum { IN, OUT, WIRE, BUS, TWO, LINE, VOLTS, LIGHT };
enum { STEP, SCALE };
enum { TIMERS = 2 };

static const struct motet_leg legs[] = {
    [IN] = {.name = "in", .kind = MOTET_LEG_INPUT},        [OUT] = {.name = "out", .kind = MOTET_LEG_OUTPUT},
    [WIRE] = {.name = "wire", .kind = MOTET_LEG_BOTH},     [BUS] = {.name = "bus", .kind = MOTET_LEG_SPI},
    [TWO] = {.name = "two", .kind = MOTET_LEG_I2C},
#ifdef WRONG_TWICE
    [LINE] = {.name = "two", .kind = MOTET_LEG_SERIAL},
#else
    [LINE] = {.name = "line", .kind = MOTET_LEG_SERIAL},
#endif
    [VOLTS] = {.name = "volts", .kind = MOTET_LEG_ANALOG},
#ifdef WRONG_UNIT
    [LIGHT] = {.name = "light", .kind = MOTET_LEG_SENSE},
#elif defined WRONG_KIND
    [LIGHT] = {.name = "light", .kind = (enum motet_leg_kind)99},
#else
    [LIGHT] = {.name = "light", .kind = MOTET_LEG_SENSE, .unit = "lux", .usual = 300000000},
#endif
};

static const struct motet_parameter parameters[] = {
    [STEP] = {.name = "step", .usual = 1000, .least = 0, .most = 1000000},
#ifdef WRONG_PARAMETER
    [SCALE] = {.name = "scale", .usual = 5, .least = -4, .most = 4},
#else
    [SCALE] = {.name = "scale", .usual = -3, .least = -4, .most = 4},
#endif
};

struct every {
    uint64_t sum, last;
    uint32_t pins, bytes, echoes;
    uint16_t random;
    bool out;
};

#ifdef WRONG_VARIABLE
static unsigned calls;
#endif
#ifdef WRONG_LOCAL
static unsigned *counter(void)
{
    static unsigned counted = 7;
    counted++;
    return &counted;
}
#endif
#ifdef WRONG_THREAD
static __thread unsigned calls;
#endif

static void mix(const struct motet_mount *m, uint64_t value)
{
    struct every *s = m->state;
    s->sum = (s->sum ^ value ^ motet_part_ticks(m)) * 0x100000001b3;
    s->last = motet_part_now(m);
#if defined WRONG_VARIABLE || defined WRONG_THREAD
    s->sum += ++calls;
#endif
#ifdef WRONG_LOCAL
    s->sum += *counter();
#endif
#ifdef POINTER
    s->sum += (uintptr_t)m->state;
#endif
#ifdef WRONG_TIME
    s->sum += (uint64_t)time(NULL);
#endif
#ifdef WRONG_MEMORY
    s->sum += (uintptr_t)malloc(8);
#endif
}

static void power_on(const struct motet_mount *m)
{
    struct every *s = m->state;
    s->random = (uint16_t)motet_part_random(m);
    motet_part_drive(m, OUT, MOTET_LOW);
    motet_part_drive(m, WIRE, MOTET_PULLED_UP);
    mix(m, (uint64_t)motet_part_sense(m, LIGHT));
    motet_part_after(m, 0, (uint64_t)motet_part_parameter(m, STEP));
    motet_part_after_ticks(m, 1, 0);
#ifdef BEYOND
    ((uint8_t *)m->state)[sizeof *s] = 1;
#endif
#ifdef MISUSE
    motet_part_drive(m, IN, MOTET_HIGH);
    motet_part_drive(m, OUT, (enum motet_drive)77);
    motet_part_level(m, 4000000000);
    motet_part_send(m, IN, 0);
    motet_part_sense(m, OUT);
    motet_part_parameter(m, 2);
    motet_part_after(m, TIMERS, 1);
    motet_part_cancel(m, 4000000000);
    motet_part_report(m, NULL);
#endif
}

static void pin(const struct motet_mount *m, unsigned leg, bool level)
{
    struct every *s = m->state;
    s->pins++;
    mix(m, leg << 1 | level);
    if (leg == IN) {
        s->out = !s->out;
        motet_part_drive(m, OUT, s->out ? MOTET_HIGH : MOTET_LOW);
    }
}

static uint8_t spi(const struct motet_mount *m, unsigned leg, uint8_t byte)
{
    struct every *s = m->state;
    uint8_t answer = (uint8_t)s->bytes++;
    mix(m, leg << 8 | byte);
    return answer;
}

static bool i2c_start(const struct motet_mount *m, unsigned leg, uint8_t address, bool reads)
{
    mix(m, leg << 8 | address << 1 | reads);
    return address == 0x33;
}

static bool i2c_write(const struct motet_mount *m, unsigned leg, uint8_t byte)
{
    mix(m, leg << 8 | byte);
    return byte != 0xee;
}

static uint8_t i2c_read(const struct motet_mount *m, unsigned leg, bool last)
{
    struct every *s = m->state;
    mix(m, leg << 8 | last);
    return (uint8_t)(s->random >> (last ? 8 : 0));
}

static void i2c_stop(const struct motet_mount *m, unsigned leg)
{
    mix(m, leg);
    motet_part_report(m, "stop\033[31m");
}

/* Every byte comes back, one higher. */
static void serial(const struct motet_mount *m, unsigned leg, uint8_t byte)
{
    struct every *s = m->state;
    s->echoes += motet_part_send(m, leg, (uint8_t)(byte + 1));
    mix(m, leg << 8 | byte);
}

static int32_t analog(const struct motet_mount *m, unsigned leg)
{
    (void)leg;
    return (int32_t)(1000000 + 100000 * motet_part_parameter(m, SCALE)); /* 0.7 V by default */
}

static void timer(const struct motet_mount *m, unsigned number)
{
    mix(m, number ^ (uint64_t)motet_part_sense(m, LIGHT));
    if (number == 0) {
        motet_part_drive(m, WIRE, motet_part_level(m, IN) ? MOTET_LOW : MOTET_PULLED_UP);
        motet_part_after(m, 0, (uint64_t)motet_part_parameter(m, STEP));
    } else {
        motet_part_cancel(m, 1);
        motet_part_after_ticks(m, 1, motet_part_hz(m) / 1000 + motet_part_random(m) % 100);
    }
}

#ifndef WRONG_NONE
MOTET_PART_EXPORT
#ifndef WRONG_TABLE
const
#endif
    struct motet_part motet_part = {
#ifdef WRONG_VERSION
        .version = 7,
#else
    .version = MOTET_PART_VERSION,
#endif
#ifdef WRONG_SIZE
        .size = 24,
#else
    .size = sizeof(struct motet_part),
#endif
#ifdef WRONG_NAME
        .name = "every\nthing",
#else
    .name = PART_NAME,
#endif
#ifdef WRONG_LIST
        .leg_count = 3,
#elif defined WRONG_LEGS
    .legs = legs,
    .leg_count = 40,
#else
    .legs = legs,
    .leg_count = sizeof legs / sizeof *legs,
#endif
        .parameters = parameters,
        .parameter_count = sizeof parameters / sizeof *parameters,
#ifdef WRONG_STATE
        .state_size = (size_t)-1,
#else
    .state_size = sizeof(struct every),
#endif
#ifdef WRONG_TIMERS
        .timers = 1000,
#else
    .timers = TIMERS,
#endif
        .power_on = power_on,
#ifndef WRONG_FUNCTION
        .pin = pin,
#endif
        .spi = spi,
        .i2c_start = i2c_start,
        .i2c_write = i2c_write,
        .i2c_read = i2c_read,
        .i2c_stop = i2c_stop,
        .serial = serial,
        .analog = analog,
#ifndef WRONG_TIMER
        .timer = timer,
#endif
};
#endif
