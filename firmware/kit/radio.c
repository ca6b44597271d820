/* One packet is under way at a time:
 *
 *     IDLE --radio_send--> BACKOFF --channel clear--> SENDING --gone--> ANSWER --acknowledged or too late--> IDLE
 *
 * (from SENDING straight to IDLE where no acknowledgement is wanted). What is to be done is asked for by work(), which
 * gets the SPI bus first and then does all that has come up meanwhile. */
#include "radio.h"

#include <stddef.h>
#include <string.h>

#include "board.h"
#include "radio_chip.h"
#include "random.h"
#include "spi.h"
#include "task.h"
#include "timer.h"

#define TICKS_OF_US(us)   ((us)*TICKS_PER_SECOND / 1000000 + 1)
#define FIRST_BACKOFF     32
#define BUSY_BACKOFF      8
#define BUSY_MAX          64
#define AIR_TIME(length)  (RADIO_CHIP_TURN + (RADIO_CHIP_LEAD + RADIO_HEADER + (uint32_t)(length)) * RADIO_CHIP_BYTE)
#define BODY_TIME(length) ((3 + RADIO_HEADER + (uint32_t)(length)) * RADIO_CHIP_BYTE) /* behind the delimiter */
#define LOOKS             8 /* at the channel, that far apart: more than the pause between a packet and its repetition */
#define LOOK_TIME         TICKS_OF_US(500)
#define LINGER            TICKS_OF_MS(20) /* the radio stays on after the last frame */
#define HEARD_MAX         4

enum { FRAME_DATA = 1, FRAME_ACK = 2, CONTROL_LOW = 0x41, CONTROL_ACK = 0x20, CONTROL_HIGH = 0x88 };

static enum { IDLE, BACKOFF, SENDING, ANSWER } state;
static struct radio_packet *first, *last;
static struct radio_listener *listeners;
static uint8_t sequence, busy_count;
static uint8_t header[RADIO_HEADER]; /* of the packet under way */
static bool due;                     /* the timer has fired */
static uint8_t frame[127];           /* received */

/* Low-power listening. */
static uint32_t wake_interval; /* ticks; 0: always on */
static uint32_t send_end;      /* when a packet has been repeated long enough */
static bool on = true;
uint32_t radio_on_ticks; /* how long the radio has been on, for whoever looks from outside; counted as it goes off */
static uint32_t on_since;
static bool look_due;     /* its timer has fired */
static uint8_t looks;     /* still to be taken */
static bool heard_lately; /* a reason to stay on */
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

static void look(struct timer *t)
{
    (void)t;
    look_due = true;
    work();
}

static struct timer look_timer = {.fired = look};

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

static void begin(void)
{
    if (!on) {
        turn_on();
        timer_once(&look_timer, LINGER);
    }
    send_end = timer_now() + wake_interval + LINGER;
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
    busy_count = 0;
    back_off(FIRST_BACKOFF);
}

static void finish(bool arrived)
{
    struct radio_packet *p = first;
    timer_stop(&timer);
    first = p->next;
    state = IDLE;
    p->busy = false;
    if (p->sent)
        p->sent(p, arrived);
    if (first)
        event();
}

static void try_to_send(void);

static void repeat_or_finish(bool arrived)
{
    if (wake_interval && !timer_reached(timer_now(), send_end))
        try_to_send();
    else
        finish(arrived);
}

static void try_to_send(void)
{
    state = SENDING;
    timer_once(&timer, TICKS_OF_US(AIR_TIME(first->length)));
    radio_chip_send();
}

/* A frame is on its way; the chip may say when it has gone, or else the timer is a time to look. */
static void sending_work(bool timed_out)
{
    switch (radio_chip_progress()) {
    case RADIO_CHIP_SENDING:
        if (timed_out)
            timer_once(&timer, TICKS_OF_US(RADIO_CHIP_SLOT));
        break;
    case RADIO_CHIP_CHANNEL_BUSY:
        if (++busy_count < BUSY_MAX)
            back_off(BUSY_BACKOFF);
        else
            finish(false);
        break;
    case RADIO_CHIP_ANSWERED:
        first->time = radio_chip_sent_time();
        finish(true);
        break;
    case RADIO_CHIP_GONE:
        first->time = radio_chip_sent_time();
        if (first->acknowledge) {
            state = ANSWER;
            timer_once(&timer, TICKS_OF_US(RADIO_CHIP_ANSWER));
        } else {
            repeat_or_finish(true);
        }
    }
}

static void timer_work(void)
{
    if (state == BACKOFF)
        try_to_send();
    else if (state == ANSWER && radio_chip_receiving())
        timer_once(&timer, TICKS_OF_US(RADIO_CHIP_SLOT));
    else if (state == ANSWER)
        repeat_or_finish(false);
}

/* Off, unless the channel is busy or something was heard or is being sent; then again after a while. */
static void look_work(void)
{
    if (!on) {
        turn_on();
        looks = LOOKS;
        timer_once(&look_timer, LOOK_TIME);
    } else if (looks && !radio_chip_busy()) {
        looks--;
        timer_once(&look_timer, LOOK_TIME);
    } else if (looks || heard_lately || state != IDLE) {
        looks = 0;
        heard_lately = false;
        timer_once(&look_timer, LINGER);
    } else {
        turn_off();
        timer_once(&look_timer, wake_interval);
    }
}

static bool is_repetition(uint16_t from, uint8_t number)
{
    for (uint8_t i = 0; i < HEARD_MAX; i++)
        if (heard[i].from == from && heard[i].sequence == number)
            return true;
    heard[heard_next] = (struct heard){.from = from, .sequence = number};
    heard_next = (heard_next + 1) % HEARD_MAX;
    return false;
}

static void dispatch(struct radio_message *m, uint8_t length)
{
    m->to = frame[5] | frame[6] << 8;
    m->from = frame[7] | frame[8] << 8;
    m->type = frame[9];
    m->length = length - RADIO_HEADER;
    m->data = frame + RADIO_HEADER;
    if (wake_interval && is_repetition(m->from, frame[2]))
        return;
    for (struct radio_listener *l = listeners; l; l = l->next)
        if (l->type == m->type || l->type == RADIO_ANY_TYPE)
            l->received(m);
}

/* An acknowledgement says no more than a number, and others may use the same at the same time: ours is the one that
 * comes when it must. */
static bool answers(const struct radio_message *m)
{
    if ((state != SENDING && state != ANSWER) || !first->acknowledge || !m->timed)
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
        heard_lately = true;
        if (kind == FRAME_ACK && length == 3 && frame[2] == sequence && answers(&m))
            finish(true);
        else if (kind == FRAME_DATA && length >= RADIO_HEADER && frame[1] == CONTROL_HIGH)
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
    if (look_due) {
        look_due = false;
        if (wake_interval)
            look_work();
    }
    if (state == IDLE && first)
        begin();
    resource_release(&spi_bus);
}

void radio_start(void)
{
    sequence = random_next();
    radio_chip_start(RADIO_CHANNEL, event);
}

void radio_low_power(uint16_t interval_ms)
{
    wake_interval = TICKS_OF_MS(interval_ms);
    for (uint8_t i = 0; i < HEARD_MAX; i++)
        heard[i].from = RADIO_EVERYBODY;
    timer_once(&look_timer, LINGER);
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
