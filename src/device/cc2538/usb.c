#include "device/cc2538/usb.h"

enum { ADDR = 0x00, POW = 0x04, IIE = 0x1c, OIE = 0x24, CIE = 0x2c, INDEX = 0x38, CTRL = 0x3c, MAXI = 0x40 };
enum { MAXO = 0x4c, END = 0xb0, PLL_ENABLE = 2, PLL_LOCKED = 0x80 };

static void usb_connect(const struct device *d, struct wiring *w)
{
    static const uint8_t plain[] = {ADDR, POW, IIE, OIE, CIE, INDEX, MAXI, MAXO};
    bool known[END / 4] = {false};
    for (size_t i = 0; i < sizeof plain; i++) {
        block32_plain(w, d, plain[i], 0xff);
        known[plain[i] / 4] = true;
    }
    block32_told(w, d, CTRL, 0, WIRE_WRITE);
    known[CTRL / 4] = true;
    for (uint32_t offset = 0; offset < END; offset += 4)
        if (!known[offset / 4])
            block32_plain(w, d, offset, 0);
}

static void usb_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)role, (void)old;
    block32_set(n, d, CTRL, (value & 7) | (value & PLL_ENABLE ? PLL_LOCKED : 0));
}

const struct device_type cc2538_usb = {
    .name = "usb",
    .connect = usb_connect,
    .write = usb_write,
};
