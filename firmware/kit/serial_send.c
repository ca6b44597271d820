#include <stddef.h>

#include "board.h"
#include "crc.h"
#include "serial.h"
#include "serial_internal.h"
#include "task.h"
#include "timer.h"

#define ANSWERS_MAX  4
#define ATTEMPTS_MAX 5
#define ANSWER_TIME  TICKS_OF_MS(100)

/* The frame on the line. Its bytes are: flag, head[0..heads), data[0..length), two of the CRC, flag. */
static struct {
    bool active;
    uint8_t head[2], heads;
    const uint8_t *data;
    uint8_t length;
    uint8_t at;
    uint16_t crc;
    uint8_t escaped; /* the byte that follows an escape, 0 if none does */
} out;

static uint8_t answers[ANSWERS_MAX], answer_count; /* tokens to acknowledge */
static struct serial_packet *first, *last;
static volatile bool on_line;  /* the first packet is the frame on the line, */
static volatile bool waiting;  /* or has been and waits for its answer, */
static volatile bool answered; /* which has come */
static uint8_t token;          /* of the first packet */

static void advance(void);
static struct task advance_task = {.run = advance};

static void again(struct timer *t)
{
    (void)t;
    waiting = false;
    advance();
}

static struct timer answer_timer = {.fired = again};

static uint8_t frame_byte(void)
{
    uint8_t at = out.at - 1, byte;
    if (at < out.heads)
        byte = out.head[at];
    else if ((at -= out.heads) < out.length)
        byte = out.data[at];
    else
        return at == out.length ? out.crc & 0xff : out.crc >> 8;
    out.crc = crc_byte(out.crc, byte);
    return byte;
}

int16_t serial_next(void)
{
    if (out.escaped) {
        uint8_t byte = out.escaped;
        out.escaped = 0;
        return byte;
    }
    if (!out.active)
        return -1;
    uint8_t last_flag = 1 + out.heads + out.length + 2;
    if (out.at > last_flag) {
        out.active = false;
        task_post(&advance_task);
        return -1;
    }
    if (out.at == 0 || out.at == last_flag) {
        out.at++;
        return SERIAL_FLAG;
    }
    uint8_t byte = frame_byte();
    out.at++;
    if (byte != SERIAL_FLAG && byte != SERIAL_ESCAPE)
        return byte;
    out.escaped = byte ^ 0x20;
    return SERIAL_ESCAPE;
}

static void put_on_line(uint8_t protocol, uint8_t with_token, const uint8_t *data, uint8_t length)
{
    out.head[0] = protocol;
    out.head[1] = with_token;
    out.heads = protocol == SERIAL_PLAIN ? 1 : 2;
    out.data = data;
    out.length = length;
    out.at = 0;
    out.crc = 0;
    out.active = true;
    uart_send();
}

/* An answer that finds the queue full is lost, as if on the line: the sender will ask again. */
void serial_answer(uint8_t to)
{
    if (answer_count < ANSWERS_MAX)
        answers[answer_count++] = to;
    task_post(&advance_task);
}

void serial_acknowledged(uint8_t which)
{
    if (which == token && (on_line || waiting)) {
        answered = true;
        task_post(&advance_task);
    }
}

static void finish(bool arrived)
{
    struct serial_packet *p = first;
    first = p->next;
    p->busy = waiting = answered = false;
    token += p->protocol == SERIAL_ACKNOWLEDGED;
    timer_stop(&answer_timer);
    if (p->sent)
        p->sent(p, arrived);
}

/* What has become of the first packet. */
static void conclude(void)
{
    if (on_line) {
        on_line = false;
        if (first->protocol == SERIAL_PLAIN) {
            finish(true);
            return;
        }
        waiting = true;
        timer_once(&answer_timer, ANSWER_TIME);
    }
    if (answered)
        finish(true);
    else if (!waiting && first->attempts == ATTEMPTS_MAX)
        finish(false);
}

static void advance(void)
{
    cpu_state saved = atomic_begin();
    bool idle = !out.active;
    uint8_t answer = answers[0];
    bool some = idle && answer_count;
    if (some) {
        answer_count--;
        for (uint8_t i = 0; i < answer_count; i++)
            answers[i] = answers[i + 1];
    }
    atomic_end(saved);
    if (!idle)
        return;
    if (first)
        conclude();
    if (some) {
        put_on_line(SERIAL_ACK, answer, NULL, 0);
    } else if (first && !waiting && !out.active) {
        answered = false;
        first->attempts++;
        on_line = true;
        put_on_line(first->protocol, token, first->data, first->length);
    }
}

bool serial_send(struct serial_packet *p)
{
    if (p->busy || p->length > SERIAL_DATA_MAX)
        return false;
    p->busy = true;
    p->attempts = 0;
    p->next = NULL;
    if (first)
        last->next = p;
    else
        first = p;
    last = p;
    task_post(&advance_task);
    return true;
}
