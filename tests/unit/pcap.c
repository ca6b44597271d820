/* Captures, as tshark reads them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/pcap.h"

#define FILE_NAME "unit-pcap.pcap"

static uint16_t crc(const uint8_t *bytes, unsigned count)
{
    uint16_t sum = 0;
    for (unsigned i = 0; i < count; i++)
        for (unsigned b = 0; b < 8; b++)
            sum = (uint16_t)(sum >> 1 ^ (((sum ^ bytes[i] >> b) & 1) ? 0x8408 : 0));
    return sum;
}

/* A data frame to 0xffff in PAN 0x22, with some bytes; returns how many bytes go out in all. */
static unsigned data_frame(uint8_t *to, uint8_t sequence, unsigned payload)
{
    static const uint8_t header[] = {0x41, 0x88, 0, 0x22, 0x00, 0xff, 0xff, 0x07, 0x00};
    memset(to, 0, 4);
    to[4] = 0xa7;
    to[5] = (uint8_t)(sizeof header + payload + 2);
    memcpy(to + 6, header, sizeof header);
    to[8] = sequence;
    for (unsigned i = 0; i < payload; i++)
        to[6 + sizeof header + i] = (uint8_t)(i * 7 + sequence);
    unsigned end = 6 + sizeof header + payload;
    uint16_t sum = crc(to + 6, end - 6);
    to[end] = (uint8_t)sum;
    to[end + 1] = (uint8_t)(sum >> 8);
    return end + 2;
}

static struct air_message message(enum air_kind kind, unsigned channel)
{
    return (struct air_message){.kind = kind, .hertz = 2405e6 + 5e6 * (channel - 11), .dbm = -3.5f};
}

/* In pieces of a few bytes, as radios say them; `cut` leaves the rest out. */
static void transmit(struct pcap *p, uint32_t node, uint64_t at, unsigned channel, const uint8_t *bytes, unsigned count,
                     unsigned cut)
{
    struct air_message m = message(AIR_BEGIN, channel);
    static const struct medium_listener listeners[] = {{2, -80}, {5, -71.5f}, {9, -96}};
    pcap_heard(p, node, node == 40 ? listeners + 2 : listeners, node == 3 ? 0 : node == 40 ? 1 : 3);
    pcap_said(p, node, at, &m);
    for (unsigned i = 0; i < cut; i += 4) {
        m = message(AIR_BYTES, channel);
        m.first = (uint16_t)i;
        m.count = (uint16_t)(cut - i < 4 ? cut - i : 4);
        memcpy(m.bytes, bytes + i, m.count);
        pcap_said(p, node, at + i * 32000, &m);
    }
    m = message(AIR_END, channel);
    pcap_said(p, node, at + count * 32000, &m);
}

static void write_capture(void)
{
    struct motet_error e;
    uint8_t bytes[140];
    struct pcap *p = pcap_open(FILE_NAME, NULL, &e);
    assert_non_null(p);
    unsigned count = data_frame(bytes, 1, 20);
    transmit(p, 0, 1234567890123, 11, bytes, count, count);
    transmit(p, 40, 1234667890123, 26, bytes, count, 12); /* broken off: not written */
    count = data_frame(bytes, 2, 116);
    assert_int_equal(count, 133);
    transmit(p, 40, 1235567890123, 26, bytes, count, count);
    static const uint8_t ack[] = {0, 0, 0, 0, 0xa7, 5, 2, 0, 77, 0, 0};
    memcpy(bytes, ack, sizeof ack);
    uint16_t sum = crc(bytes + 6, 3);
    bytes[9] = (uint8_t)sum;
    bytes[10] = (uint8_t)(sum >> 8);
    transmit(p, 3, 1236567890123, 15, bytes, sizeof ack, sizeof ack);
    bytes[4] = 0x7a; /* another delimiter: not 802.15.4 */
    transmit(p, 3, 1237567890123, 15, bytes, sizeof ack, sizeof ack);
    assert_true(pcap_close(p, &e));
}

static void tshark(const char *options, char *text, size_t size)
{
    char command[512];
    snprintf(command, sizeof command, "tshark -r %s %s 2>/dev/null", FILE_NAME, options);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    size_t used = fread(text, 1, size - 1, f);
    text[used] = 0;
    assert_int_equal(pclose(f), 0);
}

static void frames_are_read_back(void **state)
{
    char text[4096];
    (void)state;
    write_capture();
    tshark("-T fields -E separator=, -e frame.time_epoch -e wpan-tap.ch_num -e wpan-tap.rss -e wpan.seq_no "
           "-e wpan-tap.lqi -e wpan.fcs_ok -e frame.len",
           text, sizeof text);
    /* 60 bytes of TAP header before each frame that a node hears, 44 before the others. The first is far above the
     * noise; the second 4 dB, half way between -1 and 9; no node hears the third. */
    assert_string_equal(text, "1234.567890123,11,-71.5,1,255,1,91\n"
                              "1235.567890123,26,-96,2,127,1,187\n"
                              "1236.567890123,15,,77,,1,49\n");
}

/* Two at once, each heard by node 7: what one is worth there follows from the other, for as long as they overlap. */
static void overlapping_frames_spoil_each_other(void **state)
{
    struct motet_error e;
    char text[4096];
    uint8_t bytes[140];
    const struct medium_listener strong[] = {{7, -60}}, weak[] = {{7, -63}, {8, -90}};
    (void)state;
    struct pcap *p = pcap_open(FILE_NAME, NULL, &e);
    unsigned count = data_frame(bytes, 1, 20);
    for (unsigned channel = 11; channel <= 12; channel++) { /* in one channel, then in two */
        struct air_message m = message(AIR_BEGIN, 11), n = message(AIR_BEGIN, channel);
        pcap_heard(p, 0, strong, 1);
        pcap_said(p, 0, 0, &m);
        pcap_heard(p, 1, weak, 2);
        pcap_said(p, 1, 16000 * count, &n); /* when half of the first is over */
        m.kind = n.kind = AIR_BYTES;
        m.count = n.count = (uint16_t)count;
        memcpy(m.bytes, bytes, count);
        memcpy(n.bytes, bytes, count);
        pcap_said(p, 0, 0, &m);
        pcap_said(p, 1, 16000 * count, &n);
        m.kind = n.kind = AIR_END;
        pcap_said(p, 0, 32000 * count, &m);
        pcap_said(p, 1, 48000 * count, &n);
    }
    assert_true(pcap_close(p, &e));
    tshark("-T fields -E separator=, -e wpan-tap.rss -e wpan-tap.lqi", text, sizeof text);
    /* -60 dBm over half of -63, that is 6 dB; -63 over half of -60, that is 0 dB: (6 + 1) * 25.5 and (0 + 1) * 25.5. */
    assert_string_equal(text, "-60,178\n-63,25\n-60,255\n-63,255\n");
}

static void nothing_is_malformed(void **state)
{
    char text[4096];
    (void)state;
    write_capture();
    tshark("-Y '_ws.malformed || _ws.expert.severity >= 6291456 || _ws.short'", text, sizeof text);
    assert_string_equal(text, "");
}

static void a_file_that_cannot_be_written_is_an_error(void **state)
{
    struct motet_error e;
    (void)state;
    assert_null(pcap_open("no/such/place.pcap", NULL, &e));
    assert_non_null(strstr(e.text, "cannot write no/such/place.pcap: "));
    struct pcap *p = pcap_open("/dev/full", NULL, &e);
    assert_non_null(p);
    assert_false(pcap_close(p, &e));
    assert_non_null(strstr(e.text, "cannot write all of /dev/full: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_read_back),
        cmocka_unit_test(overlapping_frames_spoil_each_other),
        cmocka_unit_test(nothing_is_malformed),
        cmocka_unit_test(a_file_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
