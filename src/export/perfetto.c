#include "export/perfetto.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "export/json.h"

struct track {
    unsigned number, open; /* slices begun and not ended */
};

struct perfetto {
    uint32_t id;
    FILE *events; /* its events so far, as JSON with a comma after each */
    struct spool spool;
    struct track *tracks;
    size_t count, room;
};

void perfetto_free(struct perfetto *p)
{
    if (!p)
        return;
    fclose(p->events);
    spool_end(&p->spool);
    free(p->tracks);
    free(p);
}

/* ---- events ---- */

static void put_named(struct perfetto *p, char phase, unsigned track, const char *name)
{
    fprintf(p->events, "{\"ph\":\"%c\",\"pid\":%" PRIu32 ",\"tid\":%u,\"name\":", phase, p->id, track);
    json_put(p->events, name);
}

/* Microseconds with all digits of the nanoseconds. */
static void put_time(struct perfetto *p, const char *key, uint64_t nanosecond)
{
    fprintf(p->events, ",\"%s\":%" PRIu64 ".%03" PRIu64, key, nanosecond / 1000, nanosecond % 1000);
}

static void put_end(struct perfetto *p, unsigned track, uint64_t nanosecond)
{
    fprintf(p->events, "{\"ph\":\"E\",\"pid\":%" PRIu32 ",\"tid\":%u", p->id, track);
    put_time(p, "ts", nanosecond);
    fputs("},\n", p->events);
}

static void put_metadata(struct perfetto *p, const char *what, unsigned track, const char *name)
{
    put_named(p, 'M', track, what);
    fputs(",\"args\":{\"name\":", p->events);
    json_put(p->events, name);
    fputs("}},\n", p->events);
}

static struct track *track_of(struct perfetto *p, unsigned number)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->tracks[i].number == number)
            return &p->tracks[i];
    p->tracks = memory_grow(p->tracks, &p->room, p->count, sizeof *p->tracks);
    p->tracks[p->count] = (struct track){.number = number};
    return &p->tracks[p->count++];
}

struct perfetto *perfetto_new(struct spool_file *f, uint32_t id, const char *name)
{
    struct perfetto *p = memory_new(sizeof *p);
    p->id = id;
    spool_begin(&p->spool, f);
    p->events = spool_stream(&p->spool);
    put_metadata(p, "process_name", 0, name);
    return p;
}

void perfetto_track(struct perfetto *p, unsigned track, const char *name)
{
    put_metadata(p, "thread_name", track, name);
    put_named(p, 'M', track, "thread_sort_index");
    fprintf(p->events, ",\"args\":{\"sort_index\":%u}},\n", track);
}

void perfetto_begin(struct perfetto *p, unsigned track, uint64_t nanosecond, const char *name)
{
    track_of(p, track)->open++;
    put_named(p, 'B', track, name);
    put_time(p, "ts", nanosecond);
    fputs("},\n", p->events);
}

void perfetto_end(struct perfetto *p, unsigned track, uint64_t nanosecond)
{
    struct track *t = track_of(p, track);
    if (!t->open)
        return;
    t->open--;
    put_end(p, track, nanosecond);
}

void perfetto_slice(struct perfetto *p, unsigned track, uint64_t from, uint64_t to, const char *name)
{
    put_named(p, 'X', track, name);
    put_time(p, "ts", from);
    put_time(p, "dur", to > from ? to - from : 0);
    fputs("},\n", p->events);
}

void perfetto_instant(struct perfetto *p, unsigned track, uint64_t nanosecond, const char *name)
{
    put_named(p, 'i', track, name);
    put_time(p, "ts", nanosecond);
    fputs(",\"s\":\"t\"},\n", p->events);
}

void perfetto_counter(struct perfetto *p, uint64_t nanosecond, const char *name, double value)
{
    put_named(p, 'C', 0, name);
    put_time(p, "ts", nanosecond);
    fprintf(p->events, ",\"args\":{\"value\":%.16g}},\n", isfinite(value) ? value : 0);
}

static void put_flow(struct perfetto *p, char phase, uint32_t process, unsigned track, uint64_t nanosecond)
{
    fprintf(p->events, "{\"ph\":\"%c\",\"pid\":%" PRIu32 ",\"tid\":%u,\"name\":\"packet\",\"cat\":\"radio\"", phase,
            process, track);
    put_time(p, "ts", nanosecond);
}

void perfetto_flow(struct perfetto *p, unsigned track, uint64_t nanosecond, struct perfetto_start from)
{
    char id[40];
    snprintf(id, sizeof id, "%" PRIu32 "/%" PRIu32 "/%" PRIu32, from.process, from.number, p->id);
    put_flow(p, 's', from.process, track, from.nanosecond);
    fprintf(p->events, ",\"id\":\"%s\"},\n", id);
    put_flow(p, 'f', p->id, track, nanosecond);
    fprintf(p->events, ",\"id\":\"%s\",\"bp\":\"e\"},\n", id);
}

/* ---- the file ---- */

bool perfetto_write(struct perfetto *const *processes, size_t count, FILE *f, uint64_t end)
{
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", f);
    for (size_t i = 0; i < count; i++) {
        struct perfetto *p = processes[i];
        for (size_t k = 0; k < p->count; k++)
            for (; p->tracks[k].open; p->tracks[k].open--)
                put_end(p, p->tracks[k].number, end);
        if (fflush(p->events) != 0)
            return false;
        size_t last = i + 1 == count ? 2 : 0; /* no comma after the last of all */
        struct spool_reader r;
        spool_reader_begin(&r, &p->spool);
        spool_copy(&r, spool_size(&p->spool) - last, f);
        spool_reader_end(&r);
    }
    fputs("\n]}\n", f);
    return !ferror(f);
}
