/* What the writers of others' formats write, as readers of those formats see it: a reader of value change dumps, jq,
 * Python's CSV reader, xmllint. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/perfetto.h"
#include "export/plot.h"
#include "export/table.h"
#include "export/vcd.h"

/* What a command prints; it has to succeed. */
static const char *said(const char *command)
{
    static char text[8192];
    FILE *f = popen(command, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    assert_int_equal(pclose(f), 0);
    return text;
}

static FILE *create(const char *path)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    return f;
}

/* ---- value change dumps ---- */

#define READ_TRACE "python3 " SOURCE_DIR "/tests/export/read_trace.py unit-exports.json"
#define READ_VCD   "python3 " SOURCE_DIR "/tests/export/read_vcd.py unit-exports.vcd"

static struct spool_file *file; /* for all */

static void waveforms_are_read_back(void **state)
{
    (void)state;
    struct vcd *v = vcd_new(file);
    size_t pin = vcd_variable(v, "node1", "PB5", 1), count = vcd_variable(v, "node1", "table[2].etx", 16);
    size_t wide = vcd_variable(v, "node2", "wide", 64), real = vcd_variable(v, "node2", "volts", VCD_REAL);
    vcd_change(v, wide, 5, UINT64_MAX);
    vcd_change(v, pin, 0, 1);
    vcd_change(v, pin, 10, 0);
    vcd_change(v, pin, 20, 0); /* no change */
    vcd_change(v, pin, 30, 1);
    vcd_change(v, count, 10, 7);
    vcd_change(v, count, 10, 0x1fffe); /* at the same time, and with a bit too many */
    vcd_change(v, count, 12, 0);
    vcd_change_real(v, real, 11, -2.5);
    FILE *f = create("unit-exports.vcd");
    assert_true(vcd_write(v, f, 100));
    fclose(f);
    vcd_free(v);
    assert_string_equal(said(READ_VCD), "0 node1.PB5 1\n0 node2.volts 0.0\n5 node2.wide 18446744073709551615\n"
                                        "10 node1.PB5 0\n10 node1.table_2__etx 65534\n11 node2.volts -2.5\n"
                                        "12 node1.table_2__etx 0\n30 node1.PB5 1\nend 100\n");
}

/* More variables than there are identifiers of one character, and of two. */
static void many_variables_are_told_apart(void **state)
{
    (void)state;
    enum { MANY = 9500 };
    char name[16];
    struct vcd *v = vcd_new(file);
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "v%u", i);
        vcd_change(v, vcd_variable(v, "n", name, 14), MANY - i, i);
    }
    FILE *f = create("unit-exports.vcd");
    assert_true(vcd_write(v, f, 0));
    fclose(f);
    vcd_free(v);
    assert_string_equal(said(READ_VCD " n.v8930"), "570 n.v8930 8930\nend 9500\n");
}

/* ---- traces ---- */

static void traces_are_read_back(void **state)
{
    (void)state;
    struct perfetto *a = perfetto_new(file, 3, "node \"3\"\n\xff"), *b = perfetto_new(file, 9, "node 9");
    perfetto_track(a, 1, "main");
    perfetto_track(b, 50, "radio");
    perfetto_begin(a, 1, 1000, "outer");
    perfetto_begin(a, 1, 1001, "inner");
    perfetto_end(a, 1, 1501);
    perfetto_end(a, 2, 1502); /* of nothing */
    perfetto_slice(a, 50, 2000, 2600, "send");
    perfetto_track(a, 50, "radio");
    perfetto_slice(b, 50, 2100, 2700, "receive");
    perfetto_flow(b, 50, 2700, (struct perfetto_start){3, 2000, 1});
    perfetto_counter(b, 2800, "etx", 12.5);
    perfetto_instant(b, 50, 2900, "lost");
    FILE *f = create("unit-exports.json");
    assert_true(perfetto_write((struct perfetto *[]){a, b}, 2, f, 5000));
    fclose(f);
    perfetto_free(a);
    perfetto_free(b);
    assert_string_equal(said("jq -c '.traceEvents | map(select(.ph==\"B\" or .ph==\"E\") | [.pid,.tid,.ts,.name])' "
                             "unit-exports.json"),
                        "[[3,1,1,\"outer\"],[3,1,1.001,\"inner\"],[3,1,1.501,null],[3,1,5,null]]\n");
    assert_string_equal(said("jq -c '.traceEvents | map(select(.id) | [.ph,.pid,.id,.ts])' unit-exports.json"),
                        "[[\"s\",3,\"3/1/9\",2],[\"f\",9,\"3/1/9\",2.7]]\n");
    assert_string_equal(said(READ_TRACE), "2 processes, 3 tracks, 4 slices, 1 instants, 1 values, 1 flows\n");
    assert_string_equal(said("jq -c '.traceEvents | map(select(.ph==\"X\" or .ph==\"C\" or .ph==\"i\") | [.name,.dur,"
                             ".args.value])' unit-exports.json"),
                        "[[\"send\",0.6,null],[\"receive\",0.6,null],[\"etx\",null,12.5],[\"lost\",null,null]]\n");
    assert_string_equal(said("jq -r '.traceEvents[0].args.name' unit-exports.json | od -An -c | tr -d ' '"),
                        "node\"3\"\\n303277\\n\n");
}

static void an_empty_trace_is_one(void **state)
{
    (void)state;
    FILE *f = create("unit-exports.json");
    assert_true(perfetto_write(NULL, 0, f, 0));
    fclose(f);
    assert_string_equal(said("jq -c '.traceEvents' unit-exports.json"), "[]\n");
    assert_string_equal(said(READ_TRACE), "0 processes, 0 tracks, 0 slices, 0 instants, 0 values, 0 flows\n");
}

/* ---- tables ---- */

static const char *const columns[] = {"time", "what, exactly", "value", "share", NULL};

static void fill(const char *path)
{
    struct table t;
    FILE *f = create(path);
    table_begin(&t, f, table_format_of(path), columns);
    table_seconds(&t, 1234567890123);
    table_text(&t, "say \"hi\",\nthere");
    table_integer(&t, -3);
    table_real(&t, 0.25);
    table_seconds(&t, 0);
    table_text(&t, "");
    table_empty(&t);
    table_real(&t, NAN);
    assert_int_equal(fclose(f), 0);
}

static void tables_are_read_back(void **state)
{
    (void)state;
    fill("unit-exports.csv");
    assert_string_equal(
        said("python3 -c 'import csv; print(list(csv.reader(open(\"unit-exports.csv\", newline=\"\"))))'"),
        "[['time', 'what, exactly', 'value', 'share'], ['1234.567890123', 'say \"hi\",\\nthere', '-3', "
        "'0.25'], ['0.000000000', '', '', '']]\n");
    fill("unit-exports.jsonl");
    assert_string_equal(said("jq -c '[.[]]' unit-exports.jsonl"),
                        "[1234.567890123,\"say \\\"hi\\\",\\nthere\",-3,0.25]\n[0,\"\",null,null]\n");
}

/* ---- plots ---- */

static void plots_are_well_formed(void **state)
{
    (void)state;
    static const struct plot_point points[] = {{0, 1}, {1, 3}, {1.5, NAN}, {1e301, 2}, {2, 1}};
    struct spool spooled;
    spool_begin(&spooled, file);
    spool_add(&spooled, points, sizeof points);
    struct plot_series series[] = {{"a < b & \x01 \xff", "a < b", 0, 0, &spooled}, {"none", NULL, 0, 1, NULL}};
    struct plot p = {.title = "<title>", .x = "s", .y = "etx", .steps = true, .from = 0, .to = 4};
    FILE *f = create("unit-exports.svg");
    assert_true(plot_series(f, &p, series, 2));
    fclose(f);
    /* Axes from 0 to 4 and from 1 to 3, on 710 by 380 pixels from 80, 420. */
    assert_string_equal(said("xmllint --xpath 'string(//*[local-name()=\"path\"][1]/@d)' unit-exports.svg"),
                        "M80.00 420.00H257.50L257.50 40.00H346.25M435.00 420.00H790.00\n");
    f = create("unit-exports.svg");
    assert_true(plot_series(f, &p, NULL, 0));
    fclose(f);
    said("xmllint --noout unit-exports.svg");
    spool_end(&spooled);
}

/* A hundred curves: as many colours, and as many names in the legend, all within the picture. */
static void many_curves_are_told_apart(void **state)
{
    (void)state;
    enum { MANY = 100, TOO_MANY = 1000 };
    static const struct plot_point points[] = {{0, 1}, {1, 3}};
    static struct plot_series series[TOO_MANY];
    static char names[TOO_MANY][16];
    struct plot p = {.title = "", .x = "time (s)", .y = "etx (mV)"};
    struct spool spooled;
    spool_begin(&spooled, file);
    spool_add(&spooled, points, sizeof points);
    for (unsigned i = 0; i < TOO_MANY; i++) {
        snprintf(names[i], sizeof names[i], "node %u", i);
        series[i] = (struct plot_series){names[i], names[i], i, i / MANY, &spooled};
    }
    FILE *f = create("unit-exports.svg");
    assert_true(plot_series(f, &p, series, MANY));
    fclose(f);
    said("xmllint --noout unit-exports.svg");
    assert_string_equal(said("grep -o 'class=\"s\" stroke=\"#[0-9a-f]\\{6\\}\"' unit-exports.svg | sort -u | wc -l"),
                        "100\n");
    assert_string_equal(said("grep -c '>node [0-9]*</text>' unit-exports.svg"), "100\n");
    assert_string_equal(said("grep -c '>time (s)<\\|>etx (mV)<' unit-exports.svg"), "2\n");
    assert_string_equal(
        said("xmllint --xpath 'count(//*[local-name()=\"text\"][@x > //@width or @y > //@height])' unit-exports.svg"),
        "0\n");
    f = create("unit-exports.svg");
    assert_true(plot_series(f, &p, series, TOO_MANY));
    fclose(f);
    said("xmllint --noout unit-exports.svg");
    assert_string_equal(said("grep -o '>... and [0-9]* more<' unit-exports.svg"), ">... and 791 more<\n");
    spool_end(&spooled);
}

static void distributions_are_counted(void **state)
{
    (void)state;
    static const double values[] = {1, 1.5, 2, 2, 9.99, -INFINITY, 4.2};
    struct plot p = {.title = "latency", .x = "us", .y = "times"};
    struct spool spooled, none;
    spool_begin(&spooled, file);
    spool_begin(&none, file);
    spool_add(&spooled, values, sizeof values);
    FILE *f = create("unit-exports.svg");
    assert_true(plot_distribution(f, &p, &spooled, 11));
    fclose(f);
    /* Bins of one: [1,2) has two, [2,3) two, [4,5) one, [9,10) one. */
    assert_string_equal(said("xmllint --xpath '//*[local-name()=\"title\"]/text()' unit-exports.svg | tr '\\n' ' '"),
                        "2 2 1 1 ");
    assert_string_equal(said("xmllint --xpath 'string(//*[@class=\"b\"][3]/@x)' unit-exports.svg"), "316.67\n");
    f = create("unit-exports.svg");
    assert_true(plot_distribution(f, &p, &none, 10));
    fclose(f);
    said("xmllint --noout unit-exports.svg");
    spool_end(&spooled);
    spool_end(&none);
}

/* ---- */

static void a_full_disk_is_told(void **state)
{
    (void)state;
    struct vcd *v = vcd_new(file);
    FILE *f = create("/dev/full");
    setvbuf(f, NULL, _IONBF, 0);
    assert_false(vcd_write(v, f, 1));
    clearerr(f);
    assert_false(perfetto_write(NULL, 0, f, 1));
    clearerr(f);
    assert_false(plot_series(f, &(struct plot){.title = "", .x = "", .y = ""}, NULL, 0));
    fclose(f);
    vcd_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waveforms_are_read_back),    cmocka_unit_test(many_variables_are_told_apart),
        cmocka_unit_test(traces_are_read_back),       cmocka_unit_test(an_empty_trace_is_one),
        cmocka_unit_test(tables_are_read_back),       cmocka_unit_test(plots_are_well_formed),
        cmocka_unit_test(many_curves_are_told_apart), cmocka_unit_test(distributions_are_counted),
        cmocka_unit_test(a_full_disk_is_told),
    };
    file = spool_file_new();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    spool_file_free(file);
    return failed;
}
