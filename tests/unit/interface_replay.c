/* Component replay: exact on what was logged, and the first deviation is named on a log that was changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interface/log.h"
#include "motet/log.h"
#include "motet/monitor.h"
#include "motet/motet.h"

static const struct {
    const char *path, *board;
} firmwares[] = {
    {FIRMWARE_DIR "/interface-atmega328p-Os.elf", "atmega328p"},
    {FIRMWARE_DIR "/interface-msp430f1611-O2.elf", "msp430f1611"},
};
enum { FIRMWARES = sizeof firmwares / sizeof firmwares[0] };

static char log_path[64];

/* A run to its end, or of a replay to the end of its log. */
static struct motet_replay lived(motet_machine *m, motet_monitors *monitors)
{
    struct motet_error e = {""};
    struct motet_replay r = {.events = 0};
    motet_network *n = motet_network_of_one(m, 0, 1);
    if (monitors && !motet_monitors_attach_network(monitors, n, &e))
        fail_msg("%s", e.text);
    motet_network_run(n, UINT64_C(1000000000));
    if (monitors)
        assert_true(motet_monitors_write(monitors, stdout, false, &e));
    else
        motet_node_replay(motet_network_at(n, 0), &r);
    motet_network_free(n);
    motet_machine_free(m);
    return r;
}

static motet_machine *loaded(size_t f, const char *log)
{
    struct motet_error e = {""};
    struct motet_options o = MOTET_OPTIONS_DEFAULT;
    o.board = firmwares[f].board;
    motet_machine *m =
        log ? motet_component_load(firmwares[f].path, &o, log, &e) : motet_machine_load(firmwares[f].path, &o, &e);
    if (!m)
        fail_msg("%s", e.text);
    return m;
}

static void make_log(size_t f)
{
    char text[200];
    struct motet_error e = {""};
    motet_monitors *monitors = motet_monitors_new();
    snprintf(text, sizeof text, "interface:of=component.c,states=yes,format=log,file=%s", log_path);
    assert_true(motet_monitors_add(monitors, text, &e));
    lived(loaded(f, NULL), monitors);
    motet_monitors_free(monitors);
}

/* Writes the log anew, with what `change` makes of each event; false leaves the event out. */
typedef bool changer(void *context, const struct interface_header *h, struct interface_event *e, uint64_t number);
static struct motet_replay replayed(size_t f, changer *change, void *context)
{
    struct interface_reader r;
    struct interface_writer w;
    struct interface_event e;
    struct motet_error error = {""};
    char path[80];
    snprintf(path, sizeof path, "%s.changed", log_path);
    assert_true(interface_open(&r, log_path, &error));
    FILE *out = fopen(path, "wb");
    interface_write_begin(&w, &r.header, out);
    for (uint64_t i = 0; interface_next(&r, &e); i++)
        if (!change || change(context, &r.header, &e, i))
            interface_write(&w, &e);
    assert_true(interface_write_end(&w));
    fclose(out);
    interface_close(&r);
    struct motet_replay how = lived(loaded(f, path), NULL);
    unlink(path);
    return how;
}

static bool is(const struct interface_header *h, const struct interface_event *e, enum interface_kind kind,
               const char *name)
{
    return e->kind == kind && strcmp(h->functions[e->function].name, name) == 0;
}

static void a_replay_is_exact(void **state)
{
    (void)state;
    for (size_t f = 0; f < FIRMWARES; f++) {
        make_log(f);
        struct motet_replay r = replayed(f, NULL, NULL);
        assert_true(r.ended);
        assert_false(r.differs);
        assert_non_null(strstr(r.how, "the log ends after"));
        /* The stray write: `busy` is the component's own, and cleared outside. */
        assert_non_null(strstr(r.how, "others had changed its variables"));
    }
}

static bool change_parameter(void *context, const struct interface_header *h, struct interface_event *e,
                             uint64_t number)
{
    (void)context, (void)number;
    if (is(h, e, INTERFACE_CALL_OUT, "outside_twice"))
        e->values[0] ^= 1;
    return true;
}

static bool change_result(void *context, const struct interface_header *h, struct interface_event *e, uint64_t number)
{
    (void)context, (void)number;
    if (is(h, e, INTERFACE_RETURN_OUT, "outside_twice"))
        e->values[0] += 5;
    return true;
}

static bool change_buffer(void *context, const struct interface_header *h, struct interface_event *e, uint64_t number)
{
    static uint8_t bytes[64];
    (void)context, (void)number;
    if (is(h, e, INTERFACE_CALL_OUT, "outside_send")) {
        uint32_t last = e->byte_count - 1;
        memcpy(bytes, e->bytes[last].bytes, e->bytes[last].size);
        bytes[2] ^= 0x40;
        e->bytes[last].bytes = bytes;
    }
    return true;
}

static bool change_variable(void *context, const struct interface_header *h, struct interface_event *e, uint64_t number)
{
    static const uint8_t other[64] = {7};
    (void)context, (void)number;
    if (e->kind == INTERFACE_SNAPSHOT && strcmp(h->variables[e->variable].name, "stored") == 0)
        e->bytes[0].bytes = other;
    return true;
}

static bool leave_call_out(void *context, const struct interface_header *h, struct interface_event *e, uint64_t number)
{
    (void)context, (void)number;
    return !is(h, e, INTERFACE_CALL_OUT, "outside_buffer") && !is(h, e, INTERFACE_RETURN_OUT, "outside_buffer");
}

static void the_first_deviation_is_named(void **state)
{
    static const struct {
        changer *change;
        const char *says;
    } cases[] = {
        {change_parameter, "call-out outside_twice: value is 65515 here and 65514 in the log"},
        {change_result, "return-in component_back: the result is 65500 here and 65495 in the log"},
        {change_buffer, "call-out outside_send: byte 2 of `m->data[m->length]` is 0x03 here and 0x43 in the log"},
        {change_variable, "the component's variables are not those of the node"},
        {leave_call_out, "the component calls outside_buffer, but the log has "},
    };
    (void)state;
    for (size_t f = 0; f < FIRMWARES; f++) {
        make_log(f);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            struct motet_replay r = replayed(f, cases[i].change, NULL);
            assert_true(r.differs);
            if (!strstr(r.how, cases[i].says))
                fail_msg("'%s' should be in: %s", cases[i].says, r.how);
        }
    }
}

static bool cut_at(void *context, const struct interface_header *h, struct interface_event *e, uint64_t number)
{
    (void)h, (void)e;
    return number < *(uint64_t *)context;
}

/* A crash anywhere: the log ends there, and the replay says on which side. */
static void a_log_that_is_cut_is_replayed_to_its_end(void **state)
{
    (void)state;
    for (size_t f = 0; f < FIRMWARES; f++) {
        make_log(f);
        uint64_t all = replayed(f, NULL, NULL).events;
        unsigned inside = 0, outside = 0;
        for (uint64_t cut = 1; cut < all; cut++) {
            struct motet_replay r = replayed(f, cut_at, &cut);
            assert_false(r.differs);
            assert_true(r.events == cut);
            inside += strstr(r.how, ", inside component_") != NULL;
            outside += strstr(r.how, ", outside the component, in outside_") != NULL;
        }
        assert_true(inside > 20 && outside > 10);
    }
}

static bool put_gap(void *context, const struct interface_header *h, struct interface_event *e, uint64_t number)
{
    (void)h;
    if (number == *(uint64_t *)context)
        *e = (struct interface_event){.kind = INTERFACE_GAP, .time = e->time, .lost = 3};
    return true;
}

static void after_a_gap_nothing_is_guessed(void **state)
{
    (void)state;
    for (size_t f = 0; f < FIRMWARES; f++) {
        make_log(f);
        uint64_t all = replayed(f, NULL, NULL).events;
        for (uint64_t at = 12; at < all; at += 7) {
            struct motet_replay r = replayed(f, put_gap, &at);
            assert_true(r.ended);
            assert_false(r.differs);
        }
    }
}

int main(void)
{
    setenv("MOTET_TARGET", SOURCE_DIR "/target", 1); /* descriptions of interfaces */
    snprintf(log_path, sizeof log_path, "/tmp/motet-interface-%ld.ilog", (long)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_replay_is_exact),
        cmocka_unit_test(the_first_deviation_is_named),
        cmocka_unit_test(a_log_that_is_cut_is_replayed_to_its_end),
        cmocka_unit_test(after_a_gap_nothing_is_guessed),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(log_path);
    return failed;
}
