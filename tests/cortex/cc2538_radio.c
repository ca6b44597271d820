/* The radio of the CC2538. Node 1 sends frames with a request for an acknowledgement to node 2, in turns with
 * broadcasts; the others print what they hear. Frames for node 2 that others hear are filtered out; node 2 knows node 1
 * as a source with data pending for it. */
#include <stdint.h>

#include "port.h"

#define REG(address) (*(volatile uint32_t *)(address))
#define RF(offset)   REG(0x40088000 + (offset))
#define STROBE(code) (RF(0x838) = (code))

static uint32_t sleep_timer(void)
{
    uint32_t v = REG(0x400d5040);
    v |= REG(0x400d5044) << 8;
    v |= REG(0x400d5048) << 16;
    return v | REG(0x400d504c) << 24;
}

static void set_up(unsigned id)
{
    REG(0x400d2000) = 0x20103; /* crystals; 4 MHz */
    while (REG(0x400d2004) & 0x1010000)
        ;
    RF(0x63c) = 11 + 5 * 15; /* channel 26 */
    RF(0x624) = 0x60;        /* check sequence and acknowledgements */
    RF(0x658) = 0xf8;
    RF(0x640) = 0xb6; /* 0 dBm */
    RF(0x5c8) = RF(0x5cc) = 0xff - 0x54;
    RF(0x5d0) = id;
    RF(0x5d4) = 0;
    RF(0x608) = 0x03; /* source matching: node 1 of our network has data pending */
    RF(0x400) = RF(0x404) = 0xab;
    RF(0x408) = 1;
    RF(0x40c) = 0;
    RF(0x60c) = 1;
    RF(0x59c) = 1;
    RF(0x804) = 1; /* MAC timer */
    STROBE(0xe3);
    while (!(RF(0x664) & 1))
        ;
}

static void print_number(const char *before, unsigned number)
{
    port_print(before);
    port_number(number);
}

static unsigned take(uint8_t *frame)
{
    unsigned length = RF(0x828);
    for (unsigned i = 0; i < length && i < 128; i++)
        frame[i] = (uint8_t)RF(0x828);
    return length;
}

static void heard(unsigned id)
{
    uint8_t frame[128];
    if (!(RF(0x64c) & 0x40))
        return;
    unsigned length = take(frame);
    print_number("", id);
    print_number(" heard ", length);
    print_number(" bytes, type ", frame[0] & 7);
    print_number(" number ", frame[2]);
    port_print(frame[0] & 0x10 ? " with more" : "");
    port_print(frame[length - 1] & 0x80 ? ", well\n" : ", badly\n");
}

static void send(const uint8_t *frame, unsigned length)
{
    STROBE(0xee);
    RF(0x828) = length + 2;
    for (unsigned i = 0; i < length; i++)
        RF(0x828) = frame[i];
    RF(0x830) = 0;
    STROBE(0xea); /* if the channel is clear */
    if (!(RF(0x64c) & 8)) {
        port_print("busy\n");
        return;
    }
    while (!(RF(0x830) & 2))
        ;
}

int main(void)
{
    unsigned id = REG(0x28002c) & 0xff;
    uint8_t unicast[] = {0x61, 0x88, 0, 0xab, 0xab, 2, 0, 1, 0, 'u'};
    uint8_t broadcast[] = {0x41, 0x88, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 'b'};
    set_up(id);
    uint32_t next = 3277, end = 12 * 3277;
    for (unsigned sent = 0; sleep_timer() < end;) {
        heard(id);
        if (id != 1 || sent == 10 || sleep_timer() < next)
            continue;
        next += 3277;
        uint8_t *frame = sent & 1 ? broadcast : unicast;
        frame[2] = (uint8_t)sent++;
        send(frame, 10);
    }
    if (RF(0x82c))
        port_print("an error\n");
    port_end(0);
    return 0;
}
