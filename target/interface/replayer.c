/* What a node has in place of the code outside a component (motet cc --replay-interface): a host on its serial line.
 *
 * The firmware's own main() is not executed. The host (src/interface/remote.h) writes memory, calls functions of the
 * component, and answers its calls. Invariant: the node speaks only when it was asked to, or when it waits for an
 * answer; so no byte comes while it does something else.
 *
 * The host sends:                                         The node sends:
 *   W address (2), size (1), bytes: writes memory           O left, number, size, parameters: the component calls out
 *   M address (2), size (1): asks for memory; the bytes     R left, size, bytes: the function has returned
 *   C function (2), reads, size, arguments: calls it        S address (2), size (2): it is about to read there
 *   V reads, size, bytes: the answer to O                   H byte, build id (8): the answer to H
 *   A size, bytes: the answer to S
 *   H byte: asks who is there
 *   Z: starts anew
 * `reads` are what the component will read of others until it leaves: ask (1), bytes (2), then for each read its
 * address (2), size (1) and bytes. What is not among them the node asks for if `ask` is not zero. `left`: how many of
 * them were not read.
 */
#include <stdint.h>

#include "port.h"
#include "replayer_port.h"

#include "motet_log.h" /* by motet cc: LOG_BUFFER */

enum { ARGUMENTS = 40, RESULT = 8 };

extern const uint8_t motet_build_id[], motet_build_id16[], motet_build_id32[], motet_build_id48[];

/* Objects that the firmware outside would have: the host puts them here. */
uint8_t motet_arena[2 * LOG_BUFFER] __attribute__((used));
static uint8_t replay_reads[LOG_BUFFER]; /* address (2), size (1), bytes; READ_TAKEN in the size: it was read */
static uint16_t replay_read_bytes;
static uint8_t replay_asks;
enum { READ_HEAD = 3, READ_TAKEN = 0x80 };

static uint16_t replay_get_word(void)
{
    uint8_t low = replayer_get();
    return (uint16_t)(low | replayer_get() << 8);
}

static void replay_send_word(uint16_t word)
{
    replayer_send((uint8_t)word);
    replayer_send((uint8_t)(word >> 8));
}

static void replay_send_bytes(const volatile uint8_t *bytes, uint8_t count)
{
    for (; count; count--)
        replayer_send(*bytes++);
}

static void replay_hello(void)
{
    uint8_t byte = replayer_get();
    replayer_send('H');
    replayer_send(byte);
    replay_send_word((uint16_t)(uintptr_t)motet_build_id);
    replay_send_word((uint16_t)(uintptr_t)motet_build_id16);
    replay_send_word((uint16_t)(uintptr_t)motet_build_id32);
    replay_send_word((uint16_t)(uintptr_t)motet_build_id48);
}

typedef void replay_entry(const uint8_t *arguments, uint8_t *result);

static void replay_get_reads(void)
{
    replay_asks = replayer_get();
    replay_read_bytes = replay_get_word();
    for (uint16_t i = 0; i < replay_read_bytes; i++) {
        uint8_t byte = replayer_get();
        if (i < LOG_BUFFER)
            replay_reads[i] = byte;
    }
}

static uint8_t replay_left(void)
{
    uint8_t count = 0;
    for (uint16_t i = 0; i < replay_read_bytes; i += READ_HEAD + (replay_reads[i + 2] & ~READ_TAKEN))
        count += !(replay_reads[i + 2] & READ_TAKEN);
    return count;
}

static void replay_call(void)
{
    uint8_t arguments[ARGUMENTS], result[RESULT] = {0};
    replay_entry *entry = (replay_entry *)(uintptr_t)replay_get_word();
    replay_get_reads();
    uint8_t count = replayer_get();
    for (uint8_t i = 0; i < count; i++) {
        uint8_t byte = replayer_get();
        if (i < ARGUMENTS)
            arguments[i] = byte;
    }
    entry(arguments, result);
    replayer_send('R');
    replayer_send(replay_left());
    replayer_send(RESULT);
    replay_send_bytes(result, RESULT);
}

static void replay_answer(uint8_t *to, uint8_t size)
{
    uint8_t count = replayer_get();
    for (uint8_t i = 0; i < count; i++) {
        uint8_t byte = replayer_get();
        if (i < size)
            to[i] = byte;
    }
}

/* Does what the host says, until it answers. */
static void replay_serve(uint8_t *to, uint8_t size)
{
    for (;;) {
        volatile uint8_t *at;
        uint8_t count;
        switch (replayer_get()) {
        case 'W':
            at = (volatile uint8_t *)(uintptr_t)replay_get_word();
            for (count = replayer_get(); count; count--)
                *at++ = replayer_get();
            break;
        case 'M':
            at = (volatile uint8_t *)(uintptr_t)replay_get_word();
            replay_send_bytes(at, replayer_get());
            break;
        case 'C': replay_call(); break;
        case 'V':
            replay_get_reads();
            replay_answer(to, size);
            return;
        case 'A': replay_answer(to, size); return;
        case 'H': replay_hello(); break;
        case 'Z': replayer_restart(); break;
        }
    }
}

/* ---- what the component calls ---- */

void motet_outside(uint8_t number, const uint8_t *parameters, uint8_t count, void *result, uint8_t size);
void motet_outside(uint8_t number, const uint8_t *parameters, uint8_t count, void *result, uint8_t size)
{
    replayer_send('O');
    replayer_send(replay_left());
    replayer_send(number);
    replayer_send(count);
    replay_send_bytes(parameters, count);
    replay_serve(result, size);
}

/* Puts one of the reads that the host has sent to where it belongs, the first of an address. Whether there was one. */
static uint8_t replay_read(uint16_t first, uint16_t size, uint8_t *value, uint8_t value_size)
{
    uint16_t found = replay_read_bytes, lowest = 0;
    for (uint16_t i = 0; i < replay_read_bytes; i += READ_HEAD + (replay_reads[i + 2] & ~READ_TAKEN)) {
        uint16_t at = (uint16_t)(replay_reads[i] | replay_reads[i + 1] << 8);
        if (replay_reads[i + 2] & READ_TAKEN || (uint16_t)(at - first) >= size)
            continue;
        if (found == replay_read_bytes || at < lowest) {
            found = i;
            lowest = at;
        }
    }
    if (found == replay_read_bytes)
        return 0;
    uint8_t count = replay_reads[found + 2];
    volatile uint8_t *to = (volatile uint8_t *)(uintptr_t)lowest;
    replay_reads[found + 2] |= READ_TAKEN;
    for (uint8_t i = 0; i < count; i++) {
        if (!replayer_is_register(lowest))
            to[i] = replay_reads[found + READ_HEAD + i];
        if (lowest == first && i < value_size)
            value[i] = replay_reads[found + READ_HEAD + i];
    }
    uint16_t done = lowest - first + count;
    if (done < size)
        replay_read(first + done, size - done, 0, 0);
    return 1;
}

static void replay_ask(const volatile void *at, uint16_t size, void *value, uint8_t value_size)
{
    if (replay_read((uint16_t)(uintptr_t)at, size, value, value_size) || !replay_asks)
        return;
    replayer_send('S');
    replay_send_word((uint16_t)(uintptr_t)at);
    replay_send_word(size);
    replay_serve(value, value_size);
}

#define REPLAY_SEEN(name, type, bytes)                \
    type name(const volatile void *at, type value);   \
    type name(const volatile void *at, type value)    \
    {                                                 \
        replay_ask(at, bytes, (void *)&value, bytes); \
        return value;                                 \
    }
REPLAY_SEEN(motet_seen1, uint8_t, 1)
REPLAY_SEEN(motet_seen2, uint16_t, 2)
REPLAY_SEEN(motet_seen4, uint32_t, 4)
REPLAY_SEEN(motet_seen1_here, uint8_t, 1)
REPLAY_SEEN(motet_seen2_here, uint16_t, 2)

void motet_seen(const volatile void *at, void *value, uint8_t size);
void motet_seen(const volatile void *at, void *value, uint8_t size)
{
    replay_ask(at, size, value, size);
}

void motet_look(const void *at, uint16_t size);
void motet_look(const void *at, uint16_t size)
{
    replay_ask(at, size, 0, 0);
}

uint8_t motet_idle(void);
uint8_t motet_idle(void)
{
    return 0;
}

int __wrap_main(void);
int __wrap_main(void)
{
    replayer_begin();
    for (;;)
        replay_serve(0, 0);
}
