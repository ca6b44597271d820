#include "record_measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "bench.h"
#include "record_codec.h"
#include "record_slzw.h"

enum { FIRST_SEED = 1, SEEDS = 4 };            /* of networks' runs for energy; what else is measured is of the first */
enum { INTERRUPT = 36, WAKE = 4, COUNT = 16 }; /* bits, as in TARDIS 3.5 */

static char *path_of(const struct measure_case *c, const char *codec, char path[512])
{
    char lpl[16] = "";
    if (c->lpl)
        snprintf(lpl, sizeof lpl, "-lpl%u", c->lpl);
    snprintf(path, 512, "%s/%s-%s%s%s%s.elf", FIRMWARE_DIR, c->application, c->board, lpl, *codec ? "-" : "", codec);
    return path;
}

/* ---- the uncompressed stream ---- */

static double raw_bits(const struct trace *t)
{
    double bits = (double)(t->interrupts * INTERRUPT);
    for (unsigned i = 0; i < TRACE_CLASSES; i++)
        bits += (double)t->whole_bits[i];
    return bits;
}

static size_t gzip_encode(const uint8_t *bytes, size_t size, uint8_t **into)
{
    z_stream z = {.next_in = (uint8_t *)bytes, .avail_in = (uInt)size};
    if (deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        abort();
    size_t room = deflateBound(&z, size);
    z.next_out = *into = malloc(room);
    z.avail_out = (uInt)room;
    if (!*into || deflate(&z, Z_FINISH) != Z_STREAM_END)
        abort();
    deflateEnd(&z);
    return z.total_out;
}

static void add_compressed(const struct trace *t, double *gzip, double *slzw)
{
    uint8_t *coded;
    *gzip += (double)gzip_encode(t->stream.bytes, t->stream.count, &coded);
    free(coded);
    *slzw += (double)slzw_encode(t->stream.bytes, t->stream.count, &coded);
    free(coded);
}

/* ---- techniques ---- */

static void add_techniques(const struct trace *t, struct measure_techniques *k)
{
    double interrupts = (double)(t->interrupts * INTERRUPT), live = 0, asleep = 0;
    uint64_t recorded = 0, recorded_bits = 0, whole = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct trace_event *e = &t->events[i];
        double *const by_class[] = {&k->state, &k->timers, &k->data, &k->data};
        if (e->kind == TRACE_READ) {
            recorded++;
            recorded_bits += 8u * e->size;
            live += __builtin_popcount(e->live);
            *by_class[e->site >> 13 & 3] += 8 * e->size;
        } else if (e->kind == TRACE_WOKE) {
            asleep += WAKE;
        } else if (e->kind == TRACE_INSIDE) {
            asleep += WAKE + COUNT;
        } else if (e->kind == TRACE_INTERRUPT || e->kind == TRACE_LIBRARY) {
            asleep += INTERRUPT;
        }
    }
    for (unsigned i = 0; i < TRACE_CLASSES; i++)
        whole += t->whole_bits[i];
    k->all += (double)t->all_bits + interrupts;
    k->baseline += (double)whole + interrupts;
    k->changing += (double)t->changing_bits + interrupts;
    k->polled += whole > recorded_bits ? (double)(whole - recorded_bits) : 0;
    k->masked += live + (t->reads > recorded ? (double)(t->reads - recorded) : 0) + interrupts;
    struct codec_cost cost = {0};
    codec_cost(t, &cost);
    k->coded_state += cost.state;
    k->coded_timers += cost.timers;
    k->coded_data += cost.data;
    k->coded_interrupts += cost.interrupts;
    k->interrupts += interrupts;
    k->interrupts_asleep += asleep;
}

/* ---- a log ---- */

static uint64_t events_of(const struct trace *t)
{
    return t->count;
}

/* Where nothing was lost all bytes are known, but for events that the node had not encoded yet at the end. For these,
 * and for those that were lost, the bytes that the others took stand. */
static bool add_log(const struct run_request *r, const struct run_node *n, uint64_t events, struct measure_log *l)
{
    struct run_replay p;
    if (!run_replay(r, n, &p))
        return false;
    if (p.differences)
        bench_wrong("%s, node %u: %s", r->path, n->id, p.how);
    l->gaps += p.gaps;
    l->differences += p.differences;
    l->replays++;
    l->replayed += p.seconds;
    uint64_t known = p.events + n->waiting;
    l->coverage += !p.gaps && !p.unusable && !p.differences ? 1 : known < events ? (double)known / (double)events : 1;
    double bytes = (double)(p.bytes + n->unwritten), encoded = (double)events - (double)n->waiting;
    if (p.events && !p.differences && (p.gaps || p.unusable)) {
        bytes = (double)p.bytes;
        encoded = (double)p.events;
    }
    l->rate += encoded > 0 ? bytes / encoded * (double)events : bytes;
    return true;
}

static void read_sizes(const char *path, const char *board, uint32_t *flash, uint32_t *ram)
{
    struct motet_options options = MOTET_OPTIONS_DEFAULT;
    struct motet_error e;
    struct motet_firmware f = {0};
    options.board = board;
    motet_machine *m = motet_machine_load(path, &options, &e);
    if (m)
        motet_machine_firmware(m, &f);
    motet_machine_free(m);
    *flash = f.flash_used;
    *ram = f.ram_used;
}

static unsigned first_of(const struct run *run)
{
    return run->count > 1; /* the base station is not like the others */
}

static bool add_run(const struct run_request *r, const struct run *run, struct measure_log *l)
{
    unsigned first = first_of(run), count = run->count - first;
    bool good = true;
    for (unsigned i = first; good && i < run->count; i++) {
        good = add_log(r, &run->nodes[i], events_of(&run->nodes[i].trace), l);
        l->dead += run->nodes[i].dead;
    }
    l->rate /= r->seconds * count;
    l->coverage /= count;
    l->there = true;
    read_sizes(r->path, r->board, &l->flash, &l->ram);
    return good;
}

/* How many interrupts came that did not end sleep, and the bits of each. */
static void count_awake(const struct run *run, double seconds, double *rate, double *bits)
{
    struct codec_cost cost = {0};
    for (unsigned i = first_of(run); i < run->count; i++)
        codec_cost(&run->nodes[i].trace, &cost);
    *rate = cost.awake_count / (seconds * (run->count - first_of(run)));
    *bits = cost.awake_count > 0 ? cost.awake / cost.awake_count : 0;
}

static bool measure_motet(const struct run_request *r, struct measure_figures *f)
{
    struct run run;
    bool good = run_firmware(r, &run) && add_run(r, &run, &f->motet);
    unsigned first = first_of(&run), count = run.count - first;
    double scale = 1 / (r->seconds * count);
    if (good)
        count_awake(&run, r->seconds, &f->awake, &f->awake_bits);
    for (unsigned i = first; good && i < run.count; i++) {
        const struct trace *t = &run.nodes[i].trace;
        f->events += (double)events_of(t) * scale;
        f->raw += raw_bits(t) / 8 * scale;
        add_compressed(t, &f->gzip, &f->slzw);
        add_techniques(t, &f->techniques);
    }
    f->unpolled = f->raw - f->techniques.polled / 8 * scale;
    f->gzip *= scale;
    f->slzw *= scale;
    run_free(&run);
    return good;
}

static bool measure_tardis(const struct run_request *r, struct measure_figures *f)
{
    struct run run;
    if (access(r->path, R_OK) != 0)
        return true;
    bool good = run_firmware(r, &run) && add_run(r, &run, &f->tardis);
    unsigned first = first_of(&run), count = run.count - first;
    for (unsigned i = first; good && i < run.count; i++)
        f->tardis_events += (double)events_of(&run.nodes[i].trace) / (r->seconds * count);
    run_free(&run);
    return good;
}

static bool measure_other(const struct run_request *r, struct measure_figures *f)
{
    struct run run;
    bool good = run_firmware(r, &run) && add_run(r, &run, &f->other);
    for (unsigned i = first_of(&run); good && i < run.count; i++)
        f->other_at += (double)events_of(&run.nodes[i].trace) / (r->seconds * (run.count - first_of(&run)));
    if (good)
        count_awake(&run, r->seconds, &f->other_awake, &f->other_bits);
    run_free(&run);
    return good;
}

/* What a network does hangs on chance, and what recording costs with it: a mean over some lives. */
static bool measure_energy(const struct measure_case *c, const char *path, double *awake, double *milliwatts)
{
    unsigned seeds = c->nodes > 1 ? SEEDS : 1;
    bool good = true;
    for (unsigned k = 0; good && k < seeds; k++) {
        struct run run;
        struct run_request r = {path, c->board, c->nodes, c->seconds, false, true, FIRST_SEED + k};
        good = run_firmware(&r, &run);
        unsigned first = first_of(&run), count = (run.count - first) * seeds;
        for (unsigned i = first; good && i < run.count; i++) {
            *awake += run.nodes[i].awake / count;
            *milliwatts += run.nodes[i].milliwatts / count;
        }
        run_free(&run);
    }
    return good;
}

/* A run with nothing looked at: that which replays are to be faster than. */
static bool measure_speed(const struct run_request *r, struct measure_log *l)
{
    struct run run;
    bool good = run_firmware(r, &run);
    l->simulated = run.seconds;
    run_free(&run);
    return good;
}

/* Replayed and compared with the truth, instruction by instruction, in a run that is as long as a page or two take. */
static bool compare(const struct measure_case *c, const char *path, double *compared, unsigned *divergences)
{
    char command[1200], line[1024], why[sizeof line] = "";
    double share, sum = 0;
    unsigned nodes = 0;
    int end, seconds = c->nodes > 1 ? 5 : c->seconds > 60 ? 60 : 20;
    snprintf(command, sizeof command, "'%s' -n %u -s 2 '%s' %s %d 0 2>&1", RECORD_EXACT, c->nodes, path, c->board,
             seconds);
    FILE *out = popen(command, "r");
    if (!out)
        return bench_wrong("cannot run %s", RECORD_EXACT);
    while (fgets(line, sizeof line, out)) {
        end = 0;
        if (sscanf(line, "node %*u: %lf %% of%n", &share, &end) == 1 && end) {
            sum += share;
            nodes++;
        } else if (!*why && strncmp(line, "exact:", 6) == 0) {
            memcpy(why, line, sizeof why);
            why[strcspn(why, "\n")] = '\0';
        }
    }
    bool short_log = strstr(why, "not one whole page") != NULL;
    if (pclose(out) != 0 && !short_log) {
        ++*divergences;
        bench_wrong("%s: %s", command, why);
    }
    *compared = nodes ? sum / nodes : 0;
    return true;
}

bool measure_stamped(const struct measure_case *c)
{
    return strcmp(c->board, "telosb") == 0;
}

static const char *positions(bool stamped)
{
    return stamped ? "recorded-stamps" : "recorded";
}

bool measure_built(const struct measure_case *c)
{
    char path[512];
    return access(path_of(c, positions(measure_stamped(c)), path), R_OK) == 0;
}

bool measure(const struct measure_case *c, struct measure_figures *f)
{
    char path[512];
    struct run_request r = {path, c->board, c->nodes, c->seconds, true, false, FIRST_SEED};
    memset(f, 0, sizeof *f);
    path_of(c, positions(measure_stamped(c)), path);
    if (!measure_motet(&r, f) || !measure_energy(c, path, &f->motet.awake, &f->motet.milliwatts))
        return false;
    struct run_request bare = {path, c->board, c->nodes, c->seconds, false, false, FIRST_SEED};
    if (!measure_speed(&bare, &f->motet) || !compare(c, path, &f->compared, &f->divergences))
        return false;
    path_of(c, "recorded-tardis", path);
    if (!measure_tardis(&r, f))
        return false;
    path_of(c, positions(!measure_stamped(c)), path);
    if (c->nodes > 1 && access(path, R_OK) == 0 &&
        (!measure_other(&r, f) || !measure_energy(c, path, &f->other.awake, &f->other.milliwatts) ||
         !compare(c, path, &f->other_compared, &f->other.differences)))
        return false;
    path_of(c, "", path);
    read_sizes(path, c->board, &f->plain_flash, &f->plain_ram);
    return measure_energy(c, path, &f->plain_awake, &f->plain_milliwatts);
}

/* ---- checks ---- */

static bool same_again(const struct trace *t)
{
    const uint8_t *bytes = t->stream.bytes;
    uint8_t *coded, *back;
    size_t size = t->stream.count, coded_size = slzw_encode(bytes, size, &coded);
    bool good = slzw_decode(coded, coded_size, size, &back) == size && memcmp(bytes, back, size) == 0;
    free(coded);
    coded_size = gzip_encode(bytes, size, &coded);
    z_stream z = {.next_in = coded, .avail_in = (uInt)coded_size, .next_out = back, .avail_out = (uInt)size};
    good = good && inflateInit2(&z, 15 + 16) == Z_OK && inflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out == size &&
           memcmp(bytes, back, size) == 0;
    inflateEnd(&z);
    free(coded);
    free(back);
    return good || bench_wrong("a compressor does not give back what it was given");
}

static bool check_kind(const struct measure_case *c, const char *kind)
{
    char path[512];
    struct run run;
    struct run_replay p;
    struct run_request r = {path_of(c, kind, path), c->board, c->nodes, c->seconds, true, false, FIRST_SEED};
    if (access(path, R_OK) != 0)
        return true; /* without libclang there is none */
    bool good = run_firmware(&r, &run);
    for (unsigned i = 0; good && i < run.count; i++) {
        const struct run_node *n = &run.nodes[i];
        good = same_again(&n->trace) && codec_check(&n->trace) && run_replay(&r, n, &p);
        if (good && (p.differences || p.unusable || p.events > events_of(&n->trace) + p.parts))
            good = bench_wrong("%s, node %u: %llu events in the log, %zu were recorded; %s", path, n->id,
                               (unsigned long long)p.events, n->trace.count, p.how);
    }
    run_free(&run);
    return good;
}

bool measure_check(const struct measure_case *c)
{
    return check_kind(c, positions(false)) && check_kind(c, positions(true));
}
