/* Broadcasts a frame ten times a second after asking whether the channel is clear, and prints what it hears. */
#include <stdint.h>

#include "port.h"

#define REG(address)  (*(volatile uint32_t *)(address))
#define RADIO(offset) REG(0x40001000 + (offset))
#define TASK(number)  RADIO(4 * (number))
#define EVENT(number) RADIO(0x100 + 4 * (number))
#define RTC(offset)   REG(0x4000b000 + (offset))

enum { TXEN, RXEN, START, STOP, DISABLE, CCASTART = 11 };
enum { READY, DISABLED = 4, CRCOK = 12, CRCERROR, CCAIDLE = 17, CCABUSY, MHRMATCH = 23, PHYEND = 27 };

static uint8_t out[16], in[130];

static void wait(unsigned event)
{
    while (!EVENT(event))
        ;
    EVENT(event) = 0;
}

static void listen(void)
{
    RADIO(0x504) = (uint32_t)(uintptr_t)in;
    EVENT(PHYEND) = EVENT(CRCOK) = 0;
    TASK(RXEN) = 1; /* START follows by a shortcut */
    wait(READY);
}

static void off(void)
{
    TASK(DISABLE) = 1;
    wait(DISABLED);
}

/* The radio compares the length, the first byte and the third with a pattern. */
static void match(void)
{
    RADIO(0x644) = 3u << 24 | 0x41 << 8 | 14;
    RADIO(0x648) = 0xff00ff7f;
}

static void heard(unsigned id)
{
    uint32_t matched = EVENT(MHRMATCH);
    EVENT(MHRMATCH) = 0;
    if (!EVENT(CRCOK))
        return;
    if (matched != (in[0] == 14 && in[1] == 0x41 && in[3] == 3))
        port_print("matched wrongly\n");
    else if (matched)
        port_print("matched\n");
    port_number(id);
    port_print(" heard ");
    port_number(in[0]);
    port_print(" bytes, number ");
    port_number(in[3]);
    port_print(" of ");
    port_number(in[8] | in[9] << 8);
    port_print(in[in[0] - 1] > 20 ? ", well\n" : ", badly\n");
}

int main(void)
{
    unsigned id = REG(0x100000a4) & 0xff;
    static const uint8_t frame[] = {14, 0x41, 0x88, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 'h', 'e', 'l', 0};
    for (unsigned i = 0; i < sizeof frame; i++)
        out[i] = frame[i];
    out[8] = (uint8_t)id;
    REG(0x40000008) = 1; /* LFCLKSTART */
    REG(0x40000000) = 1; /* HFCLKSTART */
    while (!REG(0x40000100))
        ;
    RTC(0) = 1;
    RADIO(0x510) = 15;
    RADIO(0x508) = 80; /* channel 26 */
    RADIO(0x50c) = 0;
    RADIO(0x66c) = 0x052d3200; /* energy, 50 */
    RADIO(0x650) = 1;
    unsigned next = 3277 + 400 * id;
    RADIO(0x200) = 1;
    match();
    listen();
    for (unsigned sent = 0; sent < 5;) {
        if (EVENT(PHYEND)) {
            EVENT(PHYEND) = 0;
            heard(id);
            EVENT(CRCOK) = 0;
            TASK(START) = 1;
        }
        if (RTC(0x504) < next)
            continue;
        next += 3277;
        EVENT(CCAIDLE) = EVENT(CCABUSY) = 0;
        TASK(CCASTART) = 1;
        while (!EVENT(CCAIDLE) && !EVENT(CCABUSY))
            ;
        if (EVENT(CCABUSY)) {
            port_print("busy\n");
            continue;
        }
        off();
        out[3] = (uint8_t)sent++;
        RADIO(0x504) = (uint32_t)(uintptr_t)out;
        EVENT(PHYEND) = EVENT(READY) = 0;
        TASK(TXEN) = 1;
        wait(PHYEND);
        off();
        EVENT(READY) = 0;
        listen();
    }
    while (RTC(0x504) < next + 3277)
        if (EVENT(PHYEND)) {
            EVENT(PHYEND) = 0;
            heard(id);
            EVENT(CRCOK) = 0;
            TASK(START) = 1;
        }
    port_end(0);
    return 0;
}
