/* Differences found by hashed ranges, as DIP does it (Lin and Levis, IPSN 2008).
 *
 * Each item has an estimate of how sure it is that another node has another version: 0 for no reason to think so, e if
 * it was in a range of ITEMS >> (e - 1) items whose hash differed, SAY_VERSION if it is known by itself, SAY_DATA if
 * another node's is known to be older. What is sent follows from the highest estimate: DATA, a VECTOR of items, or a
 * SUMMARY of ranges half as long as those that differed. A SUMMARY is: salt (2), and ranges, each begin, end, hash (2).
 */
#include <stddef.h>
#include <string.h>

#include "bytes.h"
#include "items.h"
#include "random.h"

#define LEVELS      5 /* ITEMS is 2 to this */
#define SAY_VERSION (LEVELS + 1)
#define SAY_DATA    (LEVELS + 2)
#define VECTOR_FROM LEVELS /* a range of one item is not worth a hash */
#define RANGES_MAX  4
#define RANGE       4 /* bytes */

_Static_assert(ITEMS == 1 << LEVELS, "as many levels as halvings");

static uint8_t estimates[ITEMS];
static uint8_t left[ITEMS]; /* of the estimates, while a message is put together: 0 for what it has already */

static uint8_t highest_left(void)
{
    uint8_t top = 0;
    for (uint8_t key = 1; key < ITEMS; key++)
        if (left[key] > left[top])
            top = key;
    return top;
}

/* Estimates go down with each message, so that the exchange ends when all agree. */
static void take(uint8_t key)
{
    left[key] = 0;
    if (estimates[key])
        estimates[key]--;
}

/* Where the window of `length` items begins that has `top` in it and the highest sum of estimates. It slides to the
 * right item by item: one leaves at its left, the next comes in at its right. */
static uint8_t find_window(uint8_t top, uint8_t length)
{
    uint8_t first = top < length ? 0 : top - length + 1, sum = 0;
#ifdef BUG_DIP_BOUND
    uint8_t bound = first + length > ITEMS ? ITEMS : top + length;
#else
    uint8_t bound = top + length > ITEMS ? ITEMS : top + length;
#endif
    for (uint8_t i = first; i < first + length; i++)
        sum += left[i];
    uint8_t best = first, best_sum = sum;
#if defined BUG_DIP_SLIDE || defined BUG_DIP_RIGHT
    for (uint8_t i = first; i + length <= bound; i++) {
#else
    for (uint8_t i = first; i + length < bound; i++) {
#endif
#ifdef BUG_DIP_RIGHT
        sum += left[i + length - 1] - left[i];
#else
        sum += left[i + length] - left[i];
#endif
        if (sum > best_sum) {
            best_sum = sum;
            best = i + 1;
        }
    }
    return best;
}

static void say_summary(uint8_t top)
{
    uint8_t *message = items_payload(), *to = message, ranges = 0;
#ifndef BUG_DIP_PAYLOAD
    if (!message)
        return;
#endif
    uint16_t salt = random_next();
    to = bytes_put16(to, salt);
    do {
        uint8_t length = ITEMS >> left[top], begin = find_window(top, length), end = begin + length;
        *to++ = begin;
        *to++ = end;
        to = bytes_put16(to, items_hash(begin, end, salt));
        for (uint8_t key = begin; key < end; key++)
            take(key);
        top = highest_left();
    } while (++ranges < RANGES_MAX && left[top]);
    items_send(ITEMS_SUMMARY, to - message);
}

static void say_vector(uint8_t top)
{
    uint8_t keys[ITEMS_VECTOR_MAX], count = 0;
    if (!items_payload())
        return;
    do {
        keys[count++] = top;
        take(top);
        top = highest_left();
    } while (count < ITEMS_VECTOR_MAX && left[top] >= VECTOR_FROM);
    items_say_vector(keys, count);
}

void items_protocol_say(void)
{
    memcpy(left, estimates, sizeof left);
    uint8_t top = highest_left();
    if (estimates[top] == SAY_DATA) {
        if (items_say_data(top))
            take(top);
        items_disagree(); /* there may be more of it */
    } else if (estimates[top] >= VECTOR_FROM) {
        say_vector(top);
    } else {
        say_summary(top);
    }
}

static void raise_estimate(uint8_t key, uint8_t estimate)
{
    if (estimates[key] < estimate)
        estimates[key] = estimate;
}

void items_protocol_news(uint8_t key)
{
    raise_estimate(key, SAY_DATA);
}

void items_protocol_heard(uint8_t key, enum items_difference theirs, bool data)
{
    if (theirs != ITEMS_SAME) {
        raise_estimate(key, theirs == ITEMS_OLDER ? SAY_DATA : SAY_VERSION);
        items_disagree();
    } else if (data) {
        estimates[key] = 0;
    } else if (estimates[key] && estimates[key] != SAY_DATA) {
        estimates[key]--;
    }
}

static void received_range(uint8_t begin, uint8_t end, bool same)
{
    uint8_t estimate = 1;
    for (uint8_t length = ITEMS; length > end - begin; length >>= 1)
        estimate++;
    for (uint8_t key = begin; key < end; key++)
        if (!same)
            raise_estimate(key, estimate);
        else if (estimates[key] <= LEVELS)
            estimates[key] = 0;
}

void items_protocol_received(const struct radio_message *m)
{
    if (m->type != ITEMS_SUMMARY || m->length < 2 + RANGE)
        return;
    uint16_t salt = bytes_get16(m->data);
    bool all_same = true;
    for (const uint8_t *range = m->data + 2; range + RANGE <= m->data + m->length; range += RANGE) {
        if (range[0] >= range[1] || range[1] > ITEMS)
            continue;
        bool same = items_hash(range[0], range[1], salt) == bytes_get16(range + 2);
        received_range(range[0], range[1], same);
        all_same &= same;
    }
    if (!all_same) {
        items_disagree();
        return;
    }
    memcpy(left, estimates, sizeof left);
    if (left[highest_left()] == 0)
        items_agree();
}
