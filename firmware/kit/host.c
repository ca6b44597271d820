#include "host.h"

#include <string.h>

#include "bytes.h"
#include "collection.h"
#include "serial.h"

#define WAITING_MAX 8

static struct waiting {
    struct serial_packet packet;
    uint8_t bytes[2 + COLLECTION_DATA_MAX];
} waiting[WAITING_MAX];

uint16_t host_lost;

static void from_host(struct serial_buffer *b)
{
    serial_release(b);
}

void host_start(void)
{
    serial_start(from_host);
}

void host_pass(uint16_t origin, const uint8_t *data, uint8_t length)
{
    for (struct waiting *w = waiting; w < waiting + WAITING_MAX; w++)
        if (!w->packet.busy) {
            bytes_put16(w->bytes, origin);
            if (length)
                memcpy(w->bytes + 2, data, length);
            w->packet.data = w->bytes;
            w->packet.length = 2 + length;
            w->packet.protocol = SERIAL_PLAIN;
            serial_send(&w->packet);
            return;
        }
    host_lost++;
}
