/* Node 1 broadcasts frames with its time in them, of all lengths in turn; both nodes keep what they know of the last
 * ones, for the test to read. */
#include "board.h"
#include "bytes.h"
#include "radio.h"
#include "task.h"
#include "timer.h"

#define KEPT 16

uint32_t sent_time[KEPT], stamped_time[KEPT], received_time[KEPT];
uint16_t received_count, untimed_count;

static uint8_t bytes[RADIO_DATA_MAX], number;
static struct radio_packet packet;

static void sent(struct radio_packet *p, bool arrived)
{
    (void)arrived;
    sent_time[number % KEPT] = p->time;
    number++;
}

static void send(struct timer *t)
{
    (void)t;
    packet.length = RADIO_STAMP + (number == 0 ? 0 : number * 7 % 100);
    if (packet.length > RADIO_STAMP)
        bytes[0] = number;
    radio_send(&packet);
}

static struct timer timer = {.fired = send};
static struct radio_packet packet = {
    .sent = sent, .to = RADIO_EVERYBODY, .type = 9, .stamp = true, .data = bytes, .length = RADIO_STAMP};

static void received(const struct radio_message *m)
{
    uint8_t from = m->length == RADIO_STAMP ? 0 : m->data[0];
    received_count++;
    untimed_count += !m->timed;
    stamped_time[from % KEPT] = bytes_get32(m->data + m->length - RADIO_STAMP);
    received_time[from % KEPT] = m->time;
}

static struct radio_listener listener = {.received = received, .type = 9};

void app_start(void)
{
    radio_start();
    radio_listen(&listener);
    if (node_id == 1)
        timer_every(&timer, TICKS_OF_MS(250));
}
