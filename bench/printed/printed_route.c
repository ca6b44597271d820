#include "printed.h"
#include "route.h"

static void beacon_received(const struct radio_message *m);
static void send_beacon(void);
#define beacon_received(...) real_beacon_received(__VA_ARGS__)
#define send_beacon(...)     real_send_beacon(__VA_ARGS__)
#include "route.c"
#undef beacon_received
#undef send_beacon

static void beacon_received(const struct radio_message *m)
{
    printed_message("beacon_received", m);
    real_beacon_received(m);
    printf("beacon_received done\n");
}

static void send_beacon(void)
{
    printf("send_beacon\n");
    real_send_beacon();
    printf("send_beacon done\n");
}
