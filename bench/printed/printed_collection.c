#include "collection.h"
#include "printed.h"

static void sent(struct radio_packet *p, bool arrived);
static void received(const struct radio_message *m);
static void resume(struct timer *t);
#define sent(...)             real_sent(__VA_ARGS__)
#define received(...)         real_received(__VA_ARGS__)
#define resume(...)           real_resume(__VA_ARGS__)
#define collection_send(...)  real_collection_send(__VA_ARGS__)
#define collection_start(...) real_collection_start(__VA_ARGS__)
#include "collection.c"
#undef sent
#undef received
#undef resume
#undef collection_send
#undef collection_start

static void sent(struct radio_packet *p, bool arrived)
{
    printed_packet("sent", p);
    printf("arrived %u\n", arrived);
    real_sent(p, arrived);
    printf("sent done\n");
}

static void received(const struct radio_message *m)
{
    printed_message("received", m);
    real_received(m);
    printf("received done\n");
}

static void resume(struct timer *t)
{
    printf("resume %p", (void *)t);
    printed_bytes(t, sizeof *t);
    real_resume(t);
    printf("resume done\n");
}

bool collection_send(const uint8_t *data, uint8_t length)
{
    printf("collection_send %p %u", (const void *)data, length);
    printed_bytes(data, length);
    bool result = real_collection_send(data, length);
    printf("collection_send = %u\n", result);
    return result;
}

void collection_start(bool root, void (*application)(uint16_t origin, const uint8_t *data, uint8_t length))
{
    printf("collection_start %u %p\n", root, (void *)application);
    real_collection_start(root, application);
    printf("collection_start done\n");
}
