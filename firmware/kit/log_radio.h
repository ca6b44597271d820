/* The pages of a node's frozen log over the radio: what `motet collect --radio` asks for, through a base station.
 *
 * A request (type LOG_RADIO_ASK) has the number of a page (2 bytes) and a bit for each piece of it that is wanted. The
 * answers (type LOG_RADIO_PIECE) are of the first page from that number on that is written. Each has the size of a
 * page, how many pages there are, the page's number (2 bytes each), the piece's number, and its LOG_RADIO_BYTES bytes,
 * of the last piece fewer. If no page is left, one answer has the number of all pages and no bytes. Numbers have the
 * high byte first.
 *
 * A piece is repeated until it is acknowledged, a few times. What is lost nevertheless the host asks for again.
 * Invariant: before the log is frozen (keep.h) no request is answered.
 */
#ifndef KIT_LOG_RADIO_H
#define KIT_LOG_RADIO_H

enum { LOG_RADIO_ASK = 0x32, LOG_RADIO_PIECE = 0x33 }; /* below 0x40, no 6LoWPAN to sniffers (RFC 4944, 5.1) */
enum { LOG_RADIO_HEAD = 7, LOG_RADIO_BYTES = 44 };     /* together with a base station's own head in a serial packet */

void log_radio_start(void); /* after radio_start() */

#endif
