/* Counts its starts in page 0 of the flash, one byte for each, which becomes 0. Then, over and over: erases what begins
 * at TEST_PAGE, writes its pages in two pieces, and reads them back. LED 1 toggles with each round, LED 0 is lit after
 * an error. With FLASH_RADIO it listens to radio-count meanwhile, on telosb over the same bus. */
#include "board.h"
#include "bytes.h"
#include "flash.h"
#include "leds.h"
#include "task.h"
#ifdef FLASH_RADIO
#include "radio.h"
#endif

#define TEST_PAGE  FLASH_ERASE_PAGES
#define TEST_PAGES 4

uint16_t boots, rounds, errors; /* for observers */

static uint8_t page[FLASH_PAGE_SIZE];
static struct flash_request request = {.data = page, .length = sizeof page};

static uint8_t pattern(uint16_t i)
{
    return (uint8_t)(i * 7 + request.page + rounds);
}

static void error(void)
{
    if (errors++ == 0)
        leds_toggle(LED_0);
}

static void erase(void);
static void write_first(struct flash_request *r);

static void verify(struct flash_request *r)
{
    for (uint16_t i = 0; i < FLASH_PAGE_SIZE; i++)
        if (page[i] != pattern(i)) {
            error();
            break;
        }
    if (++r->page < TEST_PAGE + TEST_PAGES) {
        write_first(r);
        return;
    }
    rounds++;
    leds_toggle(LED_1);
    erase();
}

static void read_back(struct flash_request *r)
{
    for (uint16_t i = 0; i < FLASH_PAGE_SIZE; i++)
        page[i] = 0;
    r->done = verify;
    r->data = page;
    r->offset = 0;
    r->length = FLASH_PAGE_SIZE;
    flash_read(r);
}

static void write_second(struct flash_request *r)
{
    r->done = read_back;
    r->data = page + r->length;
    r->offset = r->length;
    r->length = FLASH_PAGE_SIZE - r->length;
    flash_write(r);
}

static void write_first(struct flash_request *r)
{
    for (uint16_t i = 0; i < FLASH_PAGE_SIZE; i++)
        page[i] = pattern(i);
    r->done = write_second;
    r->data = page;
    r->offset = 0;
    r->length = 100;
    flash_write(r);
}

/* Where one page is erased at a time, the others are erased one after the other. */
static void erased(struct flash_request *r)
{
    r->page += FLASH_ERASE_PAGES;
    if (r->page < TEST_PAGE + TEST_PAGES) {
        flash_erase(r);
        return;
    }
    r->page = TEST_PAGE;
    write_first(r);
}

static void erase(void)
{
    request.done = erased;
    request.page = TEST_PAGE;
    flash_erase(&request);
}

static void counted(struct flash_request *r)
{
    (void)r;
    erase();
}

static void count(struct flash_request *r)
{
    while (boots < FLASH_PAGE_SIZE - 1 && page[boots] == 0)
        boots++;
    page[boots] = 0;
    r->done = counted;
    r->data = page + boots;
    r->offset = boots++;
    r->length = 1;
    if (flash_write(r) && flash_write(r)) /* a request that is under way is refused */
        error();
}

#ifdef FLASH_RADIO
uint16_t heard, missed;

static void received(const struct radio_message *m)
{
    static uint16_t last;
    uint16_t counter = bytes_get16(m->data);
    missed += heard++ && counter != (uint16_t)(last + 1);
    last = counter;
}

static struct radio_listener listener = {.received = received, .type = 6};
#endif

void app_start(void)
{
#ifdef FLASH_RADIO
    radio_start();
    radio_listen(&listener);
#endif
    flash_start();
    request.done = count;
    flash_read(&request);
}
