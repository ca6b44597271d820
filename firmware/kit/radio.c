/* One packet is under way at a time:
 *
 *     IDLE --radio_send--> BACKOFF --channel clear--> SENDING --gone--> ANSWER --acknowledged or too late--> IDLE
 *
 * (from SENDING straight to IDLE where no acknowledgement is wanted, or the time for it is over). In low-power
 * listening a packet is repeated, from SENDING or ANSWER to SENDING; and one for a neighbour whose looks are known
 * waits in AIM for the next of them first, with the radio off, and again where it was missed. What is to be done is
 * asked for by work(), which gets the SPI bus first and then does all that has come up meanwhile. */
#include "radio.h"

#include <stddef.h>
#include <string.h>

#include "board.h"
#include "radio_chip.h"
#include "radio_phase.h"
#include "radio_power.h"
#include "random.h"
#include "spi.h"
#include "task.h"
#include "timer.h"

#define TICKS_OF_US(us)   ((us)*TICKS_PER_SECOND / 1000000 + 1)
#define FIRST_BACKOFF     32
#define BUSY_BACKOFF      8
#define BUSY_MAX          64
#define AIR_TIME(length)  (RADIO_CHIP_TURN + (RADIO_CHIP_LEAD + RADIO_HEADER + (uint32_t)(length)) * RADIO_CHIP_BYTE)
#define BODY_TIME(length) ((3 + RADIO_HEADER + (uint32_t)(length)) * RADIO_CHIP_BYTE) /* after the delimiter */

/* Low-power listening. */
#define LINGER     TICKS_OF_MS(RADIO_CHIP_LINGER)
#define LEAD       TICKS_OF_US((BUSY_BACKOFF + 1) * RADIO_CHIP_SLOT + RADIO_CHIP_TURN + 3000) /* before a look */
#define MISSES_MAX 2
#define PATIENCE   (4 * radio_power_interval + TICKS_PER_SECOND) /* with a busy channel */
#define HEARD_MAX  8

enum { FRAME_DATA = 1, FRAME_ACK = 2, CONTROL_LOW = 0x41, CONTROL_ACK = 0x20, CONTROL_HIGH = 0x88 };

static enum { IDLE, AIM, BACKOFF, SENDING, ANSWER } state;
static struct radio_packet *first, *last;
static struct radio_listener *listeners;
static uint8_t sequence, busy_count;
static uint8_t header[RADIO_HEADER]; /* of the packet under way */
static uint16_t air_ticks;           /* it takes so long */
static bool due;                     /* the timer has fired */
static uint8_t frame[127];           /* received */

/* Low-power listening. */
static bool aimed;                       /* at a look of the receiver */
static uint32_t look, send_end, give_up; /* that look; when to stop repeating, and trying at all */
static bool repeating;                   /* one frame has gone out */
static uint8_t misses, unanswered;
static uint32_t missed_time; /* of the last that was not answered: the receiver's look came after it */
static uint16_t awake_neighbour = RADIO_EVERYBODY; /* acknowledged something just before: */
static uint32_t awake_since;
static struct heard {
    uint16_t from;
    uint8_t sequence;
} heard[HEARD_MAX]; /* to know repetitions by */
static uint8_t heard_next;

static void work(void);
static void do_work(struct resource_client *c);
static struct task work_task = {.run = work};
static struct resource_client bus = {.granted = do_work};

static void timed(struct timer *t)
{
    (void)t;
    due = true;
    work();
}

static struct timer timer = {.fired = timed};

static void event(void)
{
    task_post(&work_task);
}

static void work(void)
{
    resource_request(&spi_bus, &bus);
}

static void back_off(uint8_t units)
{
    state = BACKOFF;
    timer_once(&timer, TICKS_OF_US((uint32_t)RADIO_CHIP_SLOT * (1 + random_next() % units)));
}

static uint16_t period(void) /* of repetition */
{
    return air_ticks + TICKS_OF_US(RADIO_CHIP_GAP);
}

static void start(uint8_t units)
{
    if (radio_power_interval)
        radio_power_on();
    back_off(units);
}

/* Waits for the receiver's next look if that is known; if it has just answered it is still awake. */
static void aim(void)
{
    uint32_t now = timer_now();
    bool awake = first->to == awake_neighbour && now - awake_since < LINGER / 4;
    repeating = false;
    unanswered = 0;
    aimed = first->acknowledge && misses < MISSES_MAX && (awake || radio_phase_next(first->to, now + LEAD, &look));
    if (!aimed || awake) {
        look = now + LEAD;
        start(awake ? BUSY_BACKOFF : FIRST_BACKOFF);
    } else {
        state = AIM;
        timer_once(&timer, look - LEAD - now);
    }
}

static void begin(void)
{
    struct radio_packet *p = first;
    const uint8_t bytes[RADIO_HEADER] = {
        CONTROL_LOW | (p->acknowledge ? CONTROL_ACK : 0),
        CONTROL_HIGH,
        ++sequence,
        RADIO_NETWORK & 0xff,
        RADIO_NETWORK >> 8,
        p->to & 0xff,
        p->to >> 8,
        node_id & 0xff,
        node_id >> 8,
        p->type,
    };
    memcpy(header, bytes, sizeof header);
    radio_chip_load(header, p);
    air_ticks = TICKS_OF_US(AIR_TIME(p->length));
    busy_count = misses = 0;
    give_up = timer_now() + PATIENCE;
    if (radio_power_interval)
        aim();
    else
        start(FIRST_BACKOFF);
}

static void note_looks(const struct radio_packet *p, bool arrived)
{
    if (!arrived) {
        radio_phase_forget(p->to);
        return;
    }
    if (unanswered)
        radio_phase_learn(p->to, missed_time);
    else
        radio_phase_met(p->to);
    awake_neighbour = p->to;
    awake_since = timer_now();
}

static void finish(bool arrived)
{
    struct radio_packet *p = first;
#ifdef BUG_TIMER_LEFT
    if (arrived)
#endif
        timer_stop(&timer);
    if (radio_power_interval && p->acknowledge)
        note_looks(p, arrived);
    first = p->next;
    state = IDLE;
    p->busy = false;
    if (p->sent)
        p->sent(p, arrived);
    if (first)
        event();
}

static void miss_or_finish(bool arrived)
{
    if (aimed && !timer_reached(timer_now(), give_up)) {
        misses++;
        aim();
    } else {
        finish(arrived);
    }
}

/* Another node will be sending for a while. */
static void sleep_on_it(void)
{
    state = AIM;
    timer_once(&timer, 1 + random_next() % LINGER);
}

static void channel_was_busy(void)
{
    if (!radio_power_interval) {
        if (++busy_count == BUSY_MAX)
            finish(false);
        else
            back_off(BUSY_BACKOFF);
        return;
    }
    uint32_t last_time = repeating ? send_end : aimed ? look + 2 * LINGER : give_up;
    if (timer_reached(timer_now(), last_time))
        miss_or_finish(repeating && !first->acknowledge);
    else if (!aimed && !repeating)
        sleep_on_it();
    else
        back_off(BUSY_BACKOFF);
}

/* Ticks after a frame in which nothing is sent: its answer may come, or another may be sending. Two nodes that began
 * together, and repeat, must not stay together. */
static uint16_t pause(void)
{
    uint16_t least = first->acknowledge ? TICKS_OF_US(RADIO_CHIP_ANSWER) : TICKS_OF_US(RADIO_CHIP_PAUSE);
    if (radio_power_interval && !(first->acknowledge && RADIO_CHIP_BACKS_OFF))
        return least + random_next() % RADIO_CHIP_SPREAD * TICKS_OF_US(RADIO_CHIP_SLOT);
    return first->acknowledge ? least : 0;
}

/* Not what is repeated all the same. */
static bool is_timed(void)
{
    return first->acknowledge || first->stamp || !repeating;
}

static void try_to_send(uint32_t now)
{
    state = SENDING;
    timer_at(&timer, now + air_ticks + pause());
    if (!radio_chip_send(is_timed()))
        channel_was_busy();
}

static void repeat_or_finish(bool arrived)
{
    unanswered += unanswered < 255;
    missed_time = radio_chip_sent_time();
    uint32_t now = timer_now();
    if (radio_power_interval && !timer_reached(now, send_end))
        try_to_send(now);
    else
        miss_or_finish(arrived);
}

/* The first frame has gone. For a node whose looks are not known it must be repeated for a whole interval. */
static void plan_repetition(void)
{
    uint32_t now = timer_now();
    repeating = true;
    send_end = aimed ? look + 3 * period() + LINGER : now + radio_power_interval + 2 * period();
}

/* A frame is on its way; the chip may say when it has gone, or else the timer, when the pause after it is over. */
static void sending_work(bool timed_out)
{
    enum radio_chip_progress progress = radio_chip_progress();
    switch (progress) {
    case RADIO_CHIP_SENDING:
        if (timed_out)
            timer_once(&timer, TICKS_OF_US(RADIO_CHIP_SLOT) + pause());
        return;
    case RADIO_CHIP_CHANNEL_BUSY: channel_was_busy(); return;
    case RADIO_CHIP_ANSWERED:
    case RADIO_CHIP_GONE: break;
    }
    if (is_timed())
        first->time = radio_chip_sent_time();
    if (!repeating)
        plan_repetition();
    if (progress == RADIO_CHIP_ANSWERED) {
        finish(true);
    } else if (timed_out || !pause()) {
        repeat_or_finish(!first->acknowledge);
    } else {
        state = ANSWER;
        timer_once(&timer, pause());
    }
}

static void timer_work(void)
{
    if (state == AIM)
        start(BUSY_BACKOFF);
    else if (state == BACKOFF)
        try_to_send(timer_now());
    else if (state == ANSWER && radio_chip_receiving())
        timer_once(&timer, TICKS_OF_US(RADIO_CHIP_SLOT));
    else if (state == ANSWER)
        repeat_or_finish(!first->acknowledge);
}

static uint16_t to_of(const uint8_t *bytes)
{
    return bytes[5] | bytes[6] << 8;
}

static uint16_t from_of(const uint8_t *bytes)
{
    return bytes[7] | bytes[8] << 8;
}

static bool is_repetition(const uint8_t *bytes)
{
    if (radio_power_interval)
        for (uint8_t i = 0; i < HEARD_MAX; i++)
            if (heard[i].from == from_of(bytes) && heard[i].sequence == bytes[2])
                return true;
    return false;
}

bool radio_wants(const uint8_t bytes[RADIO_HEADER])
{
    return to_of(bytes) != RADIO_EVERYBODY || !is_repetition(bytes);
}

static void dispatch(struct radio_message *m, uint8_t length)
{
    m->to = to_of(frame);
    m->from = from_of(frame);
    m->type = frame[9];
    m->length = length - RADIO_HEADER;
    m->data = frame + RADIO_HEADER;
    bool repetition = is_repetition(frame);
    if (radio_power_interval && (!repetition || m->to == node_id))
        radio_power_heard(m->to == node_id);
    if (repetition)
        return;
    heard[heard_next] = (struct heard){.from = m->from, .sequence = frame[2]};
    heard_next = (heard_next + 1) % HEARD_MAX;
    for (struct radio_listener *l = listeners; l; l = l->next)
        if (l->type == m->type || l->type == RADIO_ANY_TYPE)
            l->received(m);
}

/* An acknowledgement says no more than a number, and others may use the same at the same time: ours is the one that
 * comes when it must. The last delimiter will be its own, if one came then. */
static bool answers(const struct radio_message *m)
{
    if ((state != SENDING && state != ANSWER) || !first->acknowledge)
        return false;
    uint32_t end = radio_chip_sent_time() + TICKS_OF_US(BODY_TIME(first->length));
    return m->time - end < TICKS_OF_US(RADIO_CHIP_ANSWER);
}

static void receive(void)
{
    struct radio_message m;
    uint8_t length;
    while ((length = radio_chip_receive(frame, &m))) {
        uint8_t kind = frame[0] & 7;
        if (kind == FRAME_ACK && length == 3 && frame[2] == sequence && answers(&m)) {
            first->time = radio_chip_sent_time();
            finish(true);
        } else if (kind == FRAME_DATA && length >= RADIO_HEADER && frame[1] == CONTROL_HIGH)
            dispatch(&m, length);
    }
}

static void do_work(struct resource_client *c)
{
    (void)c;
    receive();
    bool timed_out = due;
    due = false;
    if (state == SENDING)
        sending_work(timed_out);
    else if (timed_out)
        timer_work();
    if (state == IDLE && first)
        begin();
    if (radio_power_interval)
        radio_power_work(state != IDLE && state != AIM);
    resource_release(&spi_bus);
}

void radio_start(void)
{
    sequence = random_next();
#ifdef BUG_BUS_EVENT
    radio_chip_start(RADIO_CHANNEL, work);
#else
    radio_chip_start(RADIO_CHANNEL, event);
#endif
}

void radio_low_power(uint16_t interval_ms)
{
    for (uint8_t i = 0; i < HEARD_MAX; i++)
        heard[i].from = RADIO_EVERYBODY;
    radio_power_start(TICKS_OF_MS(interval_ms), work);
}

uint16_t radio_interval_ms(void)
{
    return radio_power_interval / TICKS_PER_MS;
}

void radio_listen(struct radio_listener *l)
{
    l->next = listeners;
    listeners = l;
}

bool radio_send(struct radio_packet *p)
{
    if (p->busy || p->length > RADIO_DATA_MAX || (p->stamp && p->length < RADIO_STAMP))
        return false;
    p->busy = true;
    p->next = NULL;
    if (first)
        last->next = p;
    else
        first = p;
    last = p;
    event();
    return true;
}
