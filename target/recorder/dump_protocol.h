/* What passes over the serial port when a log is collected there; the same file on the node and on the host.
 *
 * The host sends DUMP_COMMAND. The node answers with a frame, and then with one for each time it is asked, by four
 * bytes: DUMP_ASK, the number of a page (2 bytes), and both of these and DUMP_ASK XORed. The frame has the first page
 * from that number on that is written: two bytes of DUMP_SYNC, the size of a page, how many there are, the page's
 * number (2 bytes each), the page, and a CRC-16 (CCITT) over all from the size on. If there is none, the number is how
 * many there are, and no page follows. Numbers are little-endian. A number above what there are ends the dump. */
#ifndef DUMP_PROTOCOL_H
#define DUMP_PROTOCOL_H

/* Eight bytes, each so much more than the last; none of them is DUMP_ASK. */
#define DUMP_FIRST 0xd5
enum { DUMP_STEP = 0x4d, DUMP_LENGTH = 8 };
enum { DUMP_SYNC_0 = 0x4d, DUMP_SYNC_1 = 0xe6, DUMP_ASK = 0x06, DUMP_ENOUGH = 0xffff };

#endif
