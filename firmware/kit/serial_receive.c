#include <stddef.h>

#include "board.h"
#include "crc.h"
#include "serial.h"
#include "serial_internal.h"
#include "task.h"

enum state { OUTSIDE, BEGIN, INSIDE }; /* for a flag, for a first byte, for more */

#define CRC_BYTES 2

/* `used`: in one piece, so that debuggers and properties find it; clang cuts it up otherwise. */
static struct {
    enum state state;
    bool escaped;
    uint8_t protocol;
    bool token_due;
    uint8_t token;
    uint8_t *to; /* where the data goes, and the CRC after it */
    uint8_t room, count;
    uint16_t crc;
    uint8_t which;  /* buffer */
    uint8_t locked; /* a bit for each buffer */
    uint8_t ready;  /* likewise: holds a packet for the application */
    uint8_t deliver;
} in __attribute__((used));

static struct serial_buffer buffers[2];
static void (*receiver)(struct serial_buffer *b);

static void deliver(void);
static struct task deliver_task = {.run = deliver};

static void lock(uint8_t which)
{
    in.locked |= 1 << which;
}

static void unlock(uint8_t which)
{
    in.locked &= ~(1 << which);
}

static bool current_locked(void)
{
#ifdef BUG_SERIAL_LOCK
    return in.locked >> !in.which & 1; /* of the other buffer */
#else
    return in.locked >> in.which & 1;
#endif
}

static void deliver(void)
{
    for (;;) {
        cpu_state saved = atomic_begin();
        uint8_t which = in.deliver;
        bool some = in.ready >> which & 1;
        if (some) {
            in.ready &= ~(1 << which);
            in.deliver ^= 1;
        }
        atomic_end(saved);
        if (!some)
            return;
        receiver(&buffers[which]);
    }
}

void serial_release(struct serial_buffer *b)
{
    cpu_state saved = atomic_begin();
    unlock(b - buffers);
    atomic_end(saved);
}

static bool is_packet(void)
{
    return in.protocol == SERIAL_ACKNOWLEDGED || in.protocol == SERIAL_PLAIN;
}

static void begin(uint8_t protocol)
{
    static uint8_t answer[CRC_BYTES];
    in.protocol = protocol;
    in.token_due = protocol != SERIAL_PLAIN;
    in.crc = crc_byte(0, protocol);
    in.count = 0;
    in.state = OUTSIDE;
    if (protocol == SERIAL_ACK) {
        in.to = answer;
        in.room = sizeof answer;
        in.state = INSIDE;
    } else if (is_packet() && !current_locked()) {
        lock(in.which);
        in.to = buffers[in.which].data;
        in.room = sizeof buffers[in.which].data;
        in.state = INSIDE;
    }
}

static void accept(void)
{
    buffers[in.which].length = in.count - CRC_BYTES;
    in.ready |= 1 << in.which;
    in.which ^= 1;
    if (in.protocol == SERIAL_ACKNOWLEDGED)
        serial_answer(in.token);
    task_post(&deliver_task);
}

static void end(bool whole)
{
    const uint8_t *crc = in.to + in.count - CRC_BYTES;
    bool good = whole && in.count >= CRC_BYTES && in.crc == (uint16_t)(crc[0] | crc[1] << 8);
    in.state = OUTSIDE;
    if (good && is_packet())
        accept();
    else if (good)
        serial_acknowledged(in.token);
#ifndef BUG_SERIAL_UNLOCK
    else if (is_packet())
        unlock(in.which);
#endif
}

/* The CRC runs two bytes late, since the last two are the sender's. */
static void inside(uint8_t byte)
{
    if (in.token_due) {
        in.token_due = false;
        in.token = byte;
        in.crc = crc_byte(in.crc, byte);
    } else if (in.count == in.room) {
        end(false);
    } else {
        if (in.count >= CRC_BYTES)
            in.crc = crc_byte(in.crc, in.to[in.count - CRC_BYTES]);
        in.to[in.count++] = byte;
    }
}

static void received(uint8_t byte)
{
    if (byte == SERIAL_FLAG) {
        if (in.state == INSIDE)
            end(!in.escaped);
        in.state = BEGIN;
        in.escaped = false;
        return;
    }
    if (in.state == OUTSIDE)
        return;
    if (byte == SERIAL_ESCAPE) {
        in.escaped = true;
        return;
    }
    if (in.escaped)
        byte ^= 0x20;
    in.escaped = false;
    if (in.state == BEGIN)
        begin(byte);
    else
        inside(byte);
}

void serial_start(void (*application)(struct serial_buffer *b))
{
    receiver = application;
    uart_start(received, serial_next);
}
