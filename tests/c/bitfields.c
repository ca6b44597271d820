/* Bit-fields: packing, sign, assignment, increment, and fields that cross bytes. */
#include <string.h>

#include "check.h"

struct header {
    uint8_t version : 3, type : 5;
    uint16_t length : 11, flags : 5;
    int16_t level : 6, offset : 10;
    uint32_t sequence : 20, rest : 12;
    uint64_t wide : 41, tail : 23;
} __attribute__((packed));

static distinct void fill(struct header *h, uint16_t n)
{
    h->version = n;
    h->type = n >> 3;
    h->length = n * 3;
    h->flags = ~n;
    h->level = n - 20;
    h->offset = -n;
    h->sequence = n * 1001UL;
    h->rest += n;
    h->wide = n * 0x123456789ULL;
    h->tail--;
}

int main(void)
{
    struct header h;
    check(sizeof h == 17);
    memset(&h, 0, sizeof h);
    fill(&h, opaque(0x1ad));
    check(h.version == 5 && h.type == 0x15 && h.length == 0x507 && h.flags == 0x12);
    check(h.level == (int16_t)((uint16_t)(0x1ad - 20) << 10) >> 10);
    check(h.offset == -0x1ad);
    check(h.sequence == 429429 && h.rest == 0x1ad);
    check(h.wide == 0x1ad * 0x123456789ULL && h.tail == 0x7fffff);
    h.wide = opaque(~0ULL);
    check(h.wide == 0x1ffffffffffULL);
    h.level++;
    h.length -= 0x508;
    check(h.length == 0x7ff && h.flags == 0x12);
    uint8_t bytes[17];
    memcpy(bytes, &h, sizeof h);
    check(bytes[0] == (5 | 0x15 << 3) && bytes[1] == 0xff && bytes[2] == (7 | 0x12 << 3));
    exit(0);
}
