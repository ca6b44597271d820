/* Every second each node reads its CO2 sensor and sends the reading to the root, node 0. No two seconds may pass
 * without a new one: the node looks at when it reads, the root at when something of each node comes, and both count
 * what is late.
 *
 * After every 32 readings a node works out its baseline anew, the level near which most of the last 256 lie (fresh air,
 * at night). That takes seconds, so it is cut into pieces: a task for a few of the levels, which posts itself again.
 *
 * A packet at the host is: origin, number of the report, reading, baseline, how often the node was late, each of 16
 * bits; or the origin alone, when the root misses its report. */
#include <stddef.h>

#include "adc.h"
#include "board.h"
#include "bytes.h"
#include "collection.h"
#include "host.h"
#include "leds.h"
#include "radio.h"
#include "task.h"
#include "timer.h"

#define SENSOR_CO2  SENSOR_Y /* an analog one, in place of the accelerometer's second axis */
#define DEADLINE    TICKS_OF_MS(2UL * MS_PER_SECOND)
#define HISTORY     256
#define FIT_EVERY   32
#define LEVEL_BITS  11
#define LEVELS      (1 << LEVEL_BITS)
#define NEAR        20
#define NO_READING  0x7fff /* not near any level */
#define SOURCES_MAX 16

#ifdef BUG_LONG_TASK
#define PIECE LEVELS
#else
#define PIECE 4
#endif

uint16_t missed, late, baseline; /* own readings; others' reports, at the root; for observers */

/* ---- the baseline ---- */

static uint16_t history[HISTORY];
static uint16_t readings, level, best;

static uint16_t readings_near(uint16_t middle)
{
    uint16_t near = 0;
    for (uint16_t i = 0; i < HISTORY; i++) {
        uint16_t away = history[i] > middle ? history[i] - middle : middle - history[i];
        near += away < NEAR ? NEAR - away : 0;
    }
    return near;
}

static void fit(void);
static struct task fit_task = {.run = fit};

static void fit(void)
{
    static uint16_t found;
    for (uint16_t end = level + PIECE; level < end; level++) {
        uint16_t near = readings_near(level);
        if (level == 0 || near > best) {
            best = near;
            found = level;
        }
    }
    if (level < LEVELS) {
        task_post(&fit_task);
    } else {
        level = 0;
        baseline = found;
    }
}

/* ---- the node ---- */

static uint16_t to_level(uint16_t value)
{
    return SENSOR_BITS > LEVEL_BITS ? value >> 1 : value << (LEVEL_BITS - SENSOR_BITS);
}

static void sampled(struct adc_request *r, uint16_t value)
{
    (void)r;
    static uint32_t last;
    static uint8_t bytes[8];
    uint32_t now = timer_now();
    if (readings && now - last > DEADLINE) {
        missed++;
        leds_toggle(LED_0);
    }
    last = now;
    bytes_put16(bytes_put16(bytes_put16(bytes_put16(bytes, readings), value), baseline), missed);
    leds_toggle(collection_send(bytes, sizeof bytes) ? LED_1 : LED_0);
    history[readings++ % HISTORY] = to_level(value);
    if (readings % FIT_EVERY == 0)
        task_post(&fit_task);
}

static struct adc_request co2 = {.done = sampled, .channel = SENSOR_CO2};

static void sample(struct timer *t)
{
    (void)t;
    adc_read(&co2);
}

static struct timer sample_timer = {.fired = sample};

/* ---- the root ---- */

static struct source {
    uint16_t origin;
    bool known, late;
    uint32_t heard;
} sources[SOURCES_MAX];

static void look_at(struct source *s)
{
    if (!s->known || s->late || timer_now() - s->heard <= DEADLINE)
        return;
    s->late = true;
    late++;
    leds_toggle(LED_2);
    host_pass(s->origin, NULL, 0);
}

static void look(struct timer *t)
{
    (void)t;
    for (struct source *s = sources; s < sources + SOURCES_MAX; s++)
        look_at(s);
}

static struct timer look_timer = {.fired = look};

static void received(uint16_t origin, const uint8_t *data, uint8_t length)
{
    struct source *s = sources;
    while (s < sources + SOURCES_MAX && s->known && s->origin != origin)
        s++;
    if (s < sources + SOURCES_MAX) {
        look_at(s);
        *s = (struct source){.origin = origin, .known = true, .heard = timer_now()};
    }
    host_pass(origin, data, length);
}

void app_start(void)
{
    bool root = node_id == 0;
    for (uint16_t i = 0; i < HISTORY; i++)
        history[i] = NO_READING;
    radio_start();
    if (root) {
        host_start();
        timer_every(&look_timer, TICKS_OF_MS(MS_PER_SECOND / 8));
    }
    collection_start(root, received);
    timer_every(&sample_timer, TICKS_OF_MS(MS_PER_SECOND));
}
