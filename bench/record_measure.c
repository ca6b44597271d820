#include "record_measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "bench.h"
#include "record_bits.h"
#include "record_codec.h"
#include "record_slzw.h"
#include "record_tardis.h"

enum { FIRST_SEED = 1, SEEDS = 2 };            /* of networks' runs for energy; what else is measured is of the first */
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
    codec_cost(t, 0, &cost);
    k->raw_state += (double)t->whole_bits[TRACE_STATE];
    k->raw_timers += (double)t->whole_bits[TRACE_TIMER];
    k->raw_data += (double)(t->whole_bits[TRACE_DATA] + t->whole_bits[TRACE_WHOLE]);
    k->coded_state += cost.state;
    k->coded_timers += cost.timers;
    k->coded_data += cost.data;
    k->coded_interrupts += cost.interrupts;
    k->interrupts += interrupts;
    k->interrupts_asleep += asleep;
}

/* ---- codecs on one trace ---- */

static double tardis_figure4(const struct tardis_cost *c)
{
    return c->state + c->timers + c->data + c->interrupts;
}

static void add_same(const struct trace *t, double scale, struct measure_same *s)
{
    struct codec_cost all = {0}, later = {0};
    struct tardis_cost tardis = {0}, tardis_later = {0};
    double *const by_class[] = {&s->raw_state, &s->raw_timers, &s->raw_data, &s->raw_data};
    codec_cost(t, 0, &all);
    codec_cost(t, t->boot, &later);
    tardis_cost(t, 0, &tardis);
    tardis_cost(t, t->boot, &tardis_later);
    double bits = all.state + all.timers + all.data + all.interrupts + all.rest;
    double exact = tardis_figure4(&tardis) + tardis.beyond + tardis.frames;
    s->motet += bits / 8 * scale;
    s->small += bits_cost(t) / 8 * scale;
    s->motet_boot += (bits - later.state - later.timers - later.data - later.interrupts - later.rest) / 8 * scale;
    s->tardis += exact / 8 * scale;
    s->tardis_boot += (exact - tardis_figure4(&tardis_later) - tardis_later.beyond - tardis_later.frames) / 8 * scale;
    s->figure4 += tardis_figure4(&tardis) / 8 * scale;
    s->figure4_boot += (tardis_figure4(&tardis) - tardis_figure4(&tardis_later)) / 8 * scale;
    s->state += tardis.state / 8 * scale;
    s->timers += tardis.timers / 8 * scale;
    s->data += tardis.data / 8 * scale;
    s->interrupts += tardis.interrupts / 8 * scale;
    s->raw_interrupts += (double)(t->interrupts * INTERRUPT) / 8 * scale;
    for (size_t i = 0; i < t->count; i++)
        if (t->events[i].kind == TRACE_READ)
            *by_class[t->events[i].site >> 13 & 3] += t->events[i].size * scale;
    s->there = true;
}

/* ---- a log ---- */

static uint64_t events_of(const struct trace *t)
{
    return t->count + t->handed;
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
        codec_cost(&run->nodes[i].trace, 0, &cost);
    *rate = cost.awake_count / (seconds * (run->count - first_of(run)));
    *bits = cost.awake_count > 0 ? cost.awake / cost.awake_count : 0;
}

/* Of the firmware whose positions are counts. */
static void measure_same(const struct run *run, double seconds, struct measure_same *s)
{
    unsigned first = first_of(run), count = run->count - first;
    for (unsigned i = first; i < run->count; i++)
        add_same(&run->nodes[i].trace, 1 / (seconds * count), s);
}

/* There are no tables of currents for boards with a Cortex-M. */
static bool measure_has_energy(const struct measure_case *c)
{
    return !measure_is_cortex(c);
}

/* What a run says of energy. */
static void take_energy(const struct run *run, double *awake, double *milliwatts)
{
    unsigned first = first_of(run), count = run->count - first;
    *awake = *milliwatts = 0;
    for (unsigned i = first; i < run->count; i++) {
        *awake += run->nodes[i].awake / count;
        *milliwatts += run->nodes[i].milliwatts / count;
    }
}

/* Headers of pages included. */
static double half_full(const struct run *run, double rate)
{
    enum { PAGE = 256, HEADER = 16 };
    double payload = (double)run->nodes[0].flash_size * (PAGE - HEADER) / PAGE;
    return rate > 0 ? payload / 2 / rate : 0;
}

static bool measure_motet(const struct run_request *r, bool counts, struct measure_figures *f)
{
    struct run run;
    bool good = run_firmware(r, &run) && add_run(r, &run, &f->motet);
    unsigned first = first_of(&run), count = run.count - first;
    double scale = 1 / (r->seconds * count);
    if (good) {
        count_awake(&run, r->seconds, &f->awake, &f->awake_bits);
        take_energy(&run, &f->motet.awake, &f->motet.milliwatts);
        f->flash_half = half_full(&run, f->motet.rate);
    }
    if (good && counts)
        measure_same(&run, r->seconds, &f->same);
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

/* The firmware with a profile of the recorder, if there is one. */
static bool measure_profile(const struct measure_case *c, const struct run_request *r, const char *kind,
                            struct measure_log *l)
{
    char path[512];
    struct run run;
    struct run_request profile = *r;
    profile.path = path_of(c, kind, path);
    profile.energy = false;
    if (c->light || access(path, R_OK) != 0)
        return true;
    bool good = run_firmware(&profile, &run) && add_run(&profile, &run, l);
    run_free(&run);
    return good;
}

static bool measure_other(const struct run_request *r, bool counts, struct measure_figures *f)
{
    struct run run;
    bool good = run_firmware(r, &run) && add_run(r, &run, &f->other);
    for (unsigned i = first_of(&run); good && i < run.count; i++)
        f->other_at += (double)events_of(&run.nodes[i].trace) / (r->seconds * (run.count - first_of(&run)));
    if (good) {
        count_awake(&run, r->seconds, &f->other_awake, &f->other_bits);
        take_energy(&run, &f->other.awake, &f->other.milliwatts);
    }
    if (good && counts)
        measure_same(&run, r->seconds, &f->same);
    run_free(&run);
    return good;
}

/* What a network does hangs on chance, and what recording costs with it: a mean over some lives, from the one with
 * number `from` on. The means of those before are there. */
static bool measure_energy(const struct measure_case *c, const char *path, unsigned from, double *awake,
                           double *milliwatts)
{
    unsigned seeds = c->nodes > 1 ? SEEDS : 1;
    bool good = true;
    *awake *= (double)from / seeds;
    *milliwatts *= (double)from / seeds;
    for (unsigned k = from; good && k < seeds; k++) {
        struct run run;
        struct run_request r = {.path = path,
                                .board = c->board,
                                .nodes = c->nodes,
                                .seconds = c->seconds,
                                .energy = measure_has_energy(c),
                                .seed = FIRST_SEED + k};
        double active, power;
        good = run_firmware(&r, &run);
        take_energy(&run, &active, &power);
        *awake += active / seeds;
        *milliwatts += power / seeds;
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

/* ---- control flow, and pauses ---- */

static bool measure_flow(const struct run_request *r, struct measure_flow *f)
{
    struct run run;
    bool good = run_firmware(r, &run);
    unsigned first = first_of(&run);
    double scale = 1 / (r->seconds * (run.count - first));
    for (unsigned i = first; good && i < run.count; i++) {
        const struct trace_bytes *b = &run.nodes[i].flow.bytes;
        uint8_t *coded;
        f->raw += (double)b->count * scale;
        f->slzw += (double)slzw_encode(b->bytes, b->count, &coded) * scale;
        free(coded);
        f->gzip += (double)gzip_encode(b->bytes, b->count, &coded) * scale;
        free(coded);
    }
    f->there = good;
    run_free(&run);
    return good;
}

/* What the paper's Figure 8 has, and the same in a network. */
static bool measure_follows(const struct measure_case *c)
{
    return !c->light && !c->lpl && !measure_is_cortex(c) &&
           (strcmp(c->application, "multihop-oscilloscope") == 0 || strcmp(c->application, "blink") == 0);
}

static bool measure_pause(const struct measure_case *c, const char *path, struct pause_tap *tap)
{
    struct run run;
    struct run_request r = {
        .path = path, .board = c->board, .nodes = c->nodes, .seconds = c->seconds, .seed = FIRST_SEED, .pauses = tap};
    bool good = run_firmware(&r, &run);
    run_free(&run);
    return good;
}

/* The recorded firmware takes a checkpoint every few pages, for there to be some. */
static bool measure_pauses(const struct measure_case *c, struct measure_pauses *p)
{
    char path[512];
    struct pause_tap plain, recorded;
    if (c->nodes == 1 || access(path_of(c, "recorded-checkpoints", path), R_OK) != 0)
        return true;
    if (!measure_pause(c, path, &recorded) || !measure_pause(c, path_of(c, "", path), &plain))
        return false;
    double hz = (double)recorded.second;
    p->there = true;
    p->plain = (double)plain.longest / hz * 1e6;
    p->recorded = (double)recorded.longest / hz * 1e6;
    p->checkpoints = recorded.checkpoints;
    p->moving = recorded.awake ? (double)recorded.moving / (double)recorded.awake : 0;
    p->checkpoint = recorded.checkpoints ? (double)recorded.checkpoint / recorded.checkpoints / hz * 1e3 : 0;
    return true;
}

/* The command that compares. The radio of an nRF52840 fills memory before the firmware learns of it. */
static void compare_command(const struct measure_case *c, const char *path, char *command, size_t size)
{
    bool cortex = measure_is_cortex(c), fills = strcmp(c->board, "nrf52840dk") == 0 && c->nodes > 1;
    int seconds = c->seconds > 60 && (cortex || c->nodes == 1) ? 60 : c->nodes > 1 ? 5 : 20;
    snprintf(command, size, "'%s' -n %u -s 2 %s '%s' %s %d 0 2>&1", cortex ? RECORD_CORTEX_EXACT : RECORD_EXACT,
             c->nodes, fills ? "-x buffers" : "", path, c->board, seconds);
}

/* Replayed and compared with the truth, instruction by instruction, in a run that is as long as a page or two take. */
static bool compare(const struct measure_case *c, const char *path, double *compared, unsigned *divergences)
{
    char command[1200], line[1024], why[sizeof line] = "";
    double share, sum = 0;
    unsigned nodes = 0;
    int end;
    compare_command(c, path, command, sizeof command);
    FILE *out = popen(command, "r");
    if (!out)
        return bench_wrong("cannot run %s", RECORD_EXACT);
    while (fgets(line, sizeof line, out)) {
        end = 0;
        if (sscanf(line, "node %*u: %lf %% of%n", &share, &end) == 1 && end) {
            sum += share;
            nodes++;
        } else if (sscanf(line, "node %*u: %lf instructions compared,%n", &share, &end) == 1 && end) {
            sum += share; /* of a Cortex-M, which has no line with a share */
            nodes = 1;
        } else if (!*why && (strncmp(line, "exact:", 6) == 0 || strncmp(line, "cortex_exact:", 13) == 0)) {
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

bool measure_is_cortex(const struct measure_case *c)
{
    return strcmp(c->board, "nrf52840dk") == 0 || strcmp(c->board, "cc2538dk") == 0;
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

/* The firmware that is usual on the board, with the codec `motet`. */
static bool measure_usual(const struct measure_case *c, struct run_request *r, struct measure_figures *f)
{
    struct run_request bare = *r;
    bare.traced = bare.energy = false;
    if (!measure_motet(r, !measure_stamped(c), f) || !measure_speed(&bare, &f->motet))
        return false;
    f->recorded_awake = f->motet.awake;
    f->recorded_milliwatts = f->motet.milliwatts;
    return c->light || (measure_energy(c, r->path, 1, &f->recorded_awake, &f->recorded_milliwatts) &&
                        compare(c, r->path, &f->compared, &f->divergences));
}

bool measure(const struct measure_case *c, struct measure_figures *f)
{
    char path[512];
    struct run_request r = {.path = path,
                            .board = c->board,
                            .nodes = c->nodes,
                            .seconds = c->seconds,
                            .traced = true,
                            .energy = !c->light && measure_has_energy(c),
                            .seed = FIRST_SEED};
    struct run_request flow = r;
    flow.traced = flow.energy = false;
    flow.flow = true;
    memset(f, 0, sizeof *f);
    path_of(c, positions(measure_stamped(c)), path);
    if (!measure_usual(c, &r, f))
        return false;
    path_of(c, positions(!measure_stamped(c)), path);
    if ((measure_stamped(c) || (c->nodes > 1 && !c->light)) && access(path, R_OK) == 0 &&
        !measure_other(&r, measure_stamped(c), f))
        return false;
    path_of(c, "recorded-tardis", path);
    r.energy = false;
    if (c->nodes > 1 && !c->light && !measure_tardis(&r, f))
        return false;
    if (!measure_profile(c, &r, "recorded-small", &f->small) || !measure_profile(c, &r, "recorded-tiny", &f->tiny))
        return false;
    path_of(c, "", path);
    read_sizes(path, c->board, &f->plain_flash, &f->plain_ram);
    if (measure_follows(c) && !measure_flow(&flow, &f->flow))
        return false;
    return c->light || (measure_pauses(c, &f->pauses) &&
                        measure_energy(c, path_of(c, "", path), 0, &f->plain_awake, &f->plain_milliwatts));
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
    struct run_request r = {.path = path_of(c, kind, path),
                            .board = c->board,
                            .nodes = c->nodes,
                            .seconds = c->seconds,
                            .traced = true,
                            .seed = FIRST_SEED};
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

static double tardis_bits(const struct trace *t)
{
    struct tardis_cost cost = {0};
    tardis_cost(t, 0, &cost);
    return tardis_figure4(&cost) + cost.beyond + cost.frames;
}

/* What the host says a codec takes for a trace is what the node's log has, but for the end of the life, which may still
 * be in its ring. */
static bool check_cost(const struct measure_case *c, const char *kind, double (*bits)(const struct trace *t))
{
    char path[512];
    struct run run;
    struct run_replay p;
    struct run_request r = {.path = path_of(c, kind, path),
                            .board = c->board,
                            .nodes = c->nodes,
                            .seconds = c->seconds,
                            .traced = true,
                            .seed = FIRST_SEED};
    if (access(path, R_OK) != 0)
        return true;
    bool good = run_firmware(&r, &run);
    for (unsigned i = 0; good && i < run.count; i++) {
        const struct run_node *n = &run.nodes[i];
        double host = bits(&n->trace) / 8;
        good = run_replay(&r, n, &p);
        double node = (double)(p.bytes + n->unwritten), slack = 0.03 * host + 200;
        if (good && !p.gaps && (node < host - slack || node > host + slack))
            good = bench_wrong("%s, node %u: %.0f bytes in the log, %.0f by the host's count", path, n->id, node, host);
    }
    run_free(&run);
    return good;
}

bool measure_check(const struct measure_case *c)
{
    return check_kind(c, positions(false)) && check_kind(c, positions(true)) &&
           check_cost(c, "recorded-tardis", tardis_bits) && check_cost(c, "recorded-small", bits_cost);
}
