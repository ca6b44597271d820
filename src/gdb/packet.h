/* Packets: the framing of gdb's remote protocol over a connection ("Packets", "Packet Acknowledgment" in its manual).
 *
 * Invariant: for any bytes, a returned packet is whole, its checksum right, unescaped, ended by a zero byte and no
 * longer than PACKET_SIZE. Anything else is refused or skipped, and what is sent never exceeds what fits.
 */
#ifndef GDB_PACKET_H
#define GDB_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PACKET_SIZE = 0x4000, PACKET_BUFFER = 0x8000 };

struct packets {
    int fd;
    bool silent;               /* no acknowledgments */
    bool closed;               /* the other end does not read */
    bool over;                 /* nothing more will come */
    uint8_t in[PACKET_BUFFER]; /* received, not yet looked at */
    size_t in_first, in_count;
    char packet[PACKET_SIZE + 1]; /* the last one received */
    size_t length;
    char out[PACKET_SIZE + 1]; /* the reply in the making */
    size_t out_length;
    char sent[2 * PACKET_SIZE + 8]; /* the last reply, in case it is to be sent again */
    size_t sent_length;
};

enum packet_event { PACKET_COMMAND, PACKET_INTERRUPT, PACKET_CLOSED };

/* Waits for a packet or a Ctrl-C. */
enum packet_event packet_receive(struct packets *p);

/* Whether something has come meanwhile: a Ctrl-C (which is consumed), another packet, the end. */
bool packet_interrupts(struct packets *p);

/* A reply: begun, added to, sent. */
void packet_begin(struct packets *p);
void packet_text(struct packets *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void packet_hex(struct packets *p, const void *bytes, size_t count);
void packet_binary(struct packets *p, const void *bytes, size_t count);
void packet_send(struct packets *p);
void packet_reply(struct packets *p, const char *text); /* all three */

/* Hexadecimal digits into bytes; how many bytes there were, at most `room`. */
size_t packet_from_hex(const char *text, size_t length, uint8_t *bytes, size_t room);

/* A hexadecimal number; moves *text past it. False if there is none or it does not fit. */
bool packet_number(const char **text, uint64_t limit, uint64_t *value);

#endif
