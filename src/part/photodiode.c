#include "part/photodiode.h"

static void photodiode_connect(const struct device *d, struct wiring *w)
{
    const struct photodiode *p = d->config;
    wire_analog(w, d, p->line, 0);
    wire_quantity(w, d, (struct quantity){"light", "lux", p->line, 0, p->microvolts_per_lux});
}

static int32_t photodiode_analog(struct node *n, const struct device *d, unsigned role)
{
    const struct photodiode *p = d->config;
    (void)n, (void)role;
    return p->microvolts;
}

const struct device_type part_photodiode = {
    .name = "photodiode", .connect = photodiode_connect, .analog = photodiode_analog};
