/* Collection on a board without a radio: each node has its host, and is its own root. */
#include "board.h"
#include "collection.h"
#include "host.h"
#include "radio.h"

static void (*deliver)(uint16_t origin, const uint8_t *data, uint8_t length);

void radio_start(void) {}

void collection_start(bool root, void (*application)(uint16_t origin, const uint8_t *data, uint8_t length))
{
    deliver = application;
    if (!root)
        host_start();
}

bool collection_send(const uint8_t *data, uint8_t length)
{
    if (length > COLLECTION_DATA_MAX)
        return false;
    deliver(node_id, data, length);
    return true;
}
