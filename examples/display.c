/* A text display on an SPI bus, as a part of a board: two lines of 16 characters.
 *
 *     cc -shared -fPIC -o display.so display.c $(pkg-config --cflags motet)
 *     motet run --board uno --part ./display.so:spi0,PB2,PB1,PB0 --trace parts weather.elf
 *
 * With `data` high a byte is a character for the place of the cursor. With `data` low it is a command: 0x01 clears
 * all, which takes 1.5 ms with `busy` high; 0x80 + n moves the cursor to place n, the second line begins at 16. What it
 * shows is reported when `select` rises.
 */
#include <motet/part.h>
#include <string.h>

enum { BUS, SELECT, DATA, BUSY };
enum { COLUMNS = 16, PLACES = 2 * COLUMNS };
enum { CLEAR = 0x01, MOVE = 0x80 };

static const struct motet_leg legs[] = {
    [BUS] = {.name = "bus", .kind = MOTET_LEG_SPI},
    [SELECT] = {.name = "select", .kind = MOTET_LEG_INPUT}, /* active low */
    [DATA] = {.name = "data", .kind = MOTET_LEG_INPUT},
    [BUSY] = {.name = "busy", .kind = MOTET_LEG_OUTPUT},
};

struct display {
    char text[PLACES];
    uint8_t cursor, busy, changed;
};

static void power_on(const struct motet_mount *m)
{
    struct display *d = m->state;
    memset(d->text, ' ', sizeof d->text);
    motet_part_drive(m, BUSY, MOTET_LOW);
}

static void command(const struct motet_mount *m, struct display *d, uint8_t byte)
{
    if (byte == CLEAR) {
        memset(d->text, ' ', sizeof d->text);
        d->cursor = 0;
        d->busy = d->changed = 1;
        motet_part_drive(m, BUSY, MOTET_HIGH);
        motet_part_after(m, 0, 1500000);
    } else if (byte & MOVE) {
        d->cursor = byte % PLACES;
    }
}

static uint8_t exchange(const struct motet_mount *m, unsigned leg, uint8_t byte)
{
    struct display *d = m->state;
    (void)leg;
    if (motet_part_level(m, SELECT) || d->busy)
        return 0xff;
    if (!motet_part_level(m, DATA)) {
        command(m, d, byte);
    } else {
        d->text[d->cursor] = byte >= ' ' && byte < 0x7f ? (char)byte : '?';
        d->cursor = (d->cursor + 1) % PLACES;
        d->changed = 1;
    }
    return 0;
}

static void pin(const struct motet_mount *m, unsigned leg, bool level)
{
    struct display *d = m->state;
    char shown[PLACES + 4];
    if (leg != SELECT || !level || !d->changed)
        return;
    d->changed = 0;
    shown[0] = shown[COLUMNS + 1] = shown[PLACES + 2] = '|';
    memcpy(shown + 1, d->text, COLUMNS);
    memcpy(shown + COLUMNS + 2, d->text + COLUMNS, COLUMNS);
    shown[PLACES + 3] = 0;
    motet_part_report(m, shown);
}

static void cleared(const struct motet_mount *m, unsigned timer)
{
    struct display *d = m->state;
    (void)timer;
    d->busy = 0;
    motet_part_drive(m, BUSY, MOTET_LOW);
}

MOTET_PART_EXPORT const struct motet_part motet_part = {
    .version = MOTET_PART_VERSION,
    .size = sizeof(struct motet_part),
    .name = "display",
    .legs = legs,
    .leg_count = sizeof legs / sizeof *legs,
    .state_size = sizeof(struct display),
    .timers = 1,
    .power_on = power_on,
    .pin = pin,
    .spi = exchange,
    .timer = cleared,
};
