/* Between radio and host. What comes by radio goes to the host as: from, to (16 bits each), type, data. What the
 * host sends, as: to, type, data, goes out by radio, with acknowledgement unless it is a broadcast; the LEDs toggle
 * for each message from the radio, each to it, and each that was lost. */
#include <string.h>

#include "board.h"
#include "bytes.h"
#include "leds.h"
#include "radio.h"
#include "serial.h"
#include "task.h"

#define TO_HOST_MAX 6
#define HEAD        5

static struct to_host {
    struct serial_packet packet;
    uint8_t bytes[SERIAL_DATA_MAX];
} to_host[TO_HOST_MAX];

static struct to_radio {
    struct radio_packet packet; /* first, so that a pointer to it is one to the whole */
    struct serial_buffer *buffer;
} to_radio[2];

static void from_radio(const struct radio_message *m)
{
    for (struct to_host *h = to_host; h < to_host + TO_HOST_MAX; h++)
        if (!h->packet.busy && m->length <= SERIAL_DATA_MAX - HEAD) {
            bytes_put16(bytes_put16(h->bytes, m->from), m->to);
            h->bytes[4] = m->type;
            memcpy(h->bytes + HEAD, m->data, m->length);
            h->packet.data = h->bytes;
            h->packet.length = HEAD + m->length;
            h->packet.protocol = SERIAL_PLAIN;
            serial_send(&h->packet);
            leds_toggle(LED_0);
            return;
        }
    leds_toggle(LED_2);
}

static void sent(struct radio_packet *p, bool arrived)
{
    serial_release(((struct to_radio *)p)->buffer);
    leds_toggle(arrived ? LED_1 : LED_2);
}

static void from_host(struct serial_buffer *b)
{
    struct to_radio *r = &to_radio[to_radio[0].packet.busy];
    if (b->length < 3) {
        serial_release(b);
        return;
    }
    r->buffer = b;
    r->packet.sent = sent;
    r->packet.to = bytes_get16(b->data);
    r->packet.type = b->data[2];
    r->packet.acknowledge = r->packet.to != RADIO_EVERYBODY;
    r->packet.data = b->data + 3;
    r->packet.length = b->length - 3;
    if (!radio_send(&r->packet))
        serial_release(b);
}

static struct radio_listener listener = {.received = from_radio, .type = RADIO_ANY_TYPE};

void app_start(void)
{
    serial_start(from_host);
    radio_start();
    radio_listen(&listener);
}
