#include "export/perfetto.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/grow.h"
#include "export/json.h"

struct track {
    unsigned number, open; /* slices begun and not ended */
};

struct process {
    uint32_t id;
    FILE *events; /* what it was told so far, as JSON with a comma behind each */
    char *text;
    size_t size;
    struct track *tracks;
    size_t count, room;
};

struct perfetto {
    struct process **processes; /* each by itself: streams know where their buffers are */
    size_t count, room;
};

struct perfetto *perfetto_new(void)
{
    struct perfetto *p = calloc(1, sizeof *p);
    if (!p)
        abort();
    return p;
}

void perfetto_free(struct perfetto *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->count; i++) {
        fclose(p->processes[i]->events);
        free(p->processes[i]->text);
        free(p->processes[i]->tracks);
        free(p->processes[i]);
    }
    free(p->processes);
    free(p);
}

/* ---- events ---- */

static void put_named(struct process *x, char phase, unsigned track, const char *name)
{
    fprintf(x->events, "{\"ph\":\"%c\",\"pid\":%" PRIu32 ",\"tid\":%u,\"name\":", phase, x->id, track);
    json_string(x->events, name);
}

/* Microseconds with all digits of the nanoseconds. */
static void put_time(struct process *x, const char *key, uint64_t nanosecond)
{
    fprintf(x->events, ",\"%s\":%" PRIu64 ".%03" PRIu64, key, nanosecond / 1000, nanosecond % 1000);
}

static void put_end(struct process *x, unsigned track, uint64_t nanosecond)
{
    fprintf(x->events, "{\"ph\":\"E\",\"pid\":%" PRIu32 ",\"tid\":%u", x->id, track);
    put_time(x, "ts", nanosecond);
    fputs("},\n", x->events);
}

static void put_metadata(struct process *x, const char *what, unsigned track, const char *name)
{
    put_named(x, 'M', track, what);
    fputs(",\"args\":{\"name\":", x->events);
    json_string(x->events, name);
    fputs("}},\n", x->events);
}

static struct track *track_of(struct process *x, unsigned number)
{
    for (size_t i = 0; i < x->count; i++)
        if (x->tracks[i].number == number)
            return &x->tracks[i];
    x->tracks = grow(x->tracks, &x->room, x->count, sizeof *x->tracks);
    x->tracks[x->count] = (struct track){.number = number};
    return &x->tracks[x->count++];
}

size_t perfetto_process(struct perfetto *p, uint32_t id, const char *name)
{
    struct process *x = calloc(1, sizeof *x);
    if (!x)
        abort();
    x->id = id;
    x->events = open_memstream(&x->text, &x->size);
    if (!x->events)
        abort();
    put_metadata(x, "process_name", 0, name);
    p->processes = grow(p->processes, &p->room, p->count, sizeof *p->processes);
    p->processes[p->count] = x;
    return p->count++;
}

void perfetto_track(struct perfetto *p, size_t process, unsigned track, const char *name)
{
    struct process *x = p->processes[process];
    put_metadata(x, "thread_name", track, name);
    put_named(x, 'M', track, "thread_sort_index");
    fprintf(x->events, ",\"args\":{\"sort_index\":%u}},\n", track);
}

void perfetto_begin(struct perfetto *p, size_t process, unsigned track, uint64_t nanosecond, const char *name)
{
    struct process *x = p->processes[process];
    track_of(x, track)->open++;
    put_named(x, 'B', track, name);
    put_time(x, "ts", nanosecond);
    fputs("},\n", x->events);
}

void perfetto_end(struct perfetto *p, size_t process, unsigned track, uint64_t nanosecond)
{
    struct process *x = p->processes[process];
    struct track *t = track_of(x, track);
    if (!t->open)
        return;
    t->open--;
    put_end(x, track, nanosecond);
}

void perfetto_slice(struct perfetto *p, size_t process, unsigned track, uint64_t from, uint64_t to, const char *name)
{
    struct process *x = p->processes[process];
    put_named(x, 'X', track, name);
    put_time(x, "ts", from);
    put_time(x, "dur", to > from ? to - from : 0);
    fputs("},\n", x->events);
}

void perfetto_instant(struct perfetto *p, size_t process, unsigned track, uint64_t nanosecond, const char *name)
{
    struct process *x = p->processes[process];
    put_named(x, 'i', track, name);
    put_time(x, "ts", nanosecond);
    fputs(",\"s\":\"t\"},\n", x->events);
}

void perfetto_counter(struct perfetto *p, size_t process, uint64_t nanosecond, const char *name, double value)
{
    struct process *x = p->processes[process];
    put_named(x, 'C', 0, name);
    put_time(x, "ts", nanosecond);
    fprintf(x->events, ",\"args\":{\"value\":%.16g}},\n", isfinite(value) ? value : 0);
}

void perfetto_flow(struct perfetto *p, size_t process, unsigned track, uint64_t nanosecond, uint64_t id, bool arrives)
{
    struct process *x = p->processes[process];
    put_named(x, arrives ? 'f' : 's', track, "packet");
    put_time(x, "ts", nanosecond);
    fprintf(x->events, ",\"cat\":\"radio\",\"id\":\"%" PRIx64 "\"%s},\n", id, arrives ? ",\"bp\":\"e\"" : "");
}

/* ---- the file ---- */

bool perfetto_write(struct perfetto *p, FILE *f, uint64_t end)
{
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", f);
    for (size_t i = 0; i < p->count; i++) {
        struct process *x = p->processes[i];
        for (size_t k = 0; k < x->count; k++)
            for (; x->tracks[k].open; x->tracks[k].open--)
                put_end(x, x->tracks[k].number, end);
        if (fflush(x->events) != 0)
            return false;
        size_t last = i + 1 == p->count ? 2 : 0; /* no comma behind the last of all */
        fwrite(x->text, 1, x->size - last, f);
    }
    fputs("\n]}\n", f);
    return !ferror(f);
}
