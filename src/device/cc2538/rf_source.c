#include "device/cc2538/rf_internal.h"

/* Source matching (SWRU319C, 23.9.4): the table has 24 short addresses with their network, or 12 extended addresses,
 * whose number counts twice. The index of the first that matches decides about the pending bit. */

enum { SHORT = 2, EXTENDED = 3, NONE = 0x3f, IS_EXTENDED = 0x20, PENDING = 0x40 };

static uint32_t rf_source_bits(const struct node *n, const struct device *d, uint32_t offset)
{
    return block32_get(n, d, offset) | block32_get(n, d, offset + 4) << 8 | block32_get(n, d, offset + 8) << 16;
}

static bool rf_source_is(const struct node *n, const struct device *d, unsigned at, const uint8_t *bytes,
                         unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (block32_get(n, d, RF_SOURCES + 4 * (at + i)) != bytes[i])
            return false;
    return true;
}

/* The source of the frame as the table has it: network and short address, or extended address. */
static unsigned rf_source_of(const struct rf *s, uint8_t source[8])
{
    const uint8_t *header = s->rx_header;
    unsigned mode = header[1] >> 6 & 3, end = frame154_header_length(header), length = mode == EXTENDED ? 8 : 2;
    if (mode != SHORT && mode != EXTENDED)
        return 0;
    if (mode == EXTENDED) {
        memcpy(source, header + end - length, length);
        return 8;
    }
    const uint8_t *pan = header[0] & FRAME154_INTRA_PAN ? header + 3 : header + end - 4;
    memcpy(source, pan, 2);
    memcpy(source + 2, header + end - 2, 2);
    return 4;
}

void rf_match_source(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    uint8_t source[8];
    unsigned size = rf_source_of(s, source), index = NONE;
    uint32_t mode = block32_get(n, d, RF_SRCMATCH), found = 0;
    bool extended = size == 8;
    if (!(mode & SRCMATCH_ENABLE) || !size || frame154_type(s->rx_header) == FRAME154_ACK)
        return;
    uint32_t enabled = rf_source_bits(n, d, extended ? RF_SRCEXTEN : RF_SRCSHORTEN);
    uint32_t pending = rf_source_bits(n, d, extended ? RF_SRCEXTPENDEN : RF_SRCSHORTPENDEN);
    for (unsigned i = 0; i < 96 / size; i++) {
        unsigned bit = extended ? 2 * i : i;
        if (!(enabled >> bit & 1) || !rf_source_is(n, d, i * size, source, size))
            continue;
        found |= 1u << bit;
        if (index == NONE)
            index = bit | (extended ? IS_EXTENDED : 0);
    }
    bool request = !(mode & SRCMATCH_DATAREQ_ONLY) || frame154_type(s->rx_header) == FRAME154_COMMAND;
    bool pends = index != NONE && pending >> (index & 0x1f) & 1;
    s->rx_source = (uint8_t)(index | (pends ? PENDING : 0));
    s->ack_pending = pends && mode & SRCMATCH_AUTOPEND && request;
    for (unsigned i = 0; i < 3; i++)
        block32_set(n, d, RF_SRCRESMASK + 4 * i, found >> 8 * i & 0xff);
    block32_set(n, d, RF_SRCRESINDEX, s->rx_source);
    rf_flag(n, d, RF_RFIRQF0, IRQ0_MATCH_DONE | (found ? IRQ0_MATCH_FOUND : 0));
}
