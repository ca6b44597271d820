/* The first of the requests owns the chip. Each step asks for the bus, and lets go of it while the chip is busy, which
 * is looked at every millisecond. */
#include "flash.h"

#include <stddef.h>

#include "board.h"
#include "task.h"
#include "timer.h"

enum { FLASH_READ, FLASH_WRITE, FLASH_ERASE };

static struct resource chip;
static bool begun; /* the owner's operation */

static void step(void);
static struct task step_task = {.run = step};

static void bus_granted(struct resource_client *c);
static struct resource_client bus = {.granted = bus_granted};

static void again(struct timer *t)
{
    (void)t;
    step();
}

static struct timer timer = {.fired = again};

static struct flash_request *request_of(struct resource_client *c)
{
    return (struct flash_request *)((char *)c - offsetof(struct flash_request, client));
}

static void step(void)
{
    resource_request(flash_chip_bus, &bus);
}

static void begin(const struct flash_request *r)
{
    begun = true;
    if (r->operation == FLASH_READ)
        flash_chip_read(r->page, r->offset, r->data, r->length);
    else if (r->operation == FLASH_WRITE)
        flash_chip_write(r->page, r->offset, r->data, r->length);
    else
        flash_chip_erase(r->page);
}

/* At the first step the chip may be busy too, with a command from before a reset. */
static void bus_granted(struct resource_client *c)
{
    (void)c;
    struct flash_request *r = request_of(chip.first);
    bool busy = flash_chip_busy();
    if (!busy && !begun) {
        begin(r);
        busy = r->operation != FLASH_READ;
    }
    resource_release(flash_chip_bus);
    if (busy) {
        timer_once(&timer, TICKS_OF_MS(1));
        return;
    }
    resource_release(&chip);
    r->done(r);
}

static void chip_granted(struct resource_client *c)
{
    (void)c;
    begun = false;
    task_post(&step_task);
}

static bool ask(struct flash_request *r, uint8_t operation)
{
    if (r->client.waiting || r->page >= FLASH_PAGES || r->offset > FLASH_PAGE_SIZE ||
        r->length > FLASH_PAGE_SIZE - r->offset)
        return false;
    r->operation = operation;
    r->client.granted = chip_granted;
    return resource_request(&chip, &r->client);
}

bool flash_read(struct flash_request *r)
{
    return ask(r, FLASH_READ);
}

bool flash_write(struct flash_request *r)
{
    return ask(r, FLASH_WRITE);
}

bool flash_erase(struct flash_request *r)
{
    return ask(r, FLASH_ERASE);
}

void flash_start(void)
{
    flash_chip_start();
}
