/* Pages as they are in the flash: what the node writes and src/record reads (docs/node-logs.md has the format).
 *
 * Invariant: a page whose check fits holds what was recorded, in order; each part begins with the build id of the
 * firmware that wrote it.
 */
#ifndef PAGE_H
#define PAGE_H

#include <stdint.h>

/* A page: this, then the payload. The check covers both, itself left out. */
struct page_header {
    uint8_t magic, codec; /* with what kind of page it is */
    uint16_t build;       /* the lowest bits of the build id */
    uint32_t sequence;    /* of pages in the flash: the newest has the highest */
    uint16_t part;        /* a new one begins at each start and checkpoint */
    uint16_t index;       /* of the page among those of its part, events and checkpoint each for themselves */
    uint16_t used;        /* bytes of payload */
    uint16_t check;
};
_Static_assert(sizeof(struct page_header) == 16, "laid out without gaps");

/* The magic is the version of all that is in pages; 0x4d was the one before build ids had 64 bits. */
enum { PAGE_MAGIC = 0x4e };
enum {
    PAGE_CODEC = 0x07,
    PAGE_GAP = 0x08,        /* the last of its part: something was lost after it */
    PAGE_CHECKPOINT = 0x10, /* no events */
    PAGE_CONTINUES = 0x20,  /* of a part that begins with a checkpoint */
    PAGE_RECOVERED = 0x40,  /* written after a reset, from what the life before had left in RAM */
    PAGE_FROZEN = 0x80,     /* the last: nothing is to be recorded until motet_clear() */
};

/* The events of a part begin with these bytes of the build id, before what the codec writes. */
enum { PAGE_BUILD = 8 };

/* A checkpoint is a sequence of these. */
enum {
    SAVED_BYTES = 0x00,          /* up to 0x7f: one more than this bytes of memory follow */
    CHECKPOINT_FILL = 0x80,      /* up to 0xfc: as many less 0x7f times the byte that follows */
    CHECKPOINT_REGISTERS = 0xfd, /* number of the first, as debuggers number them, how many bytes, then their values */
    CHECKPOINT_AT = 0xfe,        /* address in data memory of what follows, little-endian */
    CHECKPOINT_END = 0xff,       /* binary logarithm of the size of blocks, four bytes of digest, the build id */
};

#endif
