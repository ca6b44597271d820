#include "adc.h"

#include <stddef.h>

#include "board.h"
#include "task.h"

static struct resource converter;
static volatile uint16_t result;

static void deliver(void);
static struct task deliver_task = {.run = deliver};

static struct adc_request *request_of(struct resource_client *c)
{
    return (struct adc_request *)((char *)c - offsetof(struct adc_request, client));
}

static void converted(uint16_t value)
{
    result = value;
    task_post(&deliver_task);
}

static void deliver(void)
{
    struct adc_request *r = request_of(converter.first);
    uint16_t value = result;
    resource_release(&converter);
    r->done(r, value);
}

static void granted(struct resource_client *c)
{
    board_adc_start(request_of(c)->channel, converted);
}

bool adc_read(struct adc_request *r)
{
    r->client.granted = granted;
    return resource_request(&converter, &r->client);
}
