/* speed: how much was simulated, and on request how fast that was.
 *
 * The wall clock is read only if it is asked for (wall=yes): what is written then differs from run to run. */
#include <time.h>

#include "monitor/monitor.h"

struct speed {
    struct monitor_site site;
    bool wall;
    struct timespec began;
    uint64_t tick, cycles, instructions; /* at the beginning, then what the run took */
    double seconds, wall_seconds;        /* simulated; of the wall clock */
};

static void speed_finish(void *state)
{
    struct speed *s = state;
    struct timespec now;
    uint64_t tick = motet_node_now(s->site.node), cycles = monitor_cycles(s->site.node);
    s->cycles = cycles > s->cycles ? cycles - s->cycles : cycles; /* switched off and on, a node counts anew */
    s->instructions = motet_node_instructions(s->site.node) - s->instructions;
    s->seconds = monitor_seconds(&s->site, tick > s->tick ? tick - s->tick : tick);
    if (!s->wall)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    s->wall_seconds = (double)(now.tv_sec - s->began.tv_sec) + (double)(now.tv_nsec - s->began.tv_nsec) / 1e9;
}

static void *speed_attach(const struct monitor_site *site, struct motet_error *e)
{
    const char *wall = monitor_option(site, "wall");
    if (wall && strcmp(wall, "yes") != 0 && strcmp(wall, "no") != 0) {
        monitor_sentence(e, "wall=%.40s: choose yes or no", wall);
        return NULL;
    }
    struct speed *s = memory_new(sizeof *s);
    s->site = *site;
    s->wall = wall && strcmp(wall, "yes") == 0;
    s->tick = motet_node_now(site->node);
    s->cycles = motet_node_cycles(site->node);
    s->instructions = motet_node_instructions(site->node);
    if (s->wall)
        clock_gettime(CLOCK_MONOTONIC, &s->began);
    return s;
}

static double speed_share(const struct speed *s, double amount)
{
    return s->wall_seconds > 0 ? amount / s->wall_seconds : 0;
}

static void speed_write_text(void *state, FILE *out)
{
    const struct speed *s = state;
    fprintf(out, "%.6f s simulated, %" PRIu64 " cycles awake, %" PRIu64 " instructions\n", s->seconds, s->cycles,
            s->instructions);
    if (s->wall)
        fprintf(out,
                "%.3f s of the wall clock: %.3g times real time, %.3g million cycles and %.3g million instructions a "
                "second\n",
                s->wall_seconds, speed_share(s, s->seconds), speed_share(s, (double)s->cycles) / 1e6,
                speed_share(s, (double)s->instructions) / 1e6);
}

static void speed_write_json(void *state, FILE *out)
{
    const struct speed *s = state;
    fprintf(out, ", \"seconds\": %.9f, \"cycles\": %" PRIu64 ", \"instructions\": %" PRIu64, s->seconds, s->cycles,
            s->instructions);
    if (s->wall)
        fprintf(out, ", \"wall_seconds\": %.6f, \"times_real_time\": %.6g, \"cycles_per_second\": %.6g",
                s->wall_seconds, speed_share(s, s->seconds), speed_share(s, (double)s->cycles));
}

static const struct motet_monitor_option options[] = {
    {"wall", "yes", "also the time of the wall clock, which differs from run to run"},
    {NULL, NULL, NULL},
};

static const struct monitor_format formats[] = {
    {"text", "a line or two", speed_write_text, false},
    {"json", "the same for machines", speed_write_json, false},
    {NULL, NULL, NULL, false},
};

extern const struct monitor monitor_speed;
const struct monitor monitor_speed = {
    .name = "speed",
    .about = "how much was simulated, and on request how fast",
    .options = options,
    .formats = formats,
    .attach = speed_attach,
    .finish = speed_finish,
};
