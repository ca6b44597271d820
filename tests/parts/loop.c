/* An inverter. An odd number of them in a ring change each other without end once `kick` changes. It also crashes on
 * demand. */
#include <motet/part.h>

static const struct motet_leg legs[] = {
    {.name = "in", .kind = MOTET_LEG_INPUT},
    {.name = "kick", .kind = MOTET_LEG_INPUT},
    {.name = "out", .kind = MOTET_LEG_OUTPUT},
};
static const struct motet_parameter parameters[] = {{.name = "crash", .usual = 0, .least = 0, .most = 1}};

static void invert(const struct motet_mount *m, unsigned leg, bool level)
{
    (void)leg, (void)level;
    if (motet_part_parameter(m, 0))
        *(volatile int *)(uintptr_t)motet_part_parameter(m, 0) = 1;
    motet_part_drive(m, 2, motet_part_level(m, 0) ? MOTET_LOW : MOTET_HIGH);
}

MOTET_PART_EXPORT const struct motet_part motet_part = {
    .version = MOTET_PART_VERSION,
    .size = sizeof(struct motet_part),
    .name = "inverter",
    .legs = legs,
    .leg_count = 3,
    .parameters = parameters,
    .parameter_count = 1,
    .pin = invert,
};
