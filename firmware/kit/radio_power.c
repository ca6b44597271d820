#include "radio_power.h"

#include "radio_chip.h"
#include "random.h"
#include "timer.h"

#define LOOK_TIME (TICKS_PER_SECOND / 2048)
#define LOOKS     (RADIO_CHIP_GAP / 488 + 2) /* together longer than the gap between a frame and its repetition */
#define LINGER    TICKS_OF_MS(RADIO_CHIP_LINGER)

uint32_t radio_power_interval;
uint32_t radio_on_ticks; /* for whoever looks from outside; counted as the radio goes off */

static bool on = true, heard;
static uint32_t on_since;
static uint8_t looks;           /* still to be taken */
static bool look_due, rest_due; /* their timers have fired */
static void (*ask)(void);

static void look(struct timer *t)
{
    (void)t;
    look_due = true;
    ask();
}

static void rest(struct timer *t)
{
    (void)t;
    rest_due = true;
    ask();
}

static struct timer look_timer = {.fired = look}, rest_timer = {.fired = rest};

/* The interval begins at a random time within itself. */
static void begin(struct timer *t)
{
    t->fired = look;
    timer_every(t, radio_power_interval);
    look(t);
}

void radio_power_start(uint32_t interval, void (*work)(void))
{
    ask = work;
    radio_power_interval = interval;
    look_timer.fired = begin;
    timer_once(&look_timer, 1 + random_next() % interval);
    timer_once(&rest_timer, LINGER);
    on_since = timer_now();
}

static void turn_on(void)
{
    on = true;
    on_since = timer_now();
    radio_chip_on();
}

static void turn_off(void)
{
    on = false;
    radio_on_ticks += timer_now() - on_since;
    radio_chip_off();
}

void radio_power_on(void)
{
    if (on)
        return;
    turn_on();
    looks = 0;
    timer_once(&rest_timer, LINGER);
}

void radio_power_heard(void)
{
    heard = true;
}

static void rest_work(bool sending)
{
    bool busy = looks && radio_chip_busy();
    if (looks && !busy && --looks) {
        timer_once(&rest_timer, LOOK_TIME);
    } else if (busy || heard || sending || radio_chip_receiving()) {
        looks = 0;
        heard = false;
        timer_once(&rest_timer, LINGER);
    } else {
        turn_off();
    }
}

void radio_power_work(bool sending)
{
    if (look_due && !on) {
        turn_on();
        looks = LOOKS;
        timer_once(&rest_timer, LOOK_TIME);
    }
    look_due = false;
    if (rest_due && on)
        rest_work(sending);
    rest_due = false;
}
