/* Broadcasts frames of full length, one after the other: for networks that are to have a busy channel and busy
 * nodes. */
#include "radio.h"
#include "task.h"

#define TYPE_CHATTER 0x7f

static const uint8_t bytes[RADIO_DATA_MAX];

static void again(struct radio_packet *p, bool arrived)
{
    (void)arrived;
    radio_send(p);
}

static struct radio_packet packet = {
    .sent = again, .to = RADIO_EVERYBODY, .type = TYPE_CHATTER, .data = bytes, .length = sizeof bytes};

void app_start(void)
{
    radio_start();
    radio_send(&packet);
}
