/* Captures: the radio traffic of a network as a pcap file for Wireshark and tshark.
 *
 * Frames of IEEE 802.15.4 are written as LINKTYPE_IEEE802_15_4_TAP (283) with channel, power, and the nanoseconds at
 * which they begin and end, in the order in which they end. The power is that at the sender's antenna: the sniffer is
 * everywhere at once. Invariant: a frame is written whole, checksum included, or not at all (one that was broken off,
 * or that has no start delimiter and length where they belong, is not).
 */
#ifndef EXPORT_PCAP_H
#define EXPORT_PCAP_H

#include "base/error.h"
#include "node/air.h"

struct pcap;

struct pcap *pcap_open(const char *path, struct error *e);

/* One message as it goes out; made to be a network_observer's `said`. */
void pcap_said(void *pcap, uint32_t node, uint64_t nanosecond, const struct air_message *m);

/* Writes what is left and closes. False if anything could not be written since it was opened. */
bool pcap_close(struct pcap *p, struct error *e);

#endif
