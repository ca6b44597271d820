/* What passes over the serial port when a log is collected there; the same file on the node and on the host.
 *
 * The host sends DUMP_COMMAND. The node answers with frames: two bytes of DUMP_SYNC, a type, a length (2 bytes), so
 * many bytes, and a CRC-16 (CCITT) over all from the type on; numbers are little-endian. The host answers each frame
 * with a byte: DUMP_GOOD for the next one, DUMP_AGAIN for the same, DUMP_ENOUGH to end. A frame that is not answered is
 * sent again. None of the answers is a byte of the command. */
#ifndef DUMP_PROTOCOL_H
#define DUMP_PROTOCOL_H

#define DUMP_FIRST 0xd5
#define DUMP_COMMAND                                    \
    {                                                   \
        DUMP_FIRST, 'M', 'o', 't', 'e', 't', 0x9b, 0x2e \
    }
enum { DUMP_SYNC_0 = 0x4d, DUMP_SYNC_1 = 0xe6 };
enum {
    DUMP_INTRODUCTION = 'I', /* size of a page, pages there are (2 bytes each) */
    DUMP_PAGE = 'P',         /* its number (2 bytes), its bytes */
    DUMP_END = 'E',          /* pages sent, 0 (2 bytes each) */
};
enum { DUMP_GOOD = 0x06, DUMP_AGAIN = 0x15, DUMP_ENOUGH = 0x18 };

#endif
