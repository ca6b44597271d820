#include "log_radio.h"

#include "board.h"
#include "bytes.h"
#include "keep.h"
#include "radio.h"
#include "recorder.h"
#include "task.h"

#define ATTEMPTS_MAX 5
#define LOOKS_MAX    16 /* at blank pages in one task */

static uint16_t page;
static uint8_t wanted; /* a bit for each piece */
static uint8_t piece;  /* that is on its way */
static uint8_t attempts;

static void answer(void);
static struct task answer_task = {.run = answer};

static void sent(struct radio_packet *p, bool arrived)
{
    if (!arrived && ++attempts < ATTEMPTS_MAX) {
        radio_send(p);
        return;
    }
    wanted &= (uint8_t) ~(1 << piece);
    task_post(&answer_task);
}

static uint8_t message[LOG_RADIO_HEAD + LOG_RADIO_BYTES];
static struct radio_packet packet = {.sent = sent, .type = LOG_RADIO_PIECE, .acknowledge = true, .data = message};

static void send_piece(uint8_t length)
{
    uint8_t *to = bytes_put16(bytes_put16(message, motet_page_size()), motet_page_count());
    *bytes_put16(to, page) = piece;
    packet.length = LOG_RADIO_HEAD + length;
    attempts = 0;
    radio_send(&packet);
}

/* The next of the pieces that are wanted. */
static void next_piece(void)
{
    uint16_t at = 0, size = motet_page_size();
    for (piece = 0; !(wanted & 1 << piece); piece++)
        at += LOG_RADIO_BYTES;
    if (at >= size) {
        wanted = 0;
        return;
    }
    uint8_t length = size - at < LOG_RADIO_BYTES ? (uint8_t)(size - at) : LOG_RADIO_BYTES;
    if (motet_page(page, at, message + LOG_RADIO_HEAD, length) == MOTET_PAGE_WRITTEN)
        send_piece(length);
    else
        task_post(&answer_task); /* the bus is in use */
}

static void answer(void)
{
    uint8_t there = MOTET_PAGE_BLANK;
    if (!wanted || packet.busy)
        return;
    for (uint8_t look = 0; look < LOOKS_MAX && there == MOTET_PAGE_BLANK; look++) {
        there = motet_page(page, 0, message, 0);
        page += there == MOTET_PAGE_BLANK;
    }
    if (there == MOTET_PAGE_BEYOND) {
        piece = 0;
        wanted = 1;
        page = motet_page_count();
        send_piece(0);
    } else if (there == MOTET_PAGE_WRITTEN) {
        next_piece();
    } else {
        task_post(&answer_task);
    }
}

static void received(const struct radio_message *m)
{
    if (!keep_given() || !motet_page || m->length != 3 || m->to != node_id || packet.busy)
        return;
    page = bytes_get16(m->data);
    wanted = m->data[2];
    packet.to = m->from;
    task_post(&answer_task);
}

static struct radio_listener listener = {.received = received, .type = LOG_RADIO_ASK};

void log_radio_start(void)
{
    radio_listen(&listener);
}
