/* The gdb server against clients that no gdb is: what is malformed, oversized, cut off or out of order is refused or
 * ignored, nothing crashes, nothing is written that was not asked for, and the next well-formed packet is answered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "gdb/packet.h"
#include "motet/motet.h"

static motet_machine *machine;

static uint64_t random_state = 1;

static uint64_t random_below(uint64_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % limit;
}

static int set_up(void **state)
{
    (void)state;
    struct motet_error e = {""};
    struct motet_options chip = MOTET_OPTIONS_DEFAULT;
    chip.board = "atmega328p";
    machine = motet_machine_load(FIRMWARE_DIR "/busy-atmega328p.elf", &chip, &e);
    if (!machine)
        print_error("%s\n", e.text);
    return machine ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    motet_machine_free(machine);
    return 0;
}

/* ---- a server in a thread of its own, and this end of the connection ---- */

struct served {
    motet_network *network;
    motet_debugger *debugger;
    int ours, theirs;
    pthread_t thread;
    enum motet_debug_end end;
};

static void *serve(void *context)
{
    struct served *s = context;
    s->end = motet_debugger_serve(s->debugger, s->theirs);
    close(s->theirs);
    return NULL;
}

static void connect_to(struct served *s)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    s->ours = pair[0];
    s->theirs = pair[1];
}

static const struct motet_debug_options options = {.memory = 1 << 20, .until = MOTET_NEVER};

static struct served start(void)
{
    struct served s = {.network = motet_network_of_one(machine, 0, 7)};
    s.debugger = motet_debugger_of_network(s.network, &options);
    connect_to(&s);
    return s;
}

/* Three of them, in a network. */
static struct served start_network(void)
{
    enum { NODES = 3 };
    struct served s = {.network = NULL};
    struct motet_medium medium;
    struct motet_error e;
    motet_medium_default(&medium);
    s.network = motet_network_new(7, 1, &medium, &e);
    for (uint32_t i = 0; i < NODES; i++)
        assert_non_null(
            motet_network_add(s.network, machine, &(struct motet_place){.id = 10 + i, .boot = i * 1000}, &e));
    s.debugger = motet_debugger_of_network(s.network, &options);
    connect_to(&s);
    return s;
}

static void begin(struct served *s)
{
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void stop(struct served *s)
{
    close(s->ours);
    motet_debugger_free(s->debugger);
    motet_network_free(s->network);
}

static void finish(struct served *s)
{
    shutdown(s->ours, SHUT_WR);
    char rest[256];
    while (read(s->ours, rest, sizeof rest) > 0)
        ;
    pthread_join(s->thread, NULL);
    stop(s);
}

static void put(struct served *s, const void *bytes, size_t count)
{
    const char *b = bytes;
    while (count) {
        ssize_t sent = send(s->ours, b, count, MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        b += sent;
        count -= (size_t)sent;
    }
}

static size_t framed(char *to, const char *body, size_t length)
{
    unsigned sum = 0;
    for (size_t i = 0; i < length; i++)
        sum += (uint8_t)body[i];
    memcpy(to + 1, body, length);
    to[0] = '$';
    return 1 + length + (size_t)sprintf(to + 1 + length, "#%02x", sum & 0xff);
}

static void ask(struct served *s, const char *body)
{
    char packet[512];
    put(s, packet, framed(packet, body, strlen(body)));
}

/* The next packet the server sends, acknowledgments skipped. */
static const char *answer(struct served *s)
{
    static char text[2 * PACKET_SIZE];
    size_t length = 0;
    char c = 0, sum[2];
    while (c != '$')
        if (read(s->ours, &c, 1) != 1)
            return "(closed)";
    while (read(s->ours, &c, 1) == 1 && c != '#')
        text[length++] = c;
    text[length] = 0;
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(read(s->ours, &sum[i], 1), 1);
    return text;
}

static void expect(struct served *s, const char *body, const char *reply)
{
    ask(s, body);
    assert_string_equal(answer(s), reply);
}

static void expect_begins(struct served *s, const char *body, const char *reply)
{
    ask(s, body);
    const char *got = answer(s);
    if (strncmp(got, reply, strlen(reply)) != 0)
        fail_msg("%s: %s instead of %s...", body, got, reply);
}

/* ---- what is said and what is answered ---- */

static void packets_are_answered(void **state)
{
    (void)state;
    struct served s = start();
    begin(&s);
    expect_begins(&s, "qSupported:multiprocess+;swbreak+", "PacketSize=4000;");
    expect_begins(&s, "?", "T05");
    expect(&s, "vMustReplyEmpty", "");
    expect(&s, "p22", "00000000");
    expect(&s, "p23", "E01");
    expect(&s, "P2=5a", "OK");
    expect(&s, "p2", "5a");
    expect(&s, "M800200,3:010203", "OK");
    expect(&s, "m800200,3", "010203");
    expect(&s, "X800200,2:\x7d\x03\x7d\x04", "OK"); /* escaped # and $ */
    expect(&s, "m800200,3", "232403");
    expect(&s, "m7fffff,1", "E01");
    expect(&s, "m8008ff,10", "00"); /* as much as there is */
    expect_begins(&s, "qXfer:memory-map:read::0,fff", "l<?xml");
    expect_begins(&s, "qXfer:memory-map:read::0,10", "m<?xml");
    expect(&s, "qXfer:memory-map:read::ffff,10", "E01");
    expect_begins(&s, "vCont;s:1", "T05");
    expect_begins(&s, "bs", "T05");
    expect_begins(&s, "bs", "T05");
    ask(&s, "bs");
    assert_non_null(strstr(answer(&s), "replaylog:begin"));
    finish(&s);
}

static void flash_is_not_written(void **state)
{
    (void)state;
    struct served s = start();
    begin(&s);
    ask(&s, "m0,40");
    char before[256];
    snprintf(before, sizeof before, "%s", answer(&s));
    expect(&s, "M0,2:0000", "E01");
    expect(&s, "M8103ff,2:0000", "E01"); /* nor more EEPROM than there is */
    expect(&s, "vFlashErase:7f80,100", "E01");
    expect(&s, "vFlashWrite:7fff:ab", "E01");
    expect(&s, "M8008ff,2:0000", "E01"); /* half of it is there: none is written */
    expect(&s, "M800200,ffffffff:00", "E01");
    expect(&s, "m0,40", before);
    finish(&s);
}

/* Registers of devices are written as an instruction writes them, wherever they lie among the addresses. */
static void writes_reach_devices(void **state)
{
    (void)state;
    motet_machine *avr = machine;
    struct motet_error e = {""};
    struct motet_options chip = MOTET_OPTIONS_DEFAULT;
    chip.board = "msp430f1611";
    machine = motet_machine_load(FIRMWARE_DIR "/busy-msp430f1611.elf", &chip, &e);
    if (!machine) {
        machine = avr;
        skip(); /* not built: there is no clang */
    }
    struct served s = start();
    begin(&s);
    expect(&s, "M1a,1:ff", "OK");   /* P3DIR */
    expect(&s, "M19,1:a5", "OK");   /* P3OUT */
    expect(&s, "m18,1", "a5");      /* P3IN: the pins */
    expect(&s, "M1d,2:3c0f", "OK"); /* P4OUT and P4DIR */
    expect(&s, "m1d,2", "3c0f");
    expect(&s, "M120,2:905a", "OK"); /* WDTCTL with its password */
    expect(&s, "m120,2", "9069");
    expect(&s, "M0,1:01", "OK"); /* IE1 */
    expect(&s, "m0,1", "01");
    expect(&s, "M200,2:3412", "OK"); /* RAM by its other address */
    expect(&s, "m1100,2", "3412");
    expect(&s, "M38ff,2:0000", "E01"); /* the second byte is not there */
    expect(&s, "M1000,1:00", "E01");   /* flash is not written so */
    expect(&s, "m1000,1", "ff");
    expect(&s, "ma00,1", "E01");
    expect(&s, "Z2,10ff,1", "E01"); /* nor watched */
    expect(&s, "Z2,38fe,2", "OK");
    expect(&s, "Z2,38fe,4", "E01");
    expect(&s, "vFlashErase:1000,80", "OK");
    expect(&s, "vFlashErase:3f00,80", "E01");
    finish(&s);
    motet_machine_free(machine);
    machine = avr;
}

static void memories_are_written_when_asked(void **state)
{
    (void)state;
    struct served s = start();
    begin(&s);
    expect(&s, "m810002,2", "ffff");
    expect(&s, "M810002,1:5a", "OK");
    expect(&s, "m810002,2", "5aff");
    ask(&s, "m100,2");
    char before[16];
    snprintf(before, sizeof before, "%s", answer(&s));
    expect(&s, "vFlashErase:100,80", "OK");
    expect(&s, "vFlashWrite:100:ab", "OK");
    expect(&s, "m100,2", before);
    expect(&s, "vFlashDone", "OK");
    expect(&s, "m100,4", "6162ffff");
    expect_begins(&s, "vCont;s:1", "T05");
    expect_begins(&s, "bs", "T05"); /* the inputs were given here: they still hold */
    expect(&s, "m810002,1", "5a");
    finish(&s);
}

/* ---- a network ---- */

static void each_node_is_a_process(void **state)
{
    (void)state;
    struct served s = start_network();
    begin(&s);
    ask(&s, "qSupported:multiprocess+");
    assert_non_null(strstr(answer(&s), "multiprocess+"));
    expect(&s, "qfThreadInfo", "mp1.1,p2.1,p3.1");
    expect(&s, "qsThreadInfo", "l");
    ask(&s, "?");
    assert_non_null(strstr(answer(&s), "thread:p1.1;"));
    ask(&s, "qXfer:threads:read::0,fff");
    assert_non_null(strstr(answer(&s), "<thread id=\"p2.1\" name=\"node 11\">"));
    ask(&s, "qXfer:exec-file:read:2:0,fff");
    assert_non_null(strstr(answer(&s), "/busy-atmega328p.elf"));
    expect_begins(&s, "vFile:open:2f6574632f706173737764,0,0", "F-1"); /* /etc/passwd */
    expect(&s, "Tp3.1", "OK");
    expect(&s, "Tp4.1", "E01");
    expect(&s, "Hgp4.1", "E01");
    expect_begins(&s, "vCont;s:p2.1", "T05"); /* it boots */
    expect(&s, "Hgp2.1", "OK");
    expect(&s, "M800200,1:77", "OK");
    expect(&s, "Hgp3.1", "OK");
    expect(&s, "m800200,1", "00");
    expect(&s, "Hgp2.-1", "OK");
    expect(&s, "m800200,1", "77");
    ask(&s, "vCont;s:p3.1;c:p1.-1");
    assert_non_null(strstr(answer(&s), "thread:p3.1;"));
    expect(&s, "Hcp2.1", "OK");
    ask(&s, "bs");
    assert_non_null(strstr(answer(&s), "thread:p2.1;"));
    expect(&s, "D;2", "OK");
    expect(&s, "qfThreadInfo", "mp1.1,p3.1");
    expect_begins(&s, "vAttach;2", "T05");
    expect(&s, "qfThreadInfo", "mp1.1,p2.1,p3.1");
    expect(&s, "vAttach;9", "E01");
    expect(&s, "vCont;s:p9.1", "E01");
    finish(&s);
}

/* "R0 == 0": stops at once; a condition that is never true does not stop; one that is broken does. */
static void conditions_are_evaluated_here(void **state)
{
    (void)state;
    static const struct {
        const char *expression; /* with its length */
        bool stops;
    } cases[] = {
        {"X3,220127", true},            /* 1 */
        {"X3,220027", false},           /* 0 */
        {"X3,220027;X3,220127", true},  /* one is enough */
        {"X6,220522051327", true},      /* 5 == 5 */
        {"X6,220522061327", false},     /* 5 == 6 */
        {"X7,22ff1608220627", true},    /* the last value counts */
        {"X8,220122ff16081427", false}, /* 1 < -1 */
        {"X6,220122ff1527", true},      /* 1 < 255 unsigned */
        {"X4,26002227", true},          /* the program counter */
        {"X2,2600", true},              /* cut off */
        {"X7,24008002001727", false},   /* a byte of RAM that is 0 */
        {"X3,210000", true},            /* goes in circles */
        {"X1,27", true},                /* nothing on the stack */
        {"X6,220122000527", true},      /* division by zero */
        {"X4,32052727", true},          /* deeper than there is */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char packet[128], pc[64];
        struct served s = start();
        begin(&s);
        expect_begins(&s, "vCont;s:1", "T05");
        expect_begins(&s, "vCont;s:1", "T05");
        ask(&s, "p22");
        snprintf(pc, sizeof pc, "%s", answer(&s));
        unsigned address = (unsigned)strtoul((char[]){pc[2], pc[3], pc[0], pc[1], 0}, NULL, 16);
        expect_begins(&s, "bs", "T05");
        snprintf(packet, sizeof packet, "Z1,%x,2;%s", address, cases[i].expression);
        expect(&s, packet, "OK");
        ask(&s, "vCont;c");
        if (!cases[i].stops)
            put(&s, "\x03", 1);
        const char *got = answer(&s);
        if (strncmp(got, cases[i].stops ? "T05" : "T02", 3) != 0)
            fail_msg("%s: %s", cases[i].expression, got);
        finish(&s);
    }
}

static void ctrl_c_stops_a_run(void **state)
{
    (void)state;
    struct served s = start();
    begin(&s);
    expect(&s, "QStartNoAckMode", "OK");
    for (unsigned i = 0; i < 20; i++) {
        ask(&s, i % 2 ? "c" : "vCont;c");
        put(&s, "\x03", 1);
        assert_int_equal(strncmp(answer(&s), "T02", 3), 0);
        expect_begins(&s, "p22", "");
    }
    ask(&s, "D");
    assert_string_equal(answer(&s), "OK");
    finish(&s);
    assert_int_equal(s.end, MOTET_DEBUG_DETACHED);
}

static void ctrl_c_stops_a_network(void **state)
{
    (void)state;
    struct served s = start_network();
    begin(&s);
    expect(&s, "QStartNoAckMode", "OK");
    for (unsigned i = 0; i < 10; i++) {
        ask(&s, i % 2 ? "vCont;c:p2.-1" : "vCont;c");
        usleep(2000);
        put(&s, "\x03", 1);
        assert_int_equal(strncmp(answer(&s), "T02", 3), 0);
        ask(&s, "bc"); /* a backward run ends at the beginning, or, interrupted, where it began */
        put(&s, "\x03", 1);
        const char *got = answer(&s);
        assert_true(strncmp(got, "T02", 3) == 0 || strstr(got, "replaylog:begin"));
        if (strstr(got, "replaylog:begin"))
            answer(&s); /* the Ctrl-C came late, and is answered by itself */
    }
    finish(&s);
}

static void breakpoints_have_bounds(void **state)
{
    (void)state;
    struct served s = start();
    begin(&s);
    char packet[64];
    for (unsigned i = 0; i < 70; i++) {
        snprintf(packet, sizeof packet, "Z2,%x,1", 0x800200 + i);
        expect(&s, packet, i < 64 ? "OK" : "E01");
    }
    for (unsigned i = 0; i < 1030; i++) {
        snprintf(packet, sizeof packet, "Z0,%x,2", 0x4000 + 2 * i);
        expect(&s, packet, i < 1024 ? "OK" : "E01");
    }
    expect(&s, "Z0,ffffff,2", "E01");
    expect(&s, "Z2,0,1", "E01");
    expect(&s, "Z2,800200,0", "E01");
    expect(&s, "Z9,0,0", "");
    expect_begins(&s, "s", "T05");
    finish(&s);
}

/* ---- whatever comes ---- */

static const char *const phrases[] = {
    "?",
    "g",
    "G00",
    "p0",
    "p22",
    "p99",
    "P22=00000000",
    "P0=",
    "P=",
    "m0,10",
    "m800000,100",
    "m800000,",
    "m,",
    "mffffffff,ffffffff",
    "M800100,2:0102",
    "M800100,4:01",
    "X800100,0:",
    "X800100,2:a",
    "X800100,1:}",
    "s",
    "bs",
    "bc",
    "vCont?",
    "vCont;s",
    "vCont;r0,100",
    "vCont;r,",
    "vCont;x",
    "vCont;",
    "vRun;",
    "vCont;c",
    "Z0,100,2",
    "z0,100,2",
    "Z1,200,2",
    "Z2,800100,1",
    "z2,800100,1",
    "Z3,800100,2",
    "Z4,800300,10",
    "Z2,800047,1",
    "Z",
    "Z0",
    "Z0,",
    "Z0,1",
    "Hg0",
    "H",
    "qSupported",
    "qXfer:memory-map:read::0,fff",
    "qXfer:features:read:target.xml:0,10",
    "qXfer::",
    "qRcmd,",
    "qRcmd,7",
    "qRcmd,7768656e",
    /* when */ "qRcmd,7365656b20312e356d73" /* seek 1.5ms */,
    "qRcmd,6c6173742d7772697465206d69786564",
    "qRcmd,636865636b706f696e74",
    "qRcmd,72657374617274",
    "qRcmd,73656e6420302061",
    "qRcmd,70696e205042303d31",
    "qRcmd,70696e20",
    "qRcmd,7265736574",
    "qRcmd,686973746f7279",
    "!",
    "R00",
    "T1",
    "qC",
    "qfThreadInfo",
    "c",
    "",
    "s0",
    "C05;0",
    "S",
    "c0;",
    "qSupported:multiprocess+",
    "Hgp2.1",
    "Hgp1.-1",
    "Hcp3.1",
    "Hg-1",
    "Hgp.",
    "Tp2.1",
    "Tp",
    "vCont;s:p2.1;c",
    "vCont;c:p1.-1",
    "vCont;r0,100:p3.1",
    "vCont;s:p",
    "vAttach;2",
    "vAttach;",
    "D;2",
    "vKill;3",
    "qXfer:threads:read::0,fff",
    "qXfer:exec-file:read:2:0,fff",
    "qXfer:exec-file:read::0,fff",
    "qXfer:exec-file:read",
    "vFile:open:2f,0,0",
    "vFile:pread:1,100,0",
    "vFile:fstat:2",
    "vFile:pread:,",
    "vFile:close:1",
    "vFile:",
    "vFlashErase:100,80",
    "vFlashErase:,",
    "vFlashWrite:100:abc",
    "vFlashWrite:",
    "vFlashDone",
    "M810000,2:0102",
    "Z0,100,2;X3,220027",
    "Z0,200,2;X9,2600182a08221c1327",
    "Z0,100,2;X",
    "Z0,100,2;Xffff,00",
    "Z0,100,2;X3,22",
    "qRcmd,6e6f646573",
    "qRcmd,7061636b657473",
    "qRcmd,7768657265",
    "qRcmd,6c6173742d77726974652031313a6d69786564", /* last-write 11:mixed */
};
enum { PHRASES = sizeof phrases / sizeof phrases[0] };

/* A stretch of bytes as a broken or hostile client might send it. */
static size_t nonsense(char *to)
{
    const char *phrase = phrases[random_below(PHRASES)];
    if (random_below(500) == 0)
        phrase = random_below(2) ? "D" : "vKill;1";
    char body[700];
    size_t length = (size_t)snprintf(body, sizeof body, "%s", phrase);
    unsigned how = (unsigned)random_below(12);
    if (how == 0 && length) /* one byte is another */
        body[random_below(length)] = (char)random_below(256);
    if (how == 1) /* more after it */
        for (size_t more = random_below(500); more; more--)
            body[length++] = "0123456789abcdef,:;=}"[random_below(21)];
    if (how == 2)
        length = random_below(length + 1);
    size_t size = framed(to, body, length);
    if (how == 3) /* checksum */
        to[size - 1] ^= 1;
    if (how == 4) /* cut off */
        size = random_below(size + 1);
    if (how == 5)
        to[size++] = 3;
    if (how == 6)
        for (size = 0; size < 40; size++)
            to[size] = (char)random_below(256);
    if (how == 7)
        to[size++] = '-';
    return size;
}

struct drained {
    int fd;
    unsigned packets;
};

static void *drain(void *context)
{
    struct drained *d = context;
    char bytes[4096];
    ssize_t count;
    while ((count = read(d->fd, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < count; i++)
            d->packets += bytes[i] == '$';
    return NULL;
}

static void nothing_crashes_it(void **state)
{
    (void)state;
    unsigned answers = 0;
    for (unsigned round = 0; round < 40; round++) {
        struct served s = round % 2 ? start_network() : start();
        struct drained drained = {.fd = s.ours};
        pthread_t reader;
        begin(&s);
        pthread_create(&reader, NULL, drain, &drained);
        if (round % 4 == 1)
            ask(&s, "qSupported:multiprocess+");
        for (unsigned i = 0; i < 150; i++) {
            char bytes[1024];
            put(&s, bytes, nonsense(bytes));
        }
        shutdown(s.ours, SHUT_WR);
        pthread_join(s.thread, NULL);
        pthread_join(reader, NULL);
        answers += drained.packets;
        stop(&s);
    }
    assert_in_range(answers, 2000, 40 * 150 * 2); /* most of it is well-formed */
}

static void oversized_packets_are_refused(void **state)
{
    (void)state;
    struct served s = start();
    begin(&s);
    size_t size = 5 * PACKET_SIZE;
    char *body = malloc(size), *packet = malloc(size + 8);
    memset(body, '5', size);
    memcpy(body, "M800200,8000:", 13);
    put(&s, packet, framed(packet, body, size));
    expect(&s, "m800200,2", "0000");
    put(&s, "$$$$m8002", 9); /* begun, and begun anew */
    expect(&s, "m800200,2", "0000");
    free(body);
    free(packet);
    finish(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_are_answered),
        cmocka_unit_test(flash_is_not_written),
        cmocka_unit_test(ctrl_c_stops_a_run),
        cmocka_unit_test(ctrl_c_stops_a_network),
        cmocka_unit_test(breakpoints_have_bounds),
        cmocka_unit_test(memories_are_written_when_asked),
        cmocka_unit_test(each_node_is_a_process),
        cmocka_unit_test(conditions_are_evaluated_here),
        cmocka_unit_test(writes_reach_devices),
        cmocka_unit_test(nothing_crashes_it),
        cmocka_unit_test(oversized_packets_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
