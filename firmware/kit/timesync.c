#include "timesync.h"

#include "board.h"
#include "bytes.h"
#include "radio.h"
#include "random.h"
#include "timer.h"

#define TYPE_TIME 0x3e

enum {
    POINTS = 8,        /* of the line */
    POINTS_ENOUGH = 3, /* for a slope to rely on */
    PATIENCE = 5,      /* periods without news of the root until a node takes its place */
    MEMORY = 10,       /* periods in which a new root ignores what is left of the old one */
    FAR_OFF = 8,       /* ticks between a point and the line that make the point doubtful */
    DOUBTS = 3,        /* in a row: it is the line that is wrong */
};

/* A message: root 2, round 1, global less local time 4 and 1/256 of it 1, the stamp. */
#define OFFSET_AT 3
#define LENGTH    (OFFSET_AT + 5 + RADIO_STAMP)

/* Global less local time, in ticks and 1/256 of them. */
struct offset {
    uint32_t ticks;
    uint8_t part;
};

static struct point {
    uint32_t local;
    struct offset offset;
} points[POINTS];
static uint8_t count, next, doubts;
static struct point heard; /* in this round, whether it fits or not */

/* The line: the offset at `middle` is that of `base` and `shift`/256 more; it grows by `slope`/256 in a tick. */
static uint32_t middle;
static struct offset base;
static float shift, slope;

static uint16_t root = TIMESYNC_NO_ROOT;
static uint8_t round_number, silence;      /* periods since the last news of the root, or since this node is root */
static uint16_t former = TIMESYNC_NO_ROOT; /* whose place this node took, */
static uint8_t former_round;               /* and its last round */

/* ---- the line ---- */

/* In 1/256 of a tick; FAR_APART stands for all that is more. */
#define FAR_APART (1L << 28)

static int32_t difference(const struct offset *a, const struct offset *b)
{
    int32_t ticks = (int32_t)(a->ticks - b->ticks);
    if (ticks >= FAR_APART / 256 || ticks <= -FAR_APART / 256)
        return ticks > 0 ? FAR_APART : -FAR_APART;
    return ticks * 256 + a->part - b->part;
}

static struct offset moved(struct offset from, float parts)
{
    float sum = from.part + parts;
    int32_t whole = (int32_t)(sum < 0 ? sum - 0.5f : sum + 0.5f);
    return (struct offset){from.ticks + (uint32_t)(whole >> 8), whole & 0xff};
}

static struct offset offset_at(uint32_t local)
{
    return moved(base, shift + slope * (float)(int32_t)(local - middle));
}

/* The least squares of the points, all counted from the first for the sake of small numbers. */
static void draw_line(void)
{
    float x = 0, y = 0, xx = 0, xy = 0;
    for (uint8_t i = 0; i < count; i++) {
        x += (float)(int32_t)(points[i].local - points[0].local) / count;
        y += (float)difference(&points[i].offset, &points[0].offset) / count;
    }
    for (uint8_t i = 0; i < count; i++) {
        float dx = (float)(int32_t)(points[i].local - points[0].local) - x;
        float dy = (float)difference(&points[i].offset, &points[0].offset) - y;
        xx += dx * dx;
        xy += dx * dy;
    }
    int32_t whole = (int32_t)x;
    slope = xx > 0 ? xy / xx : 0;
    middle = points[0].local + (uint32_t)whole;
    base = points[0].offset;
    shift = y - slope * (x - (float)whole);
}

static void forget(void)
{
    count = next = doubts = 0;
}

/* A point that does not fit is left out; if it is of a new root, which may have another time, all others are. */
static void note(uint32_t local, struct offset offset, bool new_root)
{
    struct offset expected = offset_at(local);
    int32_t error = difference(&offset, &expected);
    bool off = error > FAR_OFF * 256L || error < -FAR_OFF * 256L;
    if (new_root && (off || count < POINTS_ENOUGH))
        forget();
    if (off && count >= POINTS_ENOUGH) {
        if (++doubts < DOUBTS)
            return;
        forget();
    }
    doubts = 0;
    points[next] = (struct point){local, offset};
    next = (next + 1) % POINTS;
    if (count < POINTS)
        count++;
    draw_line();
}

/* A root goes on along its line, which it describes anew as time passes, so that no number grows too large. */
static void go_on(uint32_t now)
{
    for (next = 0; next < POINTS_ENOUGH; next++) {
        uint32_t local = now - next * TIMESYNC_PERIOD * TICKS_PER_SECOND;
        points[next] = (struct point){local, offset_at(local)};
    }
    count = next;
    middle = now;
    base = points[0].offset;
    shift = 0;
}

/* ---- saying the time ---- */

static uint8_t message[LENGTH];
static struct radio_packet packet = {
    .to = RADIO_EVERYBODY, .type = TYPE_TIME, .stamp = true, .data = message, .length = sizeof message};

static void say(struct timer *t)
{
    (void)t;
    if (packet.busy)
        return;
    uint32_t now = timer_now();
    struct offset offset = moved(heard.offset, slope * (float)(int32_t)(now - heard.local));
    if (root == node_id)
        offset = offset_at(now);
    uint8_t *to = bytes_put16(message, root);
    *to++ = round_number;
    to = bytes_put32(to, offset.ticks);
    *to = offset.part;
    radio_send(&packet);
}

static struct timer saying = {.fired = say};

static void become_root(void)
{
    former = root;
    former_round = round_number;
    root = node_id;
    silence = 0;
}

static void period_over(struct timer *t)
{
    (void)t;
    if (silence < 255)
        silence++;
    if (root != node_id && silence >= PATIENCE)
        become_root();
    if (root != node_id)
        return;
    go_on(timer_now());
    round_number++;
    say(&saying);
}

static struct timer timer = {.fired = period_over};

/* ---- hearing it ---- */

static bool newer(uint8_t its_round, uint8_t than)
{
    return (int8_t)(its_round - than) > 0;
}

/* Whether the message is of a root that counts for more than the one known, or of the next round of the same. */
static bool is_news(uint16_t its_root, uint8_t its_round)
{
    if (its_root == root)
        return root != node_id && newer(its_round, round_number);
    bool left_over = its_root == former && silence < MEMORY && !newer(its_round, former_round);
    return its_root < root && !left_over;
}

static void received(const struct radio_message *m)
{
    if (m->length != LENGTH || !m->timed)
        return;
    uint16_t its_root = bytes_get16(m->data);
    if (!is_news(its_root, m->data[2]))
        return;
    bool new_root = its_root != root;
    root = its_root;
    round_number = m->data[2];
    silence = 0;
    struct offset offset = {bytes_get32(m->data + OFFSET_AT), m->data[OFFSET_AT + 4]};
    offset.ticks += bytes_get32(m->data + LENGTH - RADIO_STAMP) - m->time;
    heard = (struct point){m->time, offset};
    note(m->time, offset, new_root);
    if (node_id < root && count == POINTS)
        become_root();
    /* The others of the neighbourhood have heard it in the same moment. */
    timer_once(&saying, TICKS_OF_MS(8) + random_next() % TICKS_OF_MS(120));
}

static struct radio_listener listener = {.received = received, .type = TYPE_TIME};

void timesync_start(void)
{
    radio_listen(&listener);
    timer_every(&timer, TIMESYNC_PERIOD * TICKS_PER_SECOND);
}

bool timesync_known(void)
{
    return root == node_id || count >= POINTS_ENOUGH;
}

uint32_t timesync_global(uint32_t local)
{
    struct offset offset = offset_at(local);
    return local + offset.ticks + (offset.part >> 7);
}

uint16_t timesync_root(void)
{
    return root;
}
