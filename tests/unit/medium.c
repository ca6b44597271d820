/* Media: decibels, models, links, chance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "base/decibel.h"
#include "network/medium.h"

static void decibels_agree_with_the_library(void **state)
{
    (void)state;
    for (double x = 1e-20; x < 1e20; x *= 1.37)
        assert_true(fabs(decibel_of(x) - 10 * log10(x)) < 1e-12 * (1 + fabs(10 * log10(x))));
    for (double d = -200; d < 200; d += 0.73)
        assert_true(fabs(decibel_ratio(d) / pow(10, d / 10) - 1) < 1e-13);
    assert_true(decibel_of(1) == 0 && decibel_ratio(0) == 1);
    assert_true(decibel_of(0) == DECIBEL_NOTHING && decibel_of(-1) == DECIBEL_NOTHING);
    assert_true(decibel_ratio(-1e9) > 0 && decibel_ratio(1e9) < INFINITY);
}

static float gain(struct medium *m, uint32_t from, uint32_t to)
{
    const struct medium_listener *l;
    size_t count = medium_listeners(m, from, &l);
    for (size_t i = 0; i < count; i++)
        if (l[i].node == to)
            return l[i].gain;
    return -INFINITY;
}

static void log_distance_falls_by_decades(void **state)
{
    struct medium *m = medium_new(1, &medium_default);
    (void)state;
    medium_add(m, (struct medium_position){0, 0, 0});
    medium_add(m, (struct medium_position){10, 0, 0});
    medium_add(m, (struct medium_position){0, 60, 80});
    medium_add(m, (struct medium_position){0.1, 0, 0});
    medium_add(m, (struct medium_position){0, 465, 0}); /* 80 dB and 10 dBm above the cut-off: 10^(80/30) m */
    medium_add(m, (struct medium_position){0, 464, 0});
    assert_true(fabs(gain(m, 0, 1) + 70) < 1e-5);
    assert_true(fabs(gain(m, 0, 2) + 100) < 1e-5);
    assert_true(gain(m, 0, 3) == -40);
    assert_true(gain(m, 0, 4) == -INFINITY);
    assert_true(gain(m, 0, 5) > -120.0f);
    medium_free(m);
}

/* The lists by squares against what all pairs give. */
static void nobody_near_is_missed(void **state)
{
    enum { COUNT = 300 };
    struct medium_options o = medium_default;
    uint64_t random = 3;
    (void)state;
    o.model = MEDIUM_UNIT_DISK;
    o.range = 30;
    struct medium *m = medium_new(1, &o);
    struct medium_position at[COUNT];
    for (int i = 0; i < COUNT; i++) {
        double c[2];
        for (int k = 0; k < 2; k++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            c[k] = (double)(random >> 40) / (1 << 24) * 400 - 200;
        }
        at[i] = (struct medium_position){c[0], c[1], 0};
        medium_add(m, at[i]);
    }
    unsigned pairs = 0;
    for (int a = 0; a < COUNT; a++)
        for (int b = 0; b < COUNT; b++) {
            double x = at[a].x - at[b].x, y = at[a].y - at[b].y;
            bool near = a != b && x * x + y * y <= 900;
            assert_int_equal(gain(m, a, b) == -60, near);
            pairs += near;
        }
    assert_true(pairs > 500);
    medium_free(m);
}

static void shadowing_is_normal_and_the_same_both_ways(void **state)
{
    enum { COUNT = 200 };
    struct medium_options o = medium_default;
    double sum = 0, squares = 0;
    (void)state;
    o.shadowing = 5;
    struct medium *m = medium_new(9, &o), *other = medium_new(10, &o);
    for (int i = 0; i < COUNT; i++) {
        medium_add(m, (struct medium_position){0, 0, 0});
        medium_add(other, (struct medium_position){0, 0, 0});
    }
    for (uint32_t a = 0; a < COUNT; a++)
        for (uint32_t b = a + 1; b < COUNT; b++) {
            double g = gain(m, a, b) + 40;
            assert_true(gain(m, b, a) == gain(m, a, b));
            sum += g;
            squares += g * g;
        }
    double count = COUNT * (COUNT - 1) / 2.0, mean = sum / count;
    assert_true(fabs(mean) < 0.15);
    assert_true(fabs(sqrt(squares / count - mean * mean) - 5) < 0.15);
    assert_true(gain(m, 0, 1) != gain(other, 0, 1));
    medium_free(m);
    medium_free(other);
}

static void links_come_before_the_model(void **state)
{
    struct medium *m = medium_new(1, &medium_default);
    (void)state;
    for (int i = 0; i < 4; i++)
        medium_add(m, (struct medium_position){i * 10.0, 0, 0});
    struct digest before = medium_digest(m);
    medium_link(m, 0, 1, -80);
    medium_link(m, 0, 3, -45);
    medium_link_down(m, 0, 2, true);
    assert_true(gain(m, 0, 1) == -80 && gain(m, 0, 3) == -45 && gain(m, 0, 2) == -INFINITY);
    assert_true(fabs(gain(m, 1, 0) + 70) < 1e-5);
    medium_link_down(m, 0, 1, true);
    assert_true(gain(m, 0, 1) == -INFINITY);
    medium_link_down(m, 0, 1, false);
    assert_true(gain(m, 0, 1) == -80);
    assert_false(digest_equal(before, medium_digest(m)));
    medium_free(m);
}

static void a_shared_medium_is_copied_when_changed(void **state)
{
    struct medium *m = medium_new(1, &medium_default);
    (void)state;
    medium_add(m, (struct medium_position){0, 0, 0});
    medium_add(m, (struct medium_position){10, 0, 0});
    medium_link(m, 0, 1, -50);
    struct medium *kept = medium_share(m);
    struct digest d = medium_digest(kept);
    m = medium_own(m);
    assert_ptr_not_equal(m, kept);
    assert_true(digest_equal(medium_digest(m), d));
    medium_link(m, 0, 1, -90);
    assert_true(gain(kept, 0, 1) == -50 && gain(m, 0, 1) == -90);
    assert_true(digest_equal(medium_digest(kept), d));
    medium_free(m);
    assert_ptr_equal(medium_own(kept), kept);
    medium_free(kept);
}

static void loss_has_its_probability(void **state)
{
    struct medium_options o = medium_default;
    unsigned lost = 0, other = 0;
    (void)state;
    o.loss = 0.3;
    struct medium *m = medium_new(1, &o);
    for (int i = 0; i < 3; i++)
        medium_add(m, (struct medium_position){0, 0, 0});
    medium_link_loss(m, 0, 2, 0.9);
    for (uint64_t t = 0; t < 20000; t++) {
        lost += medium_loses(m, 0, 1, t * 1000);
        other += medium_loses(m, 0, 2, t * 1000);
    }
    assert_in_range(lost, 5800, 6200);
    assert_in_range(other, 17800, 18200);
    medium_free(m);
}

static void noise_follows_its_trace(void **state)
{
    static const float trace[] = {-98, -97, -60, -95};
    struct medium *m = medium_new(1, &medium_default);
    (void)state;
    medium_add(m, (struct medium_position){0, 0, 0});
    assert_true(medium_noise(m, 0, 5) == -100);
    medium_noise_trace(m, trace, 4, 1000);
    unsigned at = 0;
    while (at < 4 && medium_noise(m, 0, 0) != trace[at])
        at++;
    assert_true(at < 4);
    for (uint64_t t = 0; t < 20000; t += 500)
        assert_true(medium_noise(m, 0, t) == trace[(at + t / 1000) % 4]);
    medium_noise_trace(m, NULL, 0, 0);
    assert_true(medium_noise(m, 0, 5) == -100);
    medium_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decibels_agree_with_the_library), cmocka_unit_test(log_distance_falls_by_decades),
        cmocka_unit_test(nobody_near_is_missed),           cmocka_unit_test(shadowing_is_normal_and_the_same_both_ways),
        cmocka_unit_test(links_come_before_the_model),     cmocka_unit_test(a_shared_medium_is_copied_when_changed),
        cmocka_unit_test(loss_has_its_probability),        cmocka_unit_test(noise_follows_its_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
