#include "radio_power.h"

#include "radio_chip.h"
#include "random.h"
#include "timer.h"

#define LOOK_US   580 /* about as long as the shortest frame */
#define LOOK_TIME (LOOK_US * TICKS_PER_SECOND / 1000000)
#define LOOKS     (RADIO_CHIP_GAP / LOOK_US + 2) /* together longer than the gap between a frame and its repetition */
#define LINGER    TICKS_OF_MS(RADIO_CHIP_LINGER)
#define FOLLOW    (LINGER / 2) /* for another packet after one that has come */
#define BESIDE \
    (LOOKS * LOOK_TIME + 64UL * RADIO_CHIP_BYTE * TICKS_PER_SECOND / 1000000) /* a gap, and one from another node */

uint32_t radio_power_interval;
uint32_t radio_on_ticks; /* for observers; counted as the radio goes off */

static bool on = true;
static uint32_t on_since, until; /* until: at least, where the channel was busy or a node was heard */
static uint8_t looks;            /* still to be taken */
static bool look_due, rest_due;  /* their timers have fired */
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
    on_since = timer_now();
    until = on_since + LINGER;
    timer_once(&rest_timer, LINGER);
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

static void stay(uint32_t ticks)
{
    until = timer_now() + ticks;
    timer_once(&rest_timer, ticks);
}

void radio_power_on(void)
{
    if (!on)
        turn_on();
}

void radio_power_heard(bool followed)
{
    looks = 0;
    stay(followed ? FOLLOW : BESIDE);
}

_Static_assert(LOOK_US > RADIO_CHIP_PAUSE, "a look must see something");
static void look_on(void)
{
    if (radio_chip_busy()) {
        looks = 0;
        stay(LINGER);
    } else if (--looks) {
        timer_again(&rest_timer, LOOK_TIME);
    }
}

void radio_power_work(bool sending)
{
    if (look_due && !on) {
        turn_on();
        looks = LOOKS;
        timer_once(&rest_timer, LOOK_TIME);
    } else if (sending) {
        looks = 0;
    } else if (rest_due && looks) {
        look_on();
    }
    look_due = rest_due = false;
    if (!on || looks || sending || !timer_reached(timer_now(), until))
        return;
    if (radio_chip_receiving())
        stay(LOOK_TIME);
    else
        turn_off();
}
