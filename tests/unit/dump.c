/* Dumps over a serial port: what the host makes of whatever comes. The node's part is played by bytes that were
 * written beforehand, since the host takes what comes. */
#define _GNU_SOURCE /* memmem */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "../target/recorder/dump_protocol.h"
#include "record/crc.h"
#include "record/dump.h"

enum { PAGE = 64, PAGES = 8, STREAM = 2000 };
enum { SHORT = 100, LONG = 600000 /* milliseconds; without a wait if all is there */ };

struct stream {
    uint8_t bytes[STREAM];
    size_t count;
};

static void put(struct stream *s, const void *bytes, size_t count)
{
    assert_true(s->count + count <= STREAM);
    if (count)
        memcpy(s->bytes + s->count, bytes, count);
    s->count += count;
}

static void put_frame(struct stream *s, unsigned size, unsigned count, unsigned number, const void *page)
{
    uint8_t head[] = {DUMP_SYNC_0,    DUMP_SYNC_1,           (uint8_t)size,   (uint8_t)(size >> 8),
                      (uint8_t)count, (uint8_t)(count >> 8), (uint8_t)number, (uint8_t)(number >> 8)};
    uint16_t check = crc16(crc16(0, head + 2, 6), page, page ? size : 0);
    put(s, head, sizeof head);
    put(s, page, page ? size : 0);
    put(s, (uint8_t[]){(uint8_t)check, (uint8_t)(check >> 8)}, 2);
}

static void put_end(struct stream *s)
{
    put_frame(s, PAGE, PAGES, PAGES, NULL);
}

/* As page.h lays them out: sequence, then index in part 0. */
static void put_page(struct stream *s, unsigned number, unsigned sequence)
{
    enum { USED = 40, HEADER = 16 };
    uint8_t page[PAGE] = {0};
    page[0] = 0x4e;
    page[4] = page[10] = (uint8_t)sequence;
    page[12] = USED;
    memset(page + HEADER, (int)number, USED);
    uint16_t check = crc16(crc16(0, page + HEADER, USED), page, 14);
    page[14] = (uint8_t)check;
    page[15] = (uint8_t)(check >> 8);
    put_frame(s, PAGE, PAGES, number, page);
}

static struct stream good_stream(void)
{
    struct stream s = {.count = 0};
    put(&s, "what the application said~\x4d\x4d", 28);
    put_page(&s, 2, 0);
    put_page(&s, 2, 0); /* asked for twice */
    put_page(&s, 3, 1);
    put_end(&s);
    return s;
}

static uint8_t said[4096];
static size_t said_count;

static struct log *receive(const struct stream *s, bool goes_on, unsigned patience, struct motet_error *e)
{
    const struct dump_options o = {.patience = patience};
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(write(ends[0], s->bytes, s->count), (ssize_t)s->count);
    if (!goes_on)
        shutdown(ends[0], SHUT_WR);
    e->text[0] = 0;
    struct log *l = dump_receive("the node", ends[1], &o, e);
    ssize_t count = recv(ends[0], said, sizeof said, MSG_DONTWAIT);
    said_count = count > 0 ? (size_t)count : 0;
    close(ends[0]);
    close(ends[1]);
    return l;
}

static bool host_asked(unsigned page)
{
    uint8_t bytes[] = {DUMP_ASK, (uint8_t)page, (uint8_t)(page >> 8),
                       (uint8_t)(DUMP_ASK ^ (uint8_t)page ^ (uint8_t)(page >> 8))};
    return memmem(said, said_count, bytes, sizeof bytes) != NULL;
}

static void all_comes(void **state)
{
    (void)state;
    struct motet_error e;
    struct stream s = good_stream();
    struct log *l = receive(&s, true, LONG, &e);
    assert_non_null(l);
    assert_int_equal(l->pages, 2);
    assert_int_equal(l->count, 1);
    assert_int_equal(l->parts[0].size, 72); /* without the build id */
    assert_int_equal(l->parts[0].bytes[71], 3);
    assert_int_equal(l->parts[0].build, UINT64_C(0x0202020202020202));
    for (unsigned i = 0; i < DUMP_LENGTH; i++)
        assert_int_equal(said[i], (uint8_t)(DUMP_FIRST + i * DUMP_STEP));
    assert_false(host_asked(0));
    assert_true(host_asked(3) && host_asked(4) && host_asked(DUMP_ENOUGH));
    log_free(l);
}

static void a_bad_frame_is_asked_for_again(void **state)
{
    (void)state;
    struct motet_error e;
    struct stream s = {.count = 0};
    put_page(&s, 0, 0);
    put_page(&s, 1, 1);
    s.bytes[s.count - 10] ^= 1;
    put_page(&s, 1, 1);
    put_end(&s);
    struct log *l = receive(&s, true, LONG, &e);
    assert_non_null(l);
    assert_int_equal(l->pages, 2);
    assert_true(memcmp(said + said_count - 16, said + said_count - 12, 4) == 0); /* 1, 1, 2 and enough */
    log_free(l);
}

/* The node has sent it once and waits to be asked, so the command alone would not bring it again. */
static void a_bad_first_frame_is_asked_for_again(void **state)
{
    (void)state;
    struct motet_error e;
    struct stream s = {.count = 0};
    put_page(&s, 0, 0);
    s.bytes[s.count - 10] ^= 1;
    put_page(&s, 0, 0);
    put_end(&s);
    struct log *l = receive(&s, true, LONG, &e);
    assert_non_null(l);
    assert_int_equal(l->pages, 1);
    assert_true(host_asked(0));
    log_free(l);
}

/* Two requests go unanswered: the node has given up, and with the command sent again it begins anew. What it sends for
 * the last request, of a dump that is no more, is not taken for an answer to the next. */
static void a_node_that_gave_up_begins_anew(void **state)
{
    (void)state;
    struct motet_error e;
    struct stream s = {.count = 0};
    for (unsigned page = 0; page < 3; page++)
        put_page(&s, page, page);
    for (unsigned i = 0; i < 2; i++) {
        put_page(&s, 3, 3);
        s.bytes[s.count - 10] ^= 1;
    }
    put_page(&s, 0, 8);
    for (unsigned i = 0; i < 3; i++)
        put_page(&s, 3, 3);
    put_page(&s, 0, 8);
    put_page(&s, 1, 9);
    put_end(&s);
    struct log *l = receive(&s, true, LONG, &e);
    assert_non_null(l);
    assert_int_equal(l->pages, 2);
    assert_true(host_asked(0));
    log_free(l);
}

static void expect_sentence(const struct stream *s, bool goes_on, const char *text)
{
    struct motet_error e;
    assert_null(receive(s, goes_on, SHORT, &e));
    if (!strstr(e.text, text))
        fail_msg("'%s' should have '%s'", e.text, text);
}

static void what_is_missing_is_said(void **state)
{
    (void)state;
    struct stream s = {.count = 0};
    expect_sentence(&s, true, "no recorder answers");
    expect_sentence(&s, false, "closed at the other end after 0 pages");
    put_page(&s, 0, 0);
    expect_sentence(&s, true, "stopped sending after 1 pages");
    s.count = 0;
    put_frame(&s, 60000, 60000, 60000, NULL);
    expect_sentence(&s, true, "Motet does not know such a flash memory");
    s.count = 0;
    put_end(&s);
    expect_sentence(&s, true, "not one whole page");
}

/* Never a page that is not one the node has, whatever happens to the bytes. */
static void damage(void **state)
{
    (void)state;
    struct motet_error e;
    const struct stream good = good_stream();
    for (size_t i = 0; i < 2 * good.count; i++) {
        struct stream s = good;
        if (i < good.count)
            s.bytes[i] ^= 0x41;
        else
            s.count = i - good.count;
        struct log *l = receive(&s, false, LONG, &e);
        if (!l)
            assert_true(e.text[0]);
        for (size_t k = 0; l && k < l->count; k++)
            for (size_t at = 0; at < l->parts[k].size; at++)
                assert_int_equal(l->parts[k].bytes[at], 2 + (at + 8) / 40);
        log_free(l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_comes),
        cmocka_unit_test(a_bad_frame_is_asked_for_again),
        cmocka_unit_test(a_bad_first_frame_is_asked_for_again),
        cmocka_unit_test(a_node_that_gave_up_begins_anew),
        cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
