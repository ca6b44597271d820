/* The model as JSON for the page (src/export/page). Times are nanoseconds; lists of times hold differences. */
#include "view/model.h"

#include "export/json.h"

enum {
    DATA_LINES = 20000, /* of serial output, at most */
    DATA_NOTES = 5000,  /* likewise */
    DATA_BYTES = 8000,  /* frames, up to which their bytes are there */
    DATA_VALUES = 2000, /* of one variable in a window */
};

/* ---- pieces ---- */

static void data_texts(FILE *to, const char *name, char *const *list, size_t count)
{
    fprintf(to, ",\n\"%s\":[", name);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? "," : "", to);
        json_put_in_page(to, list[i]);
    }
    fputs("]", to);
}

static void data_text(FILE *to, const char *name, const char *text)
{
    fprintf(to, ",\n\"%s\":", name);
    if (text)
        json_put_in_page(to, text);
    else
        fputs("null", to);
}

static void data_place(FILE *to, uint32_t file, uint32_t line)
{
    if (file == VIEW_NOWHERE)
        fputs(",-1,0]", to);
    else
        fprintf(to, ",%" PRIu32 ",%" PRIu32 "]", file, line);
}

/* ---- the head: what does not depend on the zoom ---- */

static void data_energy(FILE *to, const struct view_series *s)
{
    uint64_t before = 0;
    fputs(",\"energy\":{\"t\":[", to);
    for (size_t i = 0; i < s->count; i++) {
        fprintf(to, "%s%" PRIu64, i ? "," : "", s->list[i].time - before);
        before = s->list[i].time;
    }
    fputs("],\"v\":[", to);
    for (size_t i = 0; i < s->count; i++)
        fprintf(to, "%s%.6g", i ? "," : "", s->list[i].value);
    fputs("]}", to);
}

static void data_nodes(const struct motet_view *v, FILE *to)
{
    fputs(",\n\"nodes\":[", to);
    for (size_t i = 0; i < v->node_count; i++) {
        const struct view_node *n = &v->nodes[i];
        fprintf(to, "%s{\"id\":%" PRIu32 ",\"board\":", i ? ",\n" : "", n->id);
        json_put_in_page(to, n->board);
        fputs(",\"chip\":", to);
        json_put_in_page(to, n->chip);
        fprintf(to, ",\"logged\":%s,\"at\":[%.9g,%.9g,%.9g],\"pins\":[", n->logged ? "true" : "false", n->place[0],
                n->place[1], n->place[2]);
        for (size_t k = 0; k < n->pin_count; k++) {
            fprintf(to, "%s{\"led\":%s,\"name\":", k ? "," : "", n->pins[k].led >= 0 ? "true" : "false");
            json_put_in_page(to, n->pins[k].name);
            fputs("}", to);
        }
        fputs("]", to);
        data_energy(to, &n->energy);
        fputs("}", to);
    }
    fputs("]", to);
}

static void data_words(const struct motet_view *v, FILE *to)
{
    fputs(",\n\"words\":[", to);
    for (size_t i = 0; i < v->word_count; i++) {
        fputs(i ? ",[" : "[", to);
        json_put_in_page(to, v->words[i].text);
        data_place(to, v->words[i].file, v->words[i].line);
    }
    fputs("]", to);
}

/* Files without a line of code are not there. Line, executions, time of the first; -1 where it was never executed. */
static void data_files(const struct motet_view *v, FILE *to)
{
    fputs(",\n\"files\":[", to);
    for (size_t i = 0; i < v->file_count; i++) {
        const struct view_file *f = &v->files[i];
        fputs(i ? ",\n{\"name\":" : "{\"name\":", to);
        json_put_in_page(to, f->name);
        fputs(",\"text\":", to);
        if (f->text)
            json_put_in_page(to, f->text);
        else
            fputs("null", to);
        fputs(",\"lines\":[", to);
        for (size_t k = 0; k < f->count; k++)
            fprintf(to, "%s%" PRIu32 ",%" PRIu64 ",%" PRId64, k ? "," : "", f->lines[k].line, f->lines[k].count,
                    f->lines[k].count ? (int64_t)f->lines[k].first : INT64_C(-1));
        fputs("]}", to);
    }
    fputs("]", to);
}

static void data_notes(const struct motet_view *v, FILE *to)
{
    static const char *const kinds[] = {"fault", "reset", "marker", "part"};
    size_t written = 0;
    fputs(",\n\"notes\":[", to);
    for (size_t i = 0; i < v->node_count; i++)
        for (size_t k = 0; k < v->nodes[i].note_count && written < DATA_NOTES; k++) {
            const struct view_note *note = &v->nodes[i].notes[k];
            fprintf(to, "%s[%" PRIu64 ",%zu,\"%s\",", written++ ? ",\n" : "", note->time, i, kinds[note->kind]);
            json_put_in_page(to, view_text(&v->nodes[i], note->text));
            fputs("]", to);
        }
    fputs("]", to);
}

static void data_serial(const struct motet_view *v, FILE *to)
{
    size_t written = 0, all = 0;
    fputs(",\n\"serial\":[", to);
    for (size_t i = 0; i < v->node_count; i++) {
        const struct view_node *n = &v->nodes[i];
        all += n->line_count;
        for (size_t k = 0; k < n->line_count && written < DATA_LINES; k++) {
            fprintf(to, "%s[%" PRIu64 ",%zu,%u,", written++ ? ",\n" : "", n->lines[k].begin, i, n->lines[k].port);
            json_put_in_page(to, view_text(n, n->lines[k].text));
            fputs("]", to);
        }
    }
    fprintf(to, "],\"serial_left\":%zu", all - written);
}

/* Who was heard by whom: from, to, received, lost. */
static void data_links(const struct motet_view *v, FILE *to)
{
    size_t n = v->node_count, written = 0;
    uint64_t *counts = memory_array(2 * n * n + 1, sizeof *counts);
    for (size_t i = 0; i < v->frame_count; i++)
        for (size_t k = v->frames[i].first; k < v->frames[i].first + v->frames[i].count; k++) {
            bool lost = view_is_lost(v->heard[k].outcome);
            counts[2 * (v->frames[i].sender * n + v->heard[k].node) + lost]++;
        }
    fputs(",\n\"links\":[", to);
    for (size_t i = 0; i < n * n; i++)
        if (counts[2 * i] || counts[2 * i + 1])
            fprintf(to, "%s[%zu,%zu,%" PRIu64 ",%" PRIu64 "]", written++ ? "," : "", i / n, i % n, counts[2 * i],
                    counts[2 * i + 1]);
    fputs("]", to);
    free(counts);
}

static void data_losses(FILE *to)
{
    fputs(",\n\"losses\":[", to);
    for (unsigned i = 0; i <= MOTET_LOSS_CUT; i++)
        fprintf(to, "%s\"%s\"", i ? "," : "", motet_loss_name((enum motet_loss)i));
    fprintf(to, "],\"lost\":%d", VIEW_LOST);
}

/* Up to which distance bars were merged while the nodes ran, since there were too many. */
static uint64_t data_merged(const struct motet_view *v)
{
    uint64_t most = 0;
    for (size_t i = 0; i < v->node_count; i++) {
        const struct view_node *n = &v->nodes[i];
        const struct bars *tracks[] = {&n->sleep, &n->interrupts, &n->tasks, &n->radio, &n->sent, &n->missed};
        for (size_t k = 0; k < sizeof tracks / sizeof *tracks; k++)
            most = tracks[k]->gap > most ? tracks[k]->gap : most;
    }
    return most;
}

void view_write_head(const struct motet_view *v, bool served, FILE *to)
{
    fprintf(to, "{\"served\":%s,\"end\":%" PRIu64 ",\"digest\":\"%s\",\"frame_count\":%zu,\"merged\":%" PRIu64,
            served ? "true" : "false", v->end, v->digest, v->frame_count, data_merged(v));
    data_text(to, "title", v->title);
    data_text(to, "debug", v->debug);
    data_text(to, "then", v->then);
    data_text(to, "about", v->about);
    data_texts(to, "variables", v->variables, v->variable_count);
    data_nodes(v, to);
    data_words(v, to);
    data_files(v, to);
    data_notes(v, to);
    data_serial(v, to);
    data_links(v, to);
    data_losses(to);
    fputs("}", to);
}

/* ---- a window: bars, frames and values of a stretch of time ---- */

struct data_track {
    bool merged; /* some stand for several */
    struct bar *list;
    size_t count, room;
};

static void data_keep(void *context, const struct bar *m)
{
    struct data_track *t = context;
    t->list = memory_grow(t->list, &t->room, t->count, sizeof *t->list);
    t->list[t->count++] = *m;
    t->merged |= m->count > 1;
}

static void data_track(const struct bars *m, struct view_window w, uint64_t gap, size_t node, const char *kind,
                       size_t number, FILE *to, bool *first)
{
    struct data_track t = {.merged = false};
    bars_within(m, w.from, w.to, gap, data_keep, &t);
    if (!t.count)
        return;
    fprintf(to, "%s{\"n\":%zu,\"k\":\"%s\",\"i\":%zu,\"b\":[", *first ? "" : ",\n", node, kind, number);
    *first = false;
    for (size_t i = 0; i < t.count; i++)
        fprintf(to, "%s%" PRIu64, i ? "," : "", t.list[i].begin - (i ? t.list[i - 1].begin : 0));
    fputs("],\"d\":[", to);
    for (size_t i = 0; i < t.count; i++)
        fprintf(to, "%s%" PRIu64, i ? "," : "", t.list[i].end - t.list[i].begin);
    fputs("],\"w\":[", to);
    for (size_t i = 0; i < t.count; i++)
        fprintf(to, "%s%" PRId64, i ? "," : "", t.list[i].word == BARS_SEVERAL ? INT64_C(-1) : (int64_t)t.list[i].word);
    if (t.merged) {
        fputs("],\"c\":[", to);
        for (size_t i = 0; i < t.count; i++)
            fprintf(to, "%s%" PRIu32, i ? "," : "", t.list[i].count);
        fputs("],\"u\":[", to);
        for (size_t i = 0; i < t.count; i++)
            fprintf(to, "%s%" PRIu64, i ? "," : "", t.list[i].busy);
    }
    fputs("]}", to);
    free(t.list);
}

static bool data_wants(const struct view_pin *p, struct view_window w, size_t node)
{
    return p->led < 0 && (w.node == VIEW_EVERY || w.node == node);
}

static size_t data_count(const struct motet_view *v, struct view_window w, uint64_t gap)
{
    size_t count = 0;
    for (size_t i = 0; i < v->node_count; i++) {
        const struct view_node *n = &v->nodes[i];
        const struct bars *tracks[] = {&n->sleep, &n->interrupts, &n->tasks, &n->radio, &n->sent, &n->missed};
        for (size_t k = 0; k < sizeof tracks / sizeof *tracks; k++)
            count += bars_within(tracks[k], w.from, w.to, gap, NULL, NULL);
        for (size_t k = 0; k < n->pin_count; k++)
            if (n->pins[k].led >= 0)
                count += bars_within(&n->pins[k].bars, w.from, w.to, gap, NULL, NULL);
    }
    return count;
}

static size_t data_count_pins(const struct motet_view *v, struct view_window w, uint64_t gap)
{
    size_t count = 0;
    for (size_t i = 0; i < v->node_count; i++)
        for (size_t k = 0; k < v->nodes[i].pin_count; k++)
            if (data_wants(&v->nodes[i].pins[k], w, i))
                count += bars_within(&v->nodes[i].pins[k].bars, w.from, w.to, gap, NULL, NULL);
    return count;
}

/* The distance below which bars are merged, so that not too many are left. */
static uint64_t data_gap(const struct motet_view *v, struct view_window w, size_t most,
                         size_t (*count)(const struct motet_view *v, struct view_window w, uint64_t gap))
{
    uint64_t gap = 0, least = (w.to - w.from) / (most + 1) + 1;
    while (count(v, w, gap) > most && gap <= w.to - w.from)
        gap = gap ? 2 * gap : least;
    return gap;
}

static void data_tracks(const struct motet_view *v, struct view_window w, uint64_t gap, FILE *to)
{
    uint64_t pin_gap = data_gap(v, w, w.pins, data_count_pins);
    bool first = true;
    fputs(",\n\"tracks\":[", to);
    for (size_t i = 0; i < v->node_count; i++) {
        const struct view_node *n = &v->nodes[i];
        data_track(&n->sleep, w, gap, i, "sleep", 0, to, &first);
        data_track(&n->tasks, w, gap, i, "task", 0, to, &first);
        data_track(&n->interrupts, w, gap, i, "interrupt", 0, to, &first);
        data_track(&n->radio, w, gap, i, "radio", 0, to, &first);
        data_track(&n->sent, w, gap, i, "sent", 0, to, &first);
        data_track(&n->missed, w, gap, i, "missed", 0, to, &first);
        for (size_t k = 0; k < n->pin_count; k++)
            if (n->pins[k].led >= 0 || data_wants(&n->pins[k], w, i))
                data_track(&n->pins[k].bars, w, n->pins[k].led >= 0 ? gap : pin_gap, i, "pin", k, to, &first);
    }
    fputs("]", to);
}

static size_t data_frame_at(const struct motet_view *v, uint64_t time)
{
    size_t low = 0, high = v->frame_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct view_frame *f = &v->frames[middle];
        if (v->nodes[f->sender].sends[f->send].end < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void data_frame(const struct motet_view *v, const struct view_frame *f, size_t number, bool bytes, FILE *to)
{
    const struct view_node *n = &v->nodes[f->sender];
    const struct view_send *s = &n->sends[f->send];
    const char *text = view_text(n, s->text);
    fprintf(to, "[%zu,%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",", number, s->begin, s->end - s->begin, f->sender);
    json_put_in_page(to, text);
    fputs(",[", to);
    for (size_t i = f->first; i < f->first + f->count; i++)
        fprintf(to, "%s%" PRIu32 ",%" PRIu32 ",%" PRId64, i > f->first ? "," : "", v->heard[i].node,
                v->heard[i].outcome, (int64_t)(v->heard[i].end - s->begin));
    fprintf(to, "],\"%s\"]", bytes ? text + strlen(text) + 1 : "");
}

static void data_frames(const struct motet_view *v, struct view_window w, FILE *to)
{
    size_t first = data_frame_at(v, w.from), last = first, arrows = 0;
    for (; last < v->frame_count; last++) {
        if (v->nodes[v->frames[last].sender].sends[v->frames[last].send].begin > w.to)
            break;
        arrows += v->frames[last].count + 1;
    }
    bool hidden = arrows > w.arrows;
    fprintf(to, ",\n\"frames_hidden\":%zu,\n\"frames\":[", hidden ? last - first : 0);
    for (size_t i = first; i < last && !hidden; i++) {
        fputs(i > first ? ",\n" : "", to);
        data_frame(v, &v->frames[i], i, last - first <= DATA_BYTES, to);
    }
    fputs("]", to);
}

/* Of many values in a window, every so many-th is there, and the last before the window. */
static void data_series(const struct view_series *s, struct view_window w, FILE *to)
{
    size_t first = 0, last;
    while (first + 1 < s->count && s->list[first + 1].time <= w.from)
        first++;
    for (last = first; last < s->count && s->list[last].time <= w.to;)
        last++;
    size_t stride = last - first > DATA_VALUES ? (last - first) / DATA_VALUES + 1 : 1;
    fputs("\"t\":[", to);
    for (size_t i = first; i < last; i += stride)
        fprintf(to, "%s%" PRIu64, i > first ? "," : "", s->list[i].time - (i > first ? s->list[i - stride].time : 0));
    fputs("],\"v\":[", to);
    for (size_t i = first; i < last; i += stride)
        fprintf(to, "%s%.17g", i > first ? "," : "", s->list[i].value);
    fprintf(to, "],\"stride\":%zu", stride * (s->stride ? s->stride : 1));
}

static void data_values(const struct motet_view *v, struct view_window w, FILE *to)
{
    bool first = true;
    fputs(",\n\"values\":[", to);
    for (size_t i = 0; i < v->node_count; i++)
        for (size_t k = 0; k < v->variable_count; k++) {
            if (!v->nodes[i].variables[k].series.count)
                continue;
            fprintf(to, "%s{\"n\":%zu,\"i\":%zu,", first ? "" : ",\n", i, k);
            data_series(&v->nodes[i].variables[k].series, w, to);
            fputs("}", to);
            first = false;
        }
    fputs("]", to);
}

void view_write_window(const struct motet_view *v, struct view_window w, FILE *to)
{
    uint64_t gap = data_gap(v, w, w.most, data_count);
    fprintf(to, "{\"from\":%" PRIu64 ",\"to\":%" PRIu64 ",\"gap\":%" PRIu64, w.from, w.to, gap);
    data_tracks(v, w, gap, to);
    data_frames(v, w, to);
    data_values(v, w, to);
    fputs("}", to);
}
