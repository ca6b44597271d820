#include "device/cc2538/trim.h"

static void trim_connect(const struct device *d, struct wiring *w)
{
    const struct cc2538_trim *c = d->config;
    for (uint32_t offset = 0; offset < c->size; offset += 4)
        block32_plain(w, d, offset, 0xff);
}

const struct device_type cc2538_trim = {
    .name = "trim",
    .connect = trim_connect,
};
