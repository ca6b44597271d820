/* Captures: the radio traffic of a network as a pcapng file for Wireshark and tshark.
 *
 * Frames of IEEE 802.15.4 are written as LINKTYPE_IEEE802_15_4_TAP (283) with channel or frequency, power, link
 * quality, and the nanoseconds at which they begin and end, in the order in which they end. Power and link quality are
 * those at the node that hears the frame loudest, as if the sniffer stood there: the power is the frame's own, and the
 * quality what noise and all other transmissions that reach the place leave of it (reception_link_quality). A frame
 * without listeners is written without them. So are frames of the firmware kit on a CC1000, without their check
 * sequence, which is not that of the standard.
 *
 * TinyOS's frames on a CC1000 are of no registered link type. They go to a second interface of LINKTYPE_USER0 (147),
 * which is declared before the first of them; sender, frequency and power are in the comment.
 *
 * Invariant: a frame is written whole or not at all (one that was broken off, or of a format that Motet does not know,
 * is not). A frame is in the file when it ends, so a reader of a FIFO follows the run.
 */
#ifndef EXPORT_PCAP_H
#define EXPORT_PCAP_H

#include "base/error.h"
#include "network/network.h"

struct pcap;

/* `network` is asked for the noise; NULL: there is only that of the receiver. */
struct pcap *pcap_open(const char *path, const struct network *network, struct motet_error *e);

/* The listeners of a transmission that is about to begin, and one message as it is sent: for a network_observer. */
void pcap_heard(struct pcap *p, uint32_t node, const struct medium_listener *listeners, size_t count);
void pcap_said(struct pcap *p, uint32_t node, uint64_t nanosecond, const struct air_message *m);

/* How many transmissions have ended although no frame was written. 0 once one was. */
uint64_t pcap_empty(const struct pcap *p);

/* Writes what is left and closes. False if anything could not be written since it was opened. */
bool pcap_close(struct pcap *p, struct motet_error *e);

#endif
