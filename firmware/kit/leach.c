/* A round, in milliseconds from its beginning:
 *
 *     0 advertisements, JOIN_AT members join and get their slots, FRAMES_AT frames of SLOTS slots, the last ones for
 * the head's report; then silence until the base begins the next. */
#include "leach.h"

#include <string.h>

#include "board.h"
#include "bytes.h"
#include "leach_message.h"
#include "radio.h"
#include "random.h"
#include "timer.h"

enum {
    ADVERTISE_AT = 50,
    JOIN_AT = 400,
    FRAMES_AT = 1600,
    SLOT_MS = 64,
    SLOTS = LEACH_MEMBERS + 3,
    FRAMES = 17,
    LATE = 200, /* so long a node waits for the base's word that a round begins */
    STATUS_EVERY = 100,
    JITTER = 8,
    ATTEMPTS = 5,
};

uint16_t leach_rounds, leach_headed, leach_unscheduled;

static void (*take_sample)(uint8_t data[LEACH_DATA]);

static uint16_t round_number;
static uint32_t round_start; /* by this node's clock */
static bool taking_part, was_head;
static uint8_t frame;

/* The one message of a forming cluster and of its members. */
static uint8_t message[2 + LEACH_DATA];
static void message_sent(struct radio_packet *p, bool arrived);
static struct radio_packet packet = {.sent = message_sent, .data = message};

static bool on_its_way;

static void send(struct timer *t)
{
    (void)t;
    radio_send(&packet);
}

static struct timer delay = {.fired = send};

/* A little later: what makes one node speak makes others, too. */
static void say(uint8_t type, uint16_t to, uint8_t length)
{
    if (on_its_way)
        return;
    bytes_put16(message, round_number);
    packet.type = type;
    packet.to = to;
    packet.acknowledge = to != RADIO_EVERYBODY;
    packet.length = length;
    on_its_way = true;
    timer_once(&delay, 1 + random_next() % TICKS_OF_MS(JITTER));
}

/* What a node does next, at a time of the round. */
static struct timer step;

static void next(void (*what)(struct timer *t), uint32_t at)
{
    uint32_t due = round_start + TICKS_OF_MS(at), now = timer_now();
    step.fired = what;
    timer_once(&step, timer_reached(now, due) ? 1 : due - now);
}

/* ---- a head ---- */

static struct member {
    uint16_t id;
    uint8_t told; /* of its slot: attempts, or ATTEMPTS if it worked */
    bool fresh;   /* its data of this frame has come */
    uint8_t data[LEACH_DATA];
} members[LEACH_MEMBERS];
static uint8_t member_count, telling = NO_SLOT; /* the slot in the message that is on its way */
static bool is_head;

static uint8_t report[REPORT_HEADER + (LEACH_MEMBERS + 1) * REPORT_ENTRY];
static uint8_t report_attempts;
static void report_sent(struct radio_packet *p, bool arrived);
static struct radio_packet report_packet = {
    .sent = report_sent, .to = LEACH_BASE, .type = TYPE_REPORT, .acknowledge = true, .data = report};

static void report_sent(struct radio_packet *p, bool arrived)
{
    if (!arrived && ++report_attempts < ATTEMPTS)
        radio_send(p);
}

static uint8_t *put_entry(uint8_t *to, uint16_t id, const uint8_t *data)
{
    to = bytes_put16(to, id);
    memcpy(to, data, LEACH_DATA);
    return to + LEACH_DATA;
}

static void pass_on(struct timer *t)
{
    (void)t;
    uint8_t own[LEACH_DATA], *to = bytes_put16(report, round_number);
    if (!report_packet.busy) {
        take_sample(own);
        *to++ = frame;
        to = put_entry(to, node_id, own);
        for (struct member *m = members; m < members + member_count; m++)
            if (m->fresh) {
                to = put_entry(to, m->id, m->data);
                m->fresh = false;
            }
        report_packet.length = to - report;
        report_attempts = 0;
        radio_send(&report_packet);
    }
    if (++frame < FRAMES)
        next(pass_on, FRAMES_AT + ((uint32_t)frame * SLOTS + LEACH_MEMBERS) * SLOT_MS + random_next() % SLOT_MS);
}

/* Says to the watchers of the air how the cluster forms. */
static void tell_status(struct timer *t)
{
#ifdef BUG_LEACH_TYPE
    packet.type = TYPE_STATUS; /* although the message may be on its way to a member */
#endif
    if (timer_reached(timer_now(), round_start + TICKS_OF_MS(FRAMES_AT)))
        timer_stop(t);
    if (on_its_way)
        return;
    message[2] = member_count;
    say(TYPE_STATUS, RADIO_EVERYBODY, 3);
}

static struct timer status_timer = {.fired = tell_status};

static void advertise(struct timer *t)
{
    (void)t;
    say(TYPE_ADVERTISEMENT, RADIO_EVERYBODY, 2);
    timer_every(&status_timer, TICKS_OF_MS(STATUS_EVERY));
    next(pass_on, FRAMES_AT + LEACH_MEMBERS * SLOT_MS);
}

/* One after the other, as the message is free. */
static void tell_slots(void)
{
    for (uint8_t slot = 0; slot < member_count && !on_its_way; slot++)
        if (members[slot].told < ATTEMPTS) {
            message[2] = telling = slot;
            say(TYPE_SLOT, members[slot].id, 3);
        }
}

static void slot_told(bool arrived)
{
    struct member *m = &members[telling];
    telling = NO_SLOT;
    m->told = arrived ? ATTEMPTS : m->told + 1;
}

static struct member *member_named(uint16_t id)
{
    for (struct member *m = members; m < members + member_count; m++)
        if (m->id == id)
            return m;
    return NULL;
}

static void join_received(const struct radio_message *m)
{
    struct member *known = member_named(m->from);
    if (!is_head || m->length != 2 || bytes_get16(m->data) != round_number)
        return;
    if (known)
        known->told = 0;
    else if (member_count < LEACH_MEMBERS)
        members[member_count++] = (struct member){.id = m->from};
    tell_slots();
}

static void data_received(const struct radio_message *m)
{
    struct member *from = member_named(m->from);
    if (!is_head || !from || m->length != 2 + LEACH_DATA)
        return;
    memcpy(from->data, m->data + 2, LEACH_DATA);
    from->fresh = true;
}

/* ---- a member ---- */

static uint16_t best_head;
static int8_t best_rssi;
static uint8_t joins, slot;
static bool has_head, joined, scheduled;

static void advertisement_received(const struct radio_message *m)
{
    if (is_head || m->length != 2 || bytes_get16(m->data) != round_number || (has_head && m->rssi <= best_rssi))
        return;
    has_head = true;
    best_head = m->from;
    best_rssi = m->rssi;
}

static void send_data(struct timer *t)
{
    (void)t;
    if (!on_its_way) {
        take_sample(message + 2);
        say(TYPE_DATA, best_head, 2 + LEACH_DATA);
    }
    if (++frame < FRAMES)
        next(send_data, FRAMES_AT + ((uint32_t)frame * SLOTS + slot) * SLOT_MS);
}

/* Without a head in reach, or without room with it, a node reports alone. */
static void join(struct timer *t)
{
    (void)t;
    if (has_head && joins++ < ATTEMPTS)
        say(TYPE_JOIN, best_head, 2);
    else
        next(pass_on, FRAMES_AT + LEACH_MEMBERS * SLOT_MS);
}

static void slot_received(const struct radio_message *m)
{
    if (is_head || m->from != best_head || m->length != 3 || bytes_get16(m->data) != round_number)
        return;
    slot = m->data[2];
    scheduled = true;
    next(send_data, FRAMES_AT + (uint32_t)slot * SLOT_MS);
}

/* ---- both ---- */

static void message_sent(struct radio_packet *p, bool arrived)
{
    (void)p;
    on_its_way = false;
    if (telling != NO_SLOT)
        slot_told(arrived);
    if (is_head)
        tell_slots();
    else if (joins && !joined && !arrived)
        next(join, JOIN_AT + 100 * joins + random_next() % 512);
    else
        joined = joins > 0;
}

/* A head is one with probability 1 / (rounds left in the epoch), if it has not been yet. */
static bool chosen(void)
{
    uint8_t gone = round_number % LEACH_EPOCH;
    was_head &= gone != 0;
    return !was_head && random_next() % (LEACH_EPOCH - gone) == 0;
}

static void round_missed(struct timer *t);
static struct timer round_timer = {.fired = round_missed};

static void begin_round(uint16_t number, uint32_t start)
{
    leach_unscheduled += taking_part && joined && !scheduled;
    taking_part = true;
    leach_rounds++;
    round_number = number;
    round_start = start;
    timer_stop(&status_timer);
    timer_once(&round_timer, start + TICKS_OF_MS(LEACH_ROUND_MS + LATE) - timer_now());
    member_count = frame = joins = 0;
    telling = NO_SLOT;
    has_head = joined = scheduled = false;
    is_head = chosen();
    if (is_head) {
        was_head = true;
        leach_headed++;
        next(advertise, ADVERTISE_AT + random_next() % 256);
    } else {
        next(join, JOIN_AT + random_next() % 512);
    }
}

static void round_missed(struct timer *t)
{
    (void)t;
    begin_round(round_number + 1, round_start + TICKS_OF_MS(LEACH_ROUND_MS));
}

static void round_received(const struct radio_message *m)
{
    bool known = taking_part && m->length == 2 && bytes_get16(m->data) == round_number;
    if (m->length == 2 && m->timed && !known)
        begin_round(bytes_get16(m->data), m->time);
}

bool leach_is_head(void)
{
    return is_head;
}

void leach_start(void (*sample)(uint8_t data[LEACH_DATA]))
{
    static struct radio_listener listeners[] = {
        {.received = round_received, .type = TYPE_ROUND},
        {.received = advertisement_received, .type = TYPE_ADVERTISEMENT},
        {.received = join_received, .type = TYPE_JOIN},
        {.received = slot_received, .type = TYPE_SLOT},
        {.received = data_received, .type = TYPE_DATA},
    };
    take_sample = sample;
    for (uint8_t i = 0; i < sizeof listeners / sizeof listeners[0]; i++)
        radio_listen(&listeners[i]);
}
