/* Forwarders: TinyOS's serial forwarder, through which host programs exchange packets with a node.
 *
 * Several clients may be connected by TCP. Both sides first send "U "; from then on a packet is its length, one byte,
 * and so many bytes. What the node sends goes to every client; what a client sends goes to the node in a frame
 * (serial_frame.h) that the node acknowledges, one at a time, each client in its turn, and again if the node has not
 * answered after a second of its own time. Invariants: a client gets whole packets in the order in which the node sent
 * them; what a client says can harm that client alone.
 */
#ifndef CLI_FORWARDER_H
#define CLI_FORWARDER_H

#include "motet/motet.h"
#include "serial_frame.h"

struct forwarder;

/* "[HOST:]PORT" names an address of this machine, by default 127.0.0.1; port 0 lets the system choose. */
bool forwarder_check(const char *place, struct motet_error *e);
struct forwarder *forwarder_open(const char *place, const char *name, bool quiet, struct motet_error *e);
void forwarder_close(struct forwarder *f);

/* A descriptor that can be read from when a client has something to say. */
int forwarder_descriptor(const struct forwarder *f);

/* Waits for the first client; false if interrupted (then e has a sentence). */
bool forwarder_wait(struct forwarder *f, struct motet_error *e);

/* Bytes the node has sent. */
void forwarder_from_node(struct forwarder *f, const uint8_t *bytes, size_t count);

/* Bytes for the node, to be called when it has taken the last ones; `now` is the node's time in nanoseconds. Returns
 * how many. */
size_t forwarder_to_node(struct forwarder *f, uint64_t now, uint8_t bytes[FRAME_LINE_MAX]);

#endif
