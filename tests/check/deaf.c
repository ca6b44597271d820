/* Broadcasts and listens. 3 s after its reset pin was pulled it leaves what comes in its radio's buffer. */
#include "board.h"
#include "radio.h"
#include "task.h"
#include "timer.h"

static uint8_t number;
static struct radio_packet packet = {.to = RADIO_EVERYBODY, .type = 6, .data = &number, .length = 1};
static uint16_t kept __attribute__((section(".noinit"))); /* over a reset, not over a loss of power */
static bool pulled;
static uint8_t rounds;

static void say(struct timer *t)
{
    (void)t;
    number++;
    radio_send(&packet);
    if (pulled && ++rounds == 12)
        EIMSK = 0; /* no interrupt of FIFOP any more */
}

static struct timer timer = {.fired = say};

void app_start(void)
{
    pulled = kept == 0x1234;
    kept = 0x1234;
    radio_start();
    timer_every(&timer, TICKS_OF_MS(250));
}
