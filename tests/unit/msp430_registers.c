/* All registers of the MSP430 chips, written and read at random: nothing a firmware does to them may crash or hang, and
 * a node that goes back to a snapshot does the same again. */
#include "bare.h"

#include "registers/msp430f1611.h"

static uint32_t seed;

static uint32_t random_below(uint32_t limit)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)seed * limit) >> 32);
}

static bool within(uint16_t address, uint16_t first, uint16_t last)
{
    return address >= first && address <= last;
}

/* Not written: the watchdog and the port that ends a run, and the flash's registers but by words with their key. */
static bool spared(uint16_t address)
{
    return within(address, WDTCTL, WDTCTL + 1) || within(address, 0xf8, 0xf9);
}

static bool has_key(uint16_t address)
{
    return within(address, FCTL1, FCTL3 + 1);
}

static void act(struct node *n)
{
    uint16_t address = (uint16_t)random_below(0x200), value = (uint16_t)random_below(0x10000);
    switch (random_below(6)) {
    case 0:
        if (!spared(address) && !has_key(address))
            node_write(n, address, (uint8_t)value);
        break;
    case 1:
    case 2:
        address &= 0xfffe;
        if (!spared(address))
            node_write_word(n, address, has_key(address) ? (uint16_t)(FWKEY | (value & 0xff)) : value);
        break;
    case 3: node_read_word(n, address & 0xfffe); break;
    case 4: pin_drive(n, random_below(49), (enum pin_drive)random_below(5)); break;
    default: {
        unsigned line = random_below(15);
        const struct wire *w = &n->machine->lines[line];
        if (bare_asks(n, line) && w->device && w->device->type->acknowledge)
            w->device->type->acknowledge(n, w->device, w->role);
        break;
    }
    }
}

static void live(struct node *n, uint32_t start, unsigned actions)
{
    seed = start;
    for (unsigned i = 0; i < actions; i++) {
        bare_at(n, n->state->now + random_below(random_below(20) ? 3000 : 3000000));
        act(n);
    }
}

static void registers_survive_anything(const char *name)
{
    for (uint32_t i = 0; i < 12; i++) {
        struct bare b = bare_chip(name);
        struct node *n = b.node;
        bare_write_word(n, 0, WDTCTL, WDTPW | WDTHOLD);
        live(n, 1 + i, 3000);
        struct snapshot *s = snapshot_take(n);
        live(n, 1000 + i, 3000);
        struct digest once = node_digest(n);
        snapshot_restore(n, s);
        n->time = n->state->now;
        live(n, 1000 + i, 3000);
        struct digest again = node_digest(n);
        assert_memory_equal(&once, &again, sizeof once);
        snapshot_free(s);
        bare_free(b);
    }
}

static void those_of_the_f1611(void **state)
{
    (void)state;
    registers_survive_anything("msp430f1611");
}

static void those_of_the_f149(void **state)
{
    (void)state;
    registers_survive_anything("msp430f149");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(those_of_the_f1611), cmocka_unit_test(those_of_the_f149)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
