#include "part/photodiode.h"

static void connect(const struct device *d, struct wiring *w)
{
    const struct photodiode *p = d->config;
    wire_analog(w, d, p->line, 0);
}

static int32_t analog(struct node *n, const struct device *d, unsigned role)
{
    const struct photodiode *p = d->config;
    (void)n, (void)role;
    return p->microvolts;
}

const struct device_type part_photodiode = {.name = "photodiode", .connect = connect, .analog = analog};
