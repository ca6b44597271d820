/* Firmwares that check themselves (tests/power), on each chip they are built for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "chip/chip.h"
#include "device/simulation.h"
#include "image/image.h"
#include "node/machine.h"
#include "node/node.h"
#include "node/taps.h"

enum { HZ = 16000000 };

static char console[64];

static void hear(void *context, const struct motet_node *handle, const struct motet_happened *h)
{
    (void)context, (void)handle;
    size_t length = strlen(console);
    if (h->serial.line == SIMULATION_LINE && length + 1 < sizeof console)
        console[length] = (char)h->serial.frame;
}

/* Runs it to its end, which must be a good one; returns the tick at which it came. */
static uint64_t run_firmware(const char *name, const char *chip)
{
    char path[512];
    snprintf(path, sizeof path, FIRMWARE_DIR "/power-%s-%s.elf", name, chip);
    struct motet_error e = {0};
    struct image *image = image_load(path, &e);
    assert_non_null(image);
    struct machine_options o = {.hz = HZ, .fuses = {-1, -1, -1}, .lock = -1};
    struct machine *m = machine_new(chip_named(chip), NULL, image, &o, &e);
    assert_non_null(m);
    struct node *n = node_new(m, 1, 1);
    memset(console, 0, sizeof console);
    tap_hook(n, MOTET_ON(SERIAL), hear, NULL);
    node_run(n, 5 * (uint64_t)HZ);
    if (n->state->exit != NODE_EXIT_FIRMWARE || n->state->exit_status != 0)
        fail_msg("%s ended with reason %u, status (line) %u", path, n->state->exit, n->state->exit_status);
    uint64_t end = n->state->now - node_ticks(n, 0.020); /* node_halt lets devices finish */
    node_free(n);
    machine_free(m);
    return end;
}

static const char *const all[] = {"atmega128", "atmega1281", "atmega2560", "atmega168", "atmega328p"};
enum { ALL = sizeof all / sizeof *all };

static void eeprom(void **state)
{
    (void)state;
    for (int i = 0; i < ALL; i++) {
        uint64_t end = run_firmware("eeprom", all[i]);
        /* 1 + 5 (one letter in common) + 4 + 2 bytes are written, each 8.5 or 3.4 ms */
        double least = i == 0 ? 8.5e-3 : 3.4e-3;
        assert_in_range(end, (uint64_t)(11 * least * HZ), (uint64_t)(12 * least * HZ + 0.001 * HZ));
    }
}

static void watchdog(void **state)
{
    (void)state;
    for (int i = 0; i < ALL; i++) {
        run_firmware("watchdog", all[i]);
        assert_string_equal(console, "alive\n");
    }
}

/* Ten time-outs of 16 ms, and after the last 16K CK of start-up and a few instructions. */
static void nap(void **state)
{
    (void)state;
    for (int i = 1; i < ALL; i++)
        assert_in_range(run_firmware("nap", all[i]), 10 * 256000 + 16384, 10 * 256000 + 16384 + 200);
}

/* 100000 cycles at an oscillator divided by 64. */
static void prescale(void **state)
{
    (void)state;
    for (int i = 1; i < ALL; i++)
        assert_in_range(run_firmware("prescale", all[i]), 64 * 100000, 64 * 100100);
}

static void boot(void **state)
{
    (void)state;
    for (int i = 0; i < ALL; i++)
        run_firmware("boot", all[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eeprom),   cmocka_unit_test(watchdog), cmocka_unit_test(nap),
        cmocka_unit_test(prescale), cmocka_unit_test(boot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
