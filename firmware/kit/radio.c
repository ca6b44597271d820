/* One packet is under way at a time:
 *
 *     IDLE --radio_send--> BACKOFF --channel clear--> SENDING --gone--> ANSWER --acknowledged or too late--> IDLE
 *
 * (from SENDING straight to IDLE where no acknowledgement is wanted). What is to be done is asked for by work(), which
 * gets the SPI bus first and then does all that has come up meanwhile. */
#include "radio.h"

#include <stddef.h>

#include "board.h"
#include "cc2420.h"
#include "random.h"
#include "spi.h"
#include "task.h"
#include "timer.h"

#define TICKS_OF_US(us)  ((us)*TICKS_PER_SECOND / 1000000 + 1)
#define BACKOFF_UNIT     320 /* us: 20 symbols */
#define FIRST_BACKOFF    32
#define BUSY_BACKOFF     8
#define BUSY_MAX         64
#define AIR_TIME(length) (192 + (6 + (uint32_t)(length)) * 32) /* us: turnaround, preamble and delimiter, length */
#define ANSWER_TIME      TICKS_OF_US(2500)

enum { FRAME_DATA = 1, FRAME_ACK = 2, CONTROL_LOW = 0x41, CONTROL_ACK = 0x20, CONTROL_HIGH = 0x88 };

static enum { IDLE, BACKOFF, SENDING, ANSWER } state;
static struct radio_packet *first, *last;
static struct radio_listener *listeners;
static uint8_t sequence, busy_count;
static bool due;           /* the timer has fired */
static uint8_t frame[127]; /* received */

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
    timer_once(&timer, TICKS_OF_US((uint32_t)BACKOFF_UNIT * (1 + random_next() % units)));
}

static void begin(void)
{
    struct radio_packet *p = first;
    uint8_t header[RADIO_HEADER] = {
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
    cc2420_load_begin(sizeof header + p->length + 2);
    cc2420_load(header, sizeof header);
    cc2420_load(p->data, p->length);
    cc2420_load_end();
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

static void timer_work(void)
{
    if (state == BACKOFF && cc2420_send()) {
        state = SENDING;
        timer_once(&timer, TICKS_OF_US(AIR_TIME(RADIO_HEADER + first->length + 2)));
    } else if (state == BACKOFF && ++busy_count < BUSY_MAX) {
        back_off(BUSY_BACKOFF);
    } else if (state == SENDING && cc2420_sending()) {
        timer_once(&timer, TICKS_OF_US(BACKOFF_UNIT));
    } else if (state == SENDING && first->acknowledge) {
        state = ANSWER;
        timer_once(&timer, ANSWER_TIME);
    } else if (state != IDLE) {
        finish(state == SENDING);
    }
}

static void dispatch(uint8_t length)
{
    struct radio_message m = {
        .to = frame[5] | frame[6] << 8,
        .from = frame[7] | frame[8] << 8,
        .type = frame[9],
        .length = length - RADIO_HEADER,
        .data = frame + RADIO_HEADER,
        .rssi = frame[length],
        .lqi = frame[length + 1] & 0x7f,
    };
    for (struct radio_listener *l = listeners; l; l = l->next)
        if (l->type == m.type || l->type == RADIO_ANY_TYPE)
            l->received(&m);
}

static void receive(void)
{
    uint8_t length;
    while ((length = cc2420_receive(frame))) {
        uint8_t kind = frame[0] & 7;
        if (kind == FRAME_ACK && length == 3 && (state == SENDING || state == ANSWER) && frame[2] == sequence &&
            first->acknowledge)
            finish(true);
        else if (kind == FRAME_DATA && length >= RADIO_HEADER && frame[1] == CONTROL_HIGH)
            dispatch(length);
    }
}

static void do_work(struct resource_client *c)
{
    (void)c;
    receive();
    if (due) {
        due = false;
        timer_work();
    }
    if (state == IDLE && first)
        begin();
    resource_release(&spi_bus);
}

void radio_start(void)
{
    cc2420_start(RADIO_CHANNEL, RADIO_NETWORK, node_id, event);
}

void radio_listen(struct radio_listener *l)
{
    l->next = listeners;
    listeners = l;
}

bool radio_send(struct radio_packet *p)
{
    if (p->busy || p->length > RADIO_DATA_MAX)
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
