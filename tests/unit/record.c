/* Damaged logs: whatever bytes a flash memory has, replay executes a part of what was executed, and says how it ended.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/pages.h"
#include "board/board.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/node.h"
#include "record/crc.h"
#include "record/log.h"
#include "record/replay.h"
#include "unit/sanitized.h"

enum { PAGE = 264, PAGES = 5, MOST = 200000 };

static uint8_t flash[PAGES * PAGE];
static uint16_t *truth; /* addresses executed by the replay of the undamaged log */
static size_t truth_count;
static char path[256];

static struct machine *load_from(const char *file, const struct chip_device *log)
{
    struct motet_error e = {""};
    struct machine_options o = {.fuses = {-1, -1, -1}, .lock = -1, .log = log};
    struct image *image = image_load(file, &e);
    const struct board *b = board_named("micaz");
    struct machine *m = image ? machine_new(b->chip, b, image, &o, &e) : NULL;
    if (!m)
        fail_msg("%s", e.text);
    return m;
}

static struct machine *load(const struct chip_device *log)
{
    return load_from(path, log);
}

/* Goes through a part of a log; compares with the truth if there is one. Returns how many instructions it had. */
static size_t go_through(const struct log_part *part, uint16_t *into, enum replay_end *end)
{
    struct motet_error e = {""};
    struct image *image = image_load(path, &e);
    struct replay *r = replay_new(image, board_named("micaz")->chip->isa, part, &e);
    size_t count = 0;
    if (!r) { /* another codec or build: refused */
        image_free(image);
        *end = REPLAY_DIFFERS;
        return 0;
    }
    struct machine *m = load(replay_device(r));
    struct node *n = node_new(m, 0, 0);
    while (count < MOST && node_settle(n, UINT64_MAX)) {
        uint16_t pc = (uint16_t)(m->chip->isa->pc(n) / 2);
        if (into)
            into[count] = pc;
        count++;
        node_run(n, n->state->now + 1);
    }
    char text[1024];
    *end = (enum replay_end)replay_state_of(n)->end;
    if (*end != REPLAY_GOES_ON)
        assert_int_not_equal(strlen(replay_explain(n, text, sizeof text)), 0);
    node_free(n);
    machine_free(m);
    replay_free(r);
    image_free(image);
    return count;
}

static int set_up(void **state)
{
    (void)state;
    struct motet_error e = {""};
    enum replay_end end;
    snprintf(path, sizeof path, "%s/record-ticks-micaz.elf", FIRMWARE_DIR);
    struct machine *m = load(NULL);
    struct node *n = node_new(m, 0, 1);
    node_run(n, m->hz); /* a second */
    for (size_t i = 0; i < m->device_count; i++)
        if (strcmp(m->devices[i].name, "flash") == 0)
            pages_read(device_pages(n, &m->devices[i]), 0, flash, sizeof flash);
    node_free(n);
    machine_free(m);
    struct log *l = log_parse("flash", flash, sizeof flash, PAGE, &e);
    assert_non_null(l);
    assert_int_equal(l->count, 1);
    truth = calloc(MOST, sizeof *truth);
    truth_count = go_through(&l->parts[0], truth, &end);
    assert_int_equal(l->parts[0].pages, PAGES);
    log_free(l);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(truth);
    return 0;
}

/* Every byte flipped in turn: a page is believed whole or not at all, and what is left is a beginning of the truth. */
static void every_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof flash; i += SANITIZED_SHARE) {
        struct motet_error e = {""};
        flash[i] ^= (uint8_t)(1 << i % 8);
        struct log *l = log_parse("flash", flash, sizeof flash, PAGE, &e);
        flash[i] ^= (uint8_t)(1 << i % 8);
        assert_non_null(l);
        assert_int_equal(l->count, 1);
        bool unused = i % PAGE >= 16u + (flash[i / PAGE * PAGE + 12] | flash[i / PAGE * PAGE + 13] << 8);
        assert_int_equal(l->parts[0].pages, unused ? PAGES : i / PAGE);
        assert_int_equal(l->parts[0].beyond, unused ? 0 : PAGES - 1 - i / PAGE);
        log_free(l);
    }
}

/* Every length: the parse is that of the whole pages. */
static void every_truncation(void **state)
{
    (void)state;
    for (size_t size = 0; size < sizeof flash; size += SANITIZED_SHARE) {
        struct motet_error e = {""};
        struct log *l = log_parse("flash", flash, size, PAGE, &e);
        assert_int_equal(l != NULL, size >= PAGE);
        if (l)
            assert_int_equal(l->parts[0].pages, size / PAGE);
        log_free(l);
    }
}

/* Events changed with checks that fit: replay goes on as it was, or stops and says so. It may also go on with
 * another value, for nothing but the checks could tell; it never crashes or hangs. */
static void damage_inside(void **state)
{
    (void)state;
    struct motet_error e = {""};
    struct log *l = log_parse("flash", flash, sizeof flash, PAGE, &e);
    struct log_part *p = &l->parts[0];
    unsigned differ = 0, tried = 0;
    for (size_t i = 0; i < p->size; i += 11 * SANITIZED_SHARE) {
        enum replay_end end;
        p->bytes[i] ^= 0x81;
        go_through(p, NULL, &end);
        p->bytes[i] ^= 0x81;
        differ += end == REPLAY_DIFFERS;
        tried++;
    }
    assert_true(tried > 50 / SANITIZED_SHARE && differ > 0);
    log_free(l);
}

/* Cut at every event: a prefix of the truth, and the log's end. */
static void every_length(void **state)
{
    (void)state;
    struct motet_error e = {""};
    struct log *l = log_parse("flash", flash, sizeof flash, PAGE, &e);
    struct log_part *p = &l->parts[0];
    uint16_t *now = calloc(MOST, sizeof *now);
    size_t whole = p->size, before = 0;
    for (size_t size = 4; size < whole; size += 21 * SANITIZED_SHARE) {
        enum replay_end end;
        p->size = size;
        size_t count = go_through(p, now, &end);
        assert_true(end == REPLAY_LOG_ENDED || count == MOST);
        assert_true(count >= before && count <= truth_count);
        assert_memory_equal(now, truth, count * sizeof *now);
        before = count;
    }
    free(now);
    log_free(l);
}

static void garbage(void **state)
{
    (void)state;
    uint8_t bytes[4 * PAGE];
    uint64_t seed = 1;
    for (int round = 0; round < 200; round++) {
        struct motet_error e = {""};
        for (size_t i = 0; i < sizeof bytes; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            bytes[i] = (uint8_t)(seed >> 56);
        }
        bytes[0] = 0x4e;
        struct log *l = log_parse("garbage", bytes, sizeof bytes, round % 2 ? PAGE : 0, &e);
        assert_null(l);
        assert_int_not_equal(e.text[0], 0);
    }
}

/* A log in the format that an earlier Motet had, or in none there is, is not taken for one of today's. */
static void former_formats(void **state)
{
    (void)state;
    struct motet_error e = {""};
    struct log *l = log_parse("flash", flash, sizeof flash, PAGE, &e);
    struct image *image = image_load(path, &e);
    l->parts[0].codec = LOG_FORMER;
    assert_null(replay_new(image, board_named("micaz")->chip->isa, &l->parts[0], &e));
    assert_non_null(strstr(e.text, "motet (of an earlier Motet)"));
    l->parts[0].codec = LOG_FORMER_BITS;
    assert_null(replay_new(image, board_named("micaz")->chip->isa, &l->parts[0], &e));
    assert_non_null(strstr(e.text, "bits (of an earlier Motet)"));
    l->parts[0].codec = LOG_CODECS;
    assert_null(replay_new(image, board_named("micaz")->chip->isa, &l->parts[0], &e));
    assert_non_null(strstr(e.text, "unknown"));
    image_free(image);
    log_free(l);
    static uint8_t former[sizeof flash]; /* the page format before build ids had 64 bits */
    memcpy(former, flash, sizeof flash);
    for (size_t at = 0; at < sizeof former; at += PAGE) {
        uint8_t *page = former + at;
        unsigned used = page[12] | (unsigned)page[13] << 8;
        if (page[0] != 0x4e)
            continue;
        page[0] = 0x4d;
        uint16_t check = crc16(crc16(0, page + 16, used), page, 14);
        page[14] = (uint8_t)check;
        page[15] = (uint8_t)(check >> 8);
    }
    for (unsigned size = 0; size <= PAGE; size += PAGE) {
        assert_null(log_parse("former.bin", former, sizeof former, size, &e));
        assert_non_null(strstr(e.text, "former.bin: this log was written by firmware of an earlier Motet"));
        assert_non_null(strstr(e.text, "replay it with the Motet that built the firmware"));
    }
    memcpy(former, flash, PAGE); /* where both are, the old pages are left out, and counted */
    l = log_parse("both.bin", former, sizeof former, 0, &e);
    assert_non_null(l);
    assert_int_equal(l->pages, 1);
    assert_true(l->former > 0 && !l->damaged);
    log_free(l);
}

/* Any bit of the build id tells firmware apart, also where pages agree in the 16 that each of them has. */
static void other_builds(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        struct motet_error e = {""};
        struct log *l = log_parse("flash", flash, sizeof flash, PAGE, &e);
        struct image *image = image_load(path, &e);
        l->parts[0].build ^= UINT64_C(1) << bit;
        assert_null(replay_new(image, board_named("micaz")->chip->isa, &l->parts[0], &e));
        assert_non_null(strstr(e.text, "give the firmware that recorded it"));
        image_free(image);
        log_free(l);
    }
}

/* One page alone, with so few bytes that it is whole in either size: the memory's tells. */
static void page_sizes(void **state)
{
    (void)state;
    static uint8_t bytes[256 * 264 + 256];
    struct motet_error e = {""};
    enum { USED = 12, CHECK = 14, HEADER = 16, FEW = 100 };
    memset(bytes, 0xff, sizeof bytes);
    memcpy(bytes, flash, HEADER + FEW);
    bytes[USED] = FEW;
    bytes[USED + 1] = 0;
    uint16_t check = crc16(crc16(0, bytes + HEADER, FEW), bytes, CHECK);
    bytes[CHECK] = (uint8_t)check;
    bytes[CHECK + 1] = (uint8_t)(check >> 8);
    static const struct {
        size_t size;
        unsigned page;
    } memories[] = {{256 * 263, 256}, {256 * 265, 256}, {264 * 255, 264}, {264 * 256, 264}};
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++) {
        struct log *l = log_parse("flash", bytes, memories[i].size, 0, &e);
        assert_non_null(l);
        assert_int_equal(l->page_size, memories[i].page);
        assert_int_equal(l->pages, 1);
        assert_int_equal(l->damaged, 0);
        log_free(l);
    }
}

/* ---- checkpoints, resets and freezes ---- */

static const char *firmware(const char *name)
{
    static char file[256];
    snprintf(file, sizeof file, "%s/record-%s-micaz.elf", FIRMWARE_DIR, name);
    return file;
}

static struct log *log_of(const struct node *n)
{
    struct motet_error e = {""};
    struct log *l = NULL;
    for (size_t i = 0; i < n->machine->device_count; i++)
        if (strcmp(n->machine->devices[i].name, "flash") == 0) {
            struct pages *pages = device_pages(n, &n->machine->devices[i]);
            uint8_t *bytes = malloc(pages_size(pages));
            pages_read(pages, 0, bytes, pages_size(pages));
            l = log_parse("flash", bytes, pages_size(pages), PAGE, &e);
            free(bytes);
        }
    return l;
}

/* How the replay of a part ends. */
static enum replay_end end_of(const char *file, const struct log_part *p, enum replay_difference *difference)
{
    struct motet_error e = {""};
    char text[1024];
    struct image *image = image_load(file, &e);
    struct replay *r = replay_new(image, board_named("micaz")->chip->isa, p, &e);
    assert_non_null(r);
    struct machine *m = load_from(file, replay_device(r));
    struct node *n = node_new(m, 0, 0);
    node_run(n, 60 * m->hz);
    enum replay_end end = (enum replay_end)replay_state_of(n)->end;
    *difference = (enum replay_difference)replay_state_of(n)->difference;
    if (end != REPLAY_GOES_ON)
        assert_int_not_equal(strlen(replay_explain(n, text, sizeof text)), 0);
    node_free(n);
    machine_free(m);
    replay_free(r);
    image_free(image);
    return end;
}

enum { STEADY_PAGES = 48 };
static uint8_t steady[STEADY_PAGES * PAGE];

static struct log *steady_log(void)
{
    static bool recorded;
    struct motet_error e = {""};
    if (!recorded) {
        struct machine *m = load_from(firmware("steady"), NULL);
        struct node *n = node_new(m, 0, 1);
        node_run(n, 3 * m->hz);
        for (size_t i = 0; i < m->device_count; i++)
            if (strcmp(m->devices[i].name, "flash") == 0)
                pages_read(device_pages(n, &m->devices[i]), 0, steady, sizeof steady);
        node_free(n);
        machine_free(m);
        recorded = true;
    }
    return log_parse("flash", steady, sizeof steady, PAGE, &e);
}

static const struct log_part *numbered(const struct log *l, unsigned number)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->parts[i].number == number)
            return &l->parts[i];
    return NULL;
}

static bool is_beginning(const uint8_t *bytes, size_t size, const uint8_t *of, size_t of_size)
{
    return size <= of_size && (size == 0 || memcmp(bytes, of, size) == 0);
}

/* Every byte flipped in a log with checkpoints: what is left of each part is a beginning of it; where one loses its
 * own, a later one can still be used, and replays to its end. */
static void every_byte_of_checkpoints(void **state)
{
    (void)state;
    struct log *whole = steady_log();
    enum replay_difference d;
    unsigned restarts = 0;
    for (size_t i = 0; i < sizeof steady; i += SANITIZED_SHARE) {
        steady[i] ^= (uint8_t)(1 << i % 8);
        struct log *l = steady_log();
        steady[i] ^= (uint8_t)(1 << i % 8);
        assert_non_null(l);
        for (size_t k = 0; k < l->count; k++) {
            const struct log_part *p = &l->parts[k], *w = numbered(whole, p->number);
            assert_non_null(w);
            assert_true(is_beginning(p->bytes, p->size, w->bytes, w->size));
            assert_true(is_beginning(p->checkpoint.bytes, p->checkpoint.size, w->checkpoint.bytes, w->checkpoint.size));
            if (i % 3205 == 0 /* in every share */ && log_part_usable(p)) {
                assert_int_not_equal(end_of(firmware("steady"), p, &d), REPLAY_DIFFERS);
                restarts += p->continues;
            }
        }
        log_free(l);
    }
    assert_true(restarts > 2);
    log_free(whole);
}

/* Memory changed in a checkpoint, where no check of a page tells: its digest does. (Much of it does not count: blocks
 * are there twice that had changed meanwhile.) Registers and how devices were set up are not in the digest; a replay
 * then may differ, but ends. */
static void damaged_checkpoint(void **state)
{
    (void)state;
    struct log *l = steady_log();
    unsigned refused = 0, tried = 0;
    for (size_t i = 0; i < l->count; i++) {
        struct log_part *p = &l->parts[i];
        for (size_t k = 0; log_part_usable(p) && p->continues && k < p->checkpoint.size; k += 61 * SANITIZED_SHARE) {
            enum replay_difference d;
            p->checkpoint.bytes[k] ^= 0x10;
            enum replay_end end = end_of(firmware("steady"), p, &d);
            refused += end == REPLAY_DIFFERS && d == REPLAY_NO_CHECKPOINT;
            tried++;
            p->checkpoint.bytes[k] ^= 0x10;
        }
    }
    assert_true(tried > 5 && refused > tried / 4);
    log_free(l);
}

/* Reset at any moment: what was in memory is written when the node comes up again, and replays to the reset, unless the
 * recorder itself was interrupted in its work. */
static void reset_often(const char *name, unsigned rounds, unsigned tenths)
{
    char file[256];
    snprintf(file, sizeof file, "%s", firmware(name));
    struct machine *m = load_from(file, NULL);
    unsigned recovered = 0;
    for (unsigned round = 0; round < rounds; round++) {
        enum replay_difference d;
        struct node *n = node_new(m, 0, 1);
        node_run(n, m->hz / 8 + round * 12347);
        n->state->reset_pending = 1 + RESET_WATCHDOG;
        node_run(n, n->state->now + tenths * m->hz / 10);
        struct log *l = log_of(n);
        assert_non_null(l);
        const struct log_part *first = numbered(l, 0), *last = &l->parts[l->count - 1];
        if (first)
            assert_int_equal(end_of(file, first, &d), first->recovered ? REPLAY_RESET : REPLAY_LOG_ENDED);
        if (last != first && log_part_usable(last))
            assert_int_equal(end_of(file, last, &d), REPLAY_LOG_ENDED);
        recovered += first && first->recovered;
        log_free(l);
        node_free(n);
    }
    assert_true(recovered > rounds / 4);
    machine_free(m);
}

static void resets(void **state)
{
    (void)state;
    reset_often("steady", SANITIZED_SHARE > 1 ? 7 : 20, 2);
    reset_often("steady-coded", SANITIZED_SHARE > 1 ? 7 : 20, 6);
}

/* Another firmware is put onto the node, whose memory keeps what the last one left: none of that is written as its own.
 */
static void other_firmware(void **state)
{
    (void)state;
    struct machine *before = load_from(firmware("steady"), NULL), *after = load_from(firmware("steady-other"), NULL);
    struct node *old = node_new(before, 0, 1), *new = node_new(after, 0, 1);
    uint32_t ram = before->register_size;
    node_run(old, before->hz / 8);
    memcpy(new->data + ram, old->data + ram, before->data_size - ram);
    node_run(new, after->hz / 8);
    struct log *l = log_of(new);
    assert_non_null(l);
    assert_int_equal(l->count, 1);
    assert_false(l->parts[0].recovered);
    log_free(l);
    node_free(old);
    node_free(new);
    machine_free(before);
    machine_free(after);
}

/* Frozen when its invariant fails, and still after power was off; until it is cleared. */
static void freezes(void **state)
{
    (void)state;
    struct motet_error e = {""};
    enum replay_difference d;
    struct machine *m = load_from(firmware("freeze"), NULL);
    struct node *n = node_new(m, 0, 1);
    node_run(n, m->hz / 2);
    struct log *l = log_of(n);
    assert_int_equal(l->count, 1);
    assert_true(l->parts[0].frozen);
    assert_int_equal(end_of(firmware("freeze"), &l->parts[0], &d), REPLAY_FROZEN);
    unsigned pages = l->pages;
    log_free(l);
    node_power_cycle(n);
    node_run(n, m->hz / 2);
    l = log_of(n);
    assert_int_equal(l->pages, pages);
    log_free(l);
    assert_true(node_set_variable(n, "clear", 1, &e));
    assert_true(node_set_variable(n, "limit", 255, &e));
    node_power_cycle(n);
    node_run(n, m->hz / 2);
    l = log_of(n);
    assert_int_equal(l->count, 2);
    assert_true(l->parts[1].continues && !l->parts[1].frozen);
    assert_int_equal(end_of(firmware("freeze"), &l->parts[1], &d), REPLAY_LOG_ENDED);
    log_free(l);
    node_free(n);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte),
        cmocka_unit_test(every_truncation),
        cmocka_unit_test(every_length),
        cmocka_unit_test(damage_inside),
        cmocka_unit_test(garbage),
        cmocka_unit_test(former_formats),
        cmocka_unit_test(other_builds),
        cmocka_unit_test(page_sizes),
        cmocka_unit_test(every_byte_of_checkpoints),
        cmocka_unit_test(damaged_checkpoint),
        cmocka_unit_test(resets),
        cmocka_unit_test(other_firmware),
        cmocka_unit_test(freezes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
