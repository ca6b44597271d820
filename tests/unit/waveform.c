/* Waveforms: many clocks at once against one after the other, in every mode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "device/avr/waveform.h"

enum { TRIES = 60000, PATIENCE = 600 };

static uint64_t random_state = 1;

static unsigned below(unsigned limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(random_state >> 33) % limit;
}

/* Small counters, so that much happens in few clocks, and large ones. */
static struct waveform any_waveform(void)
{
    static const uint16_t most[] = {0xffff, 0x3ff, 0xff, 15};
    struct waveform w = {.max = most[below(4)]};
    unsigned span = below(2) ? w.max + 1u : (w.max < 20 ? w.max : 20u) + 1;
    w.mode = (struct waveform_mode){(uint8_t)below(5), (uint8_t)below(3), w.max};
    if (below(3) == 0)
        w.mode.top = (uint16_t)below(w.max + 1u);
    bool connected = below(2);
    for (unsigned i = 0; i < WAVEFORM_CHANNELS; i++) {
        w.compare[i] = w.buffer[i] = (uint16_t)below(span);
        if (waveform_buffered(&w) && below(3) == 0)
            w.buffer[i] = (uint16_t)below(span);
        w.action[i] = connected ? (uint8_t)below(4) : WAVEFORM_DISCONNECTED;
    }
    w.count = (uint16_t)below(span);
    w.capture = (uint16_t)below(span);
    w.flags = (uint8_t)(below(2) ? 0 : below(32));
    w.outputs = (uint8_t)below(8);
    w.disabled = (uint8_t)(below(2) ? 0 : below(8));
    w.plain = (uint8_t)(below(3) ? 0 : below(8));
    w.blocked = below(6) == 0;
    w.down = w.mode.kind >= WAVEFORM_PHASE && below(2);
    return w;
}

static void many_clocks_are_each_of_them(void **state)
{
    (void)state;
    for (unsigned try = 0; try < TRIES; try++) {
        struct waveform at_once = any_waveform(), stepped = at_once;
        unsigned clocks = below(PATIENCE);
        assert_int_equal(waveform_run(&at_once, clocks, 0, 0), clocks);
        for (unsigned i = 0; i < clocks; i++)
            waveform_step(&stepped);
        assert_memory_equal(&at_once, &stepped, sizeof stepped);
    }
}

/* What was not met by stepping must not come sooner than that. */
static void the_next_change_is_foretold(void **state)
{
    (void)state;
    for (unsigned try = 0; try < TRIES; try++) {
        struct waveform w = any_waveform();
        uint8_t flags = (uint8_t)below(32), outputs = (uint8_t)(below(2) ? 0 : below(8));
        uint64_t foretold = waveform_until(&w, flags, outputs), clocks = 0;
        bool met = false;
        while (clocks < PATIENCE && !met) {
            struct waveform before = w;
            waveform_step(&w);
            clocks++;
            met = (w.flags & ~before.flags & flags) || ((w.outputs ^ before.outputs) & outputs);
        }
        if (met)
            assert_int_equal(foretold, clocks);
        else
            assert_true(foretold > clocks);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_clocks_are_each_of_them),
        cmocka_unit_test(the_next_change_is_foretold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
