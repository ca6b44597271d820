/* Firmwares (tests/timer) that use the timers, and the timelines the datasheets give them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "chip/chip.h"
#include "image/image.h"
#include "node/machine.h"
#include "node/node.h"
#include "node/pins.h"
#include "node/taps.h"

enum { LONGEST = 4000 };

struct timeline {
    unsigned count;
    struct {
        uint64_t tick;
        uint8_t pin;
        bool level;
    } at[LONGEST];
};

static struct timeline seen;

static void note(void *context, const struct motet_node *handle, const struct motet_happened *h)
{
    (void)handle;
    struct timeline *t = context;
    if (t->count < LONGEST) {
        t->at[t->count].tick = h->tick;
        t->at[t->count].pin = (uint8_t)h->pin.pin;
        t->at[t->count++].level = h->pin.level;
    }
}

static struct node *load(const char *path, const char *chip, uint64_t hz, int low_fuse)
{
    struct motet_error e = {0};
    struct image *image = image_load(path, &e);
    assert_non_null(image);
    struct machine_options o = {.hz = hz, .fuses = {-1, -1, low_fuse}, .lock = -1};
    struct machine *m = machine_new(chip_named(chip), NULL, image, &o, &e);
    assert_non_null(m);
    struct node *n = node_new(m, 1, 1);
    seen.count = 0;
    tap_hook(n, MOTET_ON(PIN), note, &seen);
    return n;
}

static void unload(struct node *n)
{
    struct machine *m = (struct machine *)(uintptr_t)n->machine;
    node_free(n);
    machine_free(m);
}

/* The distances between the changes of a pin from its `skip`th on; those that end in `level`, or all. */
static unsigned distances(unsigned pin, unsigned skip, uint64_t *rising, uint64_t *falling)
{
    uint64_t last = 0;
    unsigned changes = 0;
    for (unsigned i = 0; i < seen.count; i++) {
        if (seen.at[i].pin != pin)
            continue;
        uint64_t distance = seen.at[i].tick - last;
        last = seen.at[i].tick;
        if (changes++ <= skip)
            continue;
        uint64_t *slot = seen.at[i].level ? rising : falling;
        if (*slot && *slot != distance)
            fail_msg("pin %u at %llu: %llu cycles, not %llu", pin, (unsigned long long)last,
                     (unsigned long long)distance, (unsigned long long)*slot);
        *slot = distance;
    }
    return changes;
}

/* The pin is high and low for so many cycles, always. */
static void alternates(unsigned pin, uint64_t high, uint64_t low, unsigned at_least)
{
    uint64_t rising = 0, falling = 0;
    assert_true(distances(pin, 2, &rising, &falling) >= at_least);
    assert_int_equal(falling, high);
    assert_int_equal(rising, low);
}

static void waveforms(void **state)
{
    (void)state;
    struct node *n = load(FIRMWARE_DIR "/timer-waves.elf", "atmega328p", 16000000, 0xff);
    node_run(n, 200000);
    alternates(PIN(B, 1), 250, 750, 390);
    alternates(PIN(B, 2), 600, 400, 390);
    alternates(PIN(B, 3), 200 * 8, 310 * 8, 90);
    alternates(PIN(D, 6), 125 * 64, 125 * 64, 20);
    unload(n);
}

/* A compare output goes on while an SPI master is busy whose SS is the same pin; where it is MOSI, values are ORed
 * (ATmega328P, 14.3.1: "PVOV: SPI MSTR OUTPUT + OC2A"). */
static void waveforms_beside_spi(void **state)
{
    (void)state;
    struct node *n = load(FIRMWARE_DIR "/timer-waves-spi.elf", "atmega328p", 16000000, 0xff);
    node_run(n, 200000);
    alternates(PIN(B, 1), 250, 750, 390);
    alternates(PIN(B, 2), 600, 400, 390);
    uint64_t risen = 0;
    unsigned of_timer = 0, of_spi = 0;
    for (unsigned i = 0; i < seen.count; i++) {
        if (seen.at[i].pin != PIN(B, 3) || seen.at[i].tick < 10000)
            continue;
        if (seen.at[i].level)
            risen = seen.at[i].tick;
        else if (risen)
            *(seen.at[i].tick - risen < 200 * 8 ? &of_spi : &of_timer) += 1;
    }
    assert_in_range(of_timer, 45, 47); /* one each 510 * 8 cycles */
    assert_true(of_spi > 1000);
    unload(n);
}

static void modulator(void **state)
{
    (void)state;
    struct node *n = load(FIRMWARE_DIR "/timer-waves-mega.elf", "atmega2560", 16000000, 0xff);
    node_run(n, 60000);
    alternates(PIN(L, 3), 240, 760, 100);
    /* Bursts of a carrier, 25 cycles high and 25 low, while OC1C is high for 1000 cycles. */
    uint64_t last = 0;
    unsigned in_burst = 0, bursts = 0;
    for (unsigned i = 0; i < seen.count; i++) {
        if (seen.at[i].pin != PIN(B, 7) || seen.at[i].tick < 10000)
            continue;
        uint64_t distance = seen.at[i].tick - last;
        last = seen.at[i].tick;
        if (distance > 50) {
            if (bursts++ > 1)
                assert_int_equal(in_burst, 40);
            in_burst = 0;
        } else {
            assert_int_equal(distance, 25);
        }
        in_burst++;
    }
    assert_true(bursts > 10);
    unload(n);
}

static void counting(void **state)
{
    (void)state;
    struct node *n = load(FIRMWARE_DIR "/timer-count.elf", "atmega328p", 16000000, 0xff);
    assert_int_equal(node_run(n, 16000000), NODE_EXIT_FIRMWARE);
    const struct image_symbol *symbol = image_symbol_named(n->machine->image, "results");
    uint16_t results[16];
    memcpy(results, n->data + (symbol->address & 0xffff), sizeof results);
    assert_int_equal(results[15], 0x600d);
    assert_int_equal(results[0], 2);
    assert_int_equal(results[1], 19);
    assert_int_equal(results[2], 100); /* written in t, read in t+1 and t+2 */
    assert_int_equal(results[3], 101);
    assert_int_equal(results[4], 0);
    assert_int_equal(results[5], 1 << 1);
    /* Started by a write in t, TCNT0 is 255 - k in t+1 and 0, with the flag, in t+2+k. The SBIS of pass p reads in
     * t+1+7p: with k 60 and 120 the first 9 and 18 passes see nothing. */
    assert_int_equal(results[6], 9);
    assert_int_equal(results[7], 18);
    assert_int_equal(results[8], 1 << 6);
    assert_int_equal(results[9], 0);
    assert_int_equal(results[10], 0);
    unload(n);
}

static void sleeping(void **state)
{
    (void)state;
    struct node *n = load(FIRMWARE_DIR "/timer-sleeper.elf", "atmega328p", 16000000, 0xff);
    node_run(n, 1000000);
    alternates(PIN(B, 5), 1000, 1000, 990);
    unload(n);
}

static void a_watch(void **state)
{
    (void)state;
    struct node *n = load(FIRMWARE_DIR "/timer-watch.elf", "atmega128", 8000000, -1);
    node_run(n, 8000000 * 4 + 100000);
    /* 32 * 32 cycles of 32768 Hz: 250000 ticks of 8 MHz. The wake-up takes the same time each time. */
    unsigned changes = 0;
    uint64_t last = 0;
    for (unsigned i = 0; i < seen.count; i++) {
        if (seen.at[i].pin != PIN(A, 0))
            continue;
        if (changes++ > 1)
            assert_in_range(seen.at[i].tick - last, 250000 - 2, 250000 + 2);
        last = seen.at[i].tick;
    }
    assert_in_range(changes, 126, 128);
    unload(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waveforms), cmocka_unit_test(waveforms_beside_spi),
        cmocka_unit_test(modulator), cmocka_unit_test(counting),
        cmocka_unit_test(sleeping),  cmocka_unit_test(a_watch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
