/* Names: the words on bars, and the files of source with what was executed of them. */
#include "view/model.h"

#include "motet/inspect.h"

enum { VIEW_SOURCE_MOST = 1 << 18 }; /* bytes of one file that are shown */

uint32_t view_word(struct motet_view *v, const char *text, uint32_t file, uint32_t line)
{
    for (uint32_t i = 0; i < v->word_count; i++)
        if (v->words[i].file == file && v->words[i].line == line && strcmp(v->words[i].text, text) == 0)
            return i;
    v->words = memory_grow(v->words, &v->word_room, v->word_count, sizeof *v->words);
    v->words[v->word_count] = (struct view_word){memory_string(text), file, line};
    return (uint32_t)v->word_count++;
}

static char *names_read(FILE *f)
{
    char *text = memory_bytes(VIEW_SOURCE_MOST + 1);
    size_t size = fread(text, 1, VIEW_SOURCE_MOST, f);
    text[size] = 0;
    return memory_resize(text, size + 1, 1);
}

uint32_t view_file(struct motet_view *v, const char *name)
{
    for (uint32_t i = 0; i < v->file_count; i++)
        if (strcmp(v->files[i].name, name) == 0)
            return i;
    v->files = memory_grow(v->files, &v->file_room, v->file_count, sizeof *v->files);
    FILE *f = motet_source_open(name);
    v->files[v->file_count] = (struct view_file){.name = memory_string(name), .text = f ? names_read(f) : NULL};
    if (f)
        fclose(f);
    return (uint32_t)v->file_count++;
}

/* ---- places ---- */

struct names_place {
    uint32_t file, line;
};

static struct names_place names_at(struct motet_view *v, const motet_machine *m, uint32_t address)
{
    struct motet_instruction i;
    if (!motet_machine_instruction(m, address, &i) || !i.file || !i.line)
        return (struct names_place){VIEW_NOWHERE, 0};
    return (struct names_place){view_file(v, i.file), i.line};
}

static void names_rename(struct bars *m, const uint32_t *words)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->list[i].word != BARS_SEVERAL)
            m->list[i].word = words[m->list[i].word];
}

static void names_functions(struct motet_view *v, struct view_node *n)
{
    const struct functions *f = &n->calls.functions;
    bool *used = memory_array(f->count + 1, sizeof *used);
    uint32_t *words = memory_array(f->count + 1, sizeof *words);
    const struct bars *both[] = {&n->interrupts, &n->tasks};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < both[k]->count; i++)
            if (both[k]->list[i].word != BARS_SEVERAL)
                used[both[k]->list[i].word] = true;
    for (size_t i = 0; i < f->count; i++)
        if (used[i]) {
            struct names_place p = names_at(v, n->machine, f->list[i].address);
            words[i] = view_word(v, f->list[i].name, p.file, p.line);
        }
    names_rename(&n->interrupts, words);
    names_rename(&n->tasks, words);
    free(words);
    free(used);
}

static void names_sleeps(struct motet_view *v, struct view_node *n)
{
    uint32_t *words = memory_array(n->sleep_count + 1, sizeof *words);
    for (size_t i = 0; i < n->sleep_count; i++) {
        struct names_place p = names_at(v, n->machine, n->sleeps[i].pc);
        words[i] = view_word(v, n->sleeps[i].mode, p.file, p.line);
    }
    names_rename(&n->sleep, words);
    free(words);
}

static void names_radio(struct motet_view *v, struct view_node *n)
{
    uint32_t words[MOTET_RADIO_POWER_DOWN + 1];
    for (unsigned i = 0; i <= MOTET_RADIO_POWER_DOWN; i++)
        words[i] = view_word(v, states_radio((enum motet_radio_state)i), VIEW_NOWHERE, 0);
    names_rename(&n->radio, words);
}

/* ---- what was executed ---- */

static struct view_source_line *names_line(struct view_file *f, uint32_t line)
{
    size_t low = 0, high = f->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (f->lines[middle].line < line)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < f->count && f->lines[low].line == line)
        return &f->lines[low];
    f->lines = memory_grow(f->lines, &f->room, f->count, sizeof *f->lines);
    memmove(f->lines + low + 1, f->lines + low, (f->count - low) * sizeof *f->lines);
    f->count++;
    f->lines[low] = (struct view_source_line){line, 0, MOTET_NEVER};
    return &f->lines[low];
}

/* A line counts as often as the most executed of its instructions, on all nodes of the firmware. */
static void names_executed(struct motet_view *v, uint32_t machine)
{
    struct motet_instruction i;
    for (uint32_t at = 0; motet_machine_instruction(v->machines[machine], at, &i); at += i.size) {
        if (i.kind != MOTET_CODE_INSTRUCTION || !i.file || !i.line)
            continue;
        uint64_t count = 0, first = MOTET_NEVER;
        for (size_t k = 0; k < v->node_count; k++) {
            const struct view_node *n = &v->nodes[k];
            if (n->machine_number != machine || at / 2 >= n->executed_room || !n->executed[at / 2].count)
                continue;
            count += n->executed[at / 2].count;
            first = n->executed[at / 2].first < first ? n->executed[at / 2].first : first;
        }
        uint32_t file = view_file(v, i.file);
        struct view_source_line *l = names_line(&v->files[file], i.line);
        l->count = count > l->count ? count : l->count;
        l->first = first < l->first ? first : l->first;
    }
}

void view_name(struct motet_view *v)
{
    for (uint32_t i = 0; i < v->machine_count; i++)
        names_executed(v, i);
    for (size_t i = 0; i < v->node_count; i++) {
        names_functions(v, &v->nodes[i]);
        names_sleeps(v, &v->nodes[i]);
        names_radio(v, &v->nodes[i]);
    }
}
