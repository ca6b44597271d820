/* The server of the Debug Adapter Protocol: messages in any pieces, cut at every byte, changed in any way; a client
 * that says anything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dap/text.h"
#include "dap/wire.h"
#include "motet/motet.h"

static uint64_t random_state = 1;

static uint64_t random_below(uint64_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % limit;
}

/* ---- the wire ---- */

static const char conversation[] =
    "Content-Length: 2\r\n\r\n{}content-length:  13 \r\nX: y\r\n\r\n{\"a\": \"\r\n\r\n\"}"
    "Content-Length: 0\r\n\r\nContent-Length: 4\r\n\r\nnull";

/* What a wire makes of bytes that come in pieces: the messages, each with a line end; then why it is broken. */
static char *heard(const char *bytes, size_t count, size_t piece)
{
    struct wire w = {.bytes = NULL};
    char *text = calloc(1, count + 4096);
    for (size_t at = 0; at < count; at += piece) {
        size_t length;
        wire_put(&w, bytes + at, count - at < piece ? count - at : piece);
        for (char *body; (body = wire_take(&w, &length)); free(body)) {
            assert_true(length <= WIRE_BODY);
            strncat(text, body, length);
            strcat(text, "|");
        }
    }
    assert_true(w.room <= 2 * (count + 1) + 64);
    if (w.broken)
        strcat(text, w.error.text);
    wire_free(&w);
    return text;
}

static void pieces_do_not_matter(void **state)
{
    (void)state;
    char *whole = heard(conversation, sizeof conversation - 1, sizeof conversation);
    assert_string_equal(whole, "{}|{\"a\": \"\r\n\r\n\"}||null|");
    for (size_t piece = 1; piece < sizeof conversation; piece++) {
        char *again = heard(conversation, sizeof conversation - 1, piece);
        assert_string_equal(again, whole);
        free(again);
    }
    free(whole);
}

static void changed_bytes_give_the_same_in_any_pieces(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        char bytes[sizeof conversation];
        size_t count = 1 + random_below(sizeof conversation - 1);
        memcpy(bytes, conversation, sizeof bytes);
        for (uint64_t changes = random_below(4); changes > 0; changes--)
            bytes[random_below(count)] = "0123456789:\r\n C{}-"[random_below(18)];
        char *whole = heard(bytes, count, count), *again = heard(bytes, count, 1 + random_below(9));
        assert_string_equal(again, whole);
        free(whole);
        free(again);
    }
}

static void wrong_headers_are_refused_in_words(void **state)
{
    static const struct {
        const char *header, *why;
    } wrong[] = {
        {"\r\n\r\n", "no colon"},
        {"Content-Type: x\r\n\r\n", "no Content-Length"},
        {"Content-Length\r\n\r\n", "no colon"},
        {"Content-Length:\r\n\r\n", "no number"},
        {"Content-Length: -1\r\n\r\n", "no number"},
        {"Content-Length: 0x10\r\n\r\n", "no number"},
        {"Content-Length: 4194305\r\n\r\n", "no number"},
        {"Content-Length: 99999999999999999999999999\r\n\r\n", "no number"},
        {"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "two lengths"},
        {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "no colon"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char *text = heard(wrong[i].header, strlen(wrong[i].header), 5);
        assert_non_null(strstr(text, wrong[i].why));
        free(text);
    }
    char endless[WIRE_HEADER + 10];
    memset(endless, 'x', sizeof endless);
    char *text = heard(endless, sizeof endless, 100);
    assert_non_null(strstr(text, "does not end"));
    free(text);
}

/* ---- texts ---- */

static void any_bytes_become_a_text(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 5000; i++) {
        char bytes[24];
        size_t count = random_below(sizeof bytes), length;
        for (size_t k = 0; k < count; k++)
            bytes[k] = (char)(random_below(3) ? 0x80 + random_below(128) : random_below(128));
        json_t *text = text_json(bytes, count), *coded = text_base64((uint8_t *)bytes, count);
        assert_true(json_is_string(text));
        uint8_t *back = text_from_base64(json_string_value(coded), &length);
        assert_int_equal(length, count);
        assert_memory_equal(back, bytes, count);
        free(back);
        json_decref(text);
        json_decref(coded);
    }
    size_t count;
    assert_null(text_from_base64("ab!d", &count));
}

/* ---- a hostile client ---- */

static const char *const commands[] = {"initialize",
                                       "launch",
                                       "attach",
                                       "configurationDone",
                                       "setBreakpoints",
                                       "setFunctionBreakpoints",
                                       "setInstructionBreakpoints",
                                       "setDataBreakpoints",
                                       "dataBreakpointInfo",
                                       "setExceptionBreakpoints",
                                       "breakpointLocations",
                                       "threads",
                                       "stackTrace",
                                       "scopes",
                                       "variables",
                                       "setVariable",
                                       "setExpression",
                                       "evaluate",
                                       "completions",
                                       "source",
                                       "loadedSources",
                                       "next",
                                       "stepIn",
                                       "stepOut",
                                       "stepBack",
                                       "continue",
                                       "reverseContinue",
                                       "pause",
                                       "restart",
                                       "restartFrame",
                                       "gotoTargets",
                                       "goto",
                                       "exceptionInfo",
                                       "readMemory",
                                       "writeMemory",
                                       "disassemble",
                                       "cancel"};
static const char *const names[] = {"threadId",
                                    "frameId",
                                    "variablesReference",
                                    "name",
                                    "value",
                                    "expression",
                                    "context",
                                    "source",
                                    "line",
                                    "endLine",
                                    "breakpoints",
                                    "count",
                                    "offset",
                                    "memoryReference",
                                    "instructionCount",
                                    "instructionOffset",
                                    "data",
                                    "dataId",
                                    "filters",
                                    "text",
                                    "column",
                                    "targetId",
                                    "start",
                                    "format",
                                    "granularity",
                                    "levels",
                                    "program"};
static const char *const values[] = {"1",
                                     "0",
                                     "-1",
                                     "2147483647",
                                     "9223372036854775807",
                                     "1e300",
                                     "0.5",
                                     "null",
                                     "true",
                                     "\"\"",
                                     "\"total\"",
                                     "\"0x100\"",
                                     "\"0x800100\"",
                                     "\"0x100000000\"",
                                     "\"repl\"",
                                     "\"seek 1ms\"",
                                     "\"AAAA\"",
                                     "\"fault\"",
                                     "[]",
                                     "{}",
                                     "[1]",
                                     "[{}]",
                                     "{\"path\": \"counter.c\"}",
                                     "[{\"line\": 27, \"condition\": \"total\"}]",
                                     "[{\"name\": \"add\", \"logMessage\": \"{n}\"}]",
                                     "{\"hex\": true}",
                                     "\"0/0x800100/2\"",
                                     "\"instruction\"",
                                     "\"((((((((((\"",
                                     "\"\\ud83d\\ude00\""};

#define CHOOSE(LIST) LIST[random_below(sizeof LIST / sizeof LIST[0])]

static void write_request(FILE *f, unsigned number, const char *command)
{
    char text[2000];
    int used = snprintf(text, sizeof text, "{\"seq\": %u, \"type\": \"request\", \"command\": \"%s\", \"arguments\": {",
                        number, command);
    for (uint64_t more = 1 + random_below(4), i = 0; i < more; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s\"%s\": %s", i ? ", " : "", CHOOSE(names),
                         CHOOSE(values));
    used += snprintf(text + used, sizeof text - (size_t)used, "}}");
    if (random_below(20) == 0)
        text[random_below((uint64_t)used)] = (char)(1 + random_below(255));
    fprintf(f, "Content-Length: %d\r\n\r\n%s", used, text);
}

static int conversation_file(unsigned requests)
{
    FILE *f = tmpfile();
    assert_non_null(f);
    write_request(f, 1, "initialize");
    fputs("Content-Length: 45\r\n\r\n{\"seq\":2,\"type\":\"request\",\"command\":\"attach\"}", f);
    fputs("Content-Length: 56\r\n\r\n{\"seq\":3,\"type\":\"request\",\"command\":\"configurationDone\"}", f);
    for (unsigned i = 4; i < requests; i++)
        write_request(f, i, random_below(30) ? CHOOSE(commands) : CHOOSE(names));
    fflush(f);
    int fd = dup(fileno(f));
    fclose(f);
    lseek(fd, 0, SEEK_SET);
    return fd;
}

static void a_client_can_say_anything(void **state)
{
    (void)state;
    struct motet_options o = MOTET_OPTIONS_DEFAULT;
    struct motet_error e = {""};
    struct motet_medium medium;
    motet_medium_default(&medium);
    motet_machine *m = motet_machine_load(FIRMWARE_DIR "/debug-counter.elf", &o, &e);
    assert_non_null(m);
    int out = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (unsigned i = 0; i < 100; i++) {
        motet_network *n = motet_network_new(1, 1, &medium, &e);
        assert_non_null(motet_network_add(n, m, &(struct motet_place){.id = 0}, &e));
        struct motet_dap_options how = {.debug = {.until = MOTET_SECOND}};
        motet_dap *d = motet_dap_of_network(n, &how);
        int in = conversation_file(200);
        motet_dap_client *c = motet_dap_client_new(in, out);
        struct motet_dap_launch wish;
        while (motet_dap_await(c, &wish))
            if (wish.attach)
                motet_dap_serve(d, c);
            else
                motet_dap_refuse(c, "no");
        motet_dap_client_free(c);
        motet_dap_free(d);
        motet_network_free(n);
        close(in);
    }
    close(out);
    motet_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_do_not_matter),
        cmocka_unit_test(changed_bytes_give_the_same_in_any_pieces),
        cmocka_unit_test(wrong_headers_are_refused_in_words),
        cmocka_unit_test(any_bytes_become_a_text),
        cmocka_unit_test(a_client_can_say_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
