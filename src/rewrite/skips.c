#include "rewrite/skips.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MOST = 16 /* tests in a statement */, IO_BASE = 0x20 /* data address of I/O register 0 */ };

struct skip {
    uint32_t at; /* the instruction, in the file */
    bool set;    /* SBIS */
    unsigned io, bit;
};

/* The template as the assembler gets it, and where in the file each of its characters is. */
struct skips_template {
    char *body;
    uint32_t *at;
    size_t size;
};

static void skips_read_template(const struct pass *p, const struct tree_node *n, struct skips_template *t)
{
    bool inside = false;
    t->body = memory_bytes(n->end - n->start + 1);
    t->at = memory_array(n->end - n->start + 1, sizeof *t->at);
    t->size = 0;
    for (uint32_t i = n->start; i < n->end && (inside || p->text[i] != ':'); i++) {
        char c = p->text[i];
        uint32_t at = i;
        if (c == '"') {
            inside = !inside;
            continue;
        }
        if (inside && c == '\\' && i + 1 < n->end) {
            c = p->text[++i];
            c = (char)(c == 'n' ? '\n' : c == 't' ? ' ' : c);
        }
        if (inside) {
            t->at[t->size] = at;
            t->body[t->size++] = c;
        }
    }
    t->body[t->size] = '\0';
}

/* Whether the text has what depends on its length, on r0, or on how lines are cut. */
static bool skips_is_rigid(const char *body)
{
    if (strpbrk(body, ".;$\\") || strstr(body, "__tmp_reg__"))
        return true;
    for (const char *r = body; (r = strstr(r, "r0")); r += 2)
        if ((r == body || !isalnum((unsigned char)r[-1])) && !isalnum((unsigned char)r[2]))
            return true;
    return false;
}

static bool skips_is_reader(const char *word)
{
    static const char *const readers[] = {"lds", "ld", "ldd", "in", "spm", "lpm", "elpm", NULL};
    for (const char *const *r = readers; *r; r++)
        if (strcmp(word, *r) == 0)
            return true;
    return false;
}

static bool skips_is_skip(const char *word)
{
    return !strcmp(word, "sbic") || !strcmp(word, "sbis") || !strcmp(word, "sbrc") || !strcmp(word, "sbrs") ||
           !strcmp(word, "cpse");
}

/* One line. False if the statement cannot be recorded for it; `after`: what came before it may skip it. */
static bool skips_line(const struct skips_template *t, size_t from, size_t end, bool *after, struct skip *list,
                       unsigned *count)
{
    char line[128], word[16] = "";
    int io, bit, used = 0;
    while (from < end && t->body[from] == ' ')
        from++;
    if (from == end)
        return true;
    snprintf(line, sizeof line, "%.*s", (int)(end - from), t->body + from);
    if (end - from >= sizeof line || strchr(line, ':') || sscanf(line, "%15[a-zA-Z]", word) != 1)
        return false; /* a label: a jump may lead there */
    for (char *c = word; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    bool skipped = *after, tests = !strcmp(word, "sbic") || !strcmp(word, "sbis");
    *after = skips_is_skip(word);
    if (!tests)
        return !skips_is_reader(word);
    if (skipped || *count == MOST || sscanf(line + strlen(word), " %i , %i %n", &io, &bit, &used) != 2 ||
        line[strlen(word) + (size_t)used] || io < 0 || io > 31 || bit < 0 || bit > 7)
        return false;
    list[(*count)++] = (struct skip){t->at[from], word[3] == 's', (unsigned)io, (unsigned)bit};
    return true;
}

static bool skips_find(const struct skips_template *t, struct skip *list, unsigned *count)
{
    bool after = false, can = !skips_is_rigid(t->body);
    for (size_t from = 0; can && from < t->size;) {
        size_t end = from + strcspn(t->body + from, "\n");
        can = skips_line(t, from, end, &after, list, count);
        from = end + 1;
    }
    return can && *count;
}

/* The rest of the line, the instruction as it was, becomes a comment. */
static void skips_insert(struct pass *p, int node, const struct skip *s)
{
    const struct chip_register *is = registers_at(p->o->registers, s->io + IO_BASE, 1);
    if (is && !(is->bits >> s->bit & 1))
        return; /* as the program has set it */
    enum register_class class = is ? is->class : REGISTER_WHOLE;
    const char *site = pass_site_symbol(p, node, is ? is->name : "I/O", class, 1u << s->bit, "inline assembly");
    edits_add(&p->edits, s->at, EDIT_OPEN,
              "push r20\\n\\tpush r21\\n\\tpush r22\\n\\tpush r24\\n\\tin r24,__SREG__\\n\\tpush r24\\n\\t"
              "in r24,%u\\n\\tandi r24,%u\\n\\tldi r22,%u\\n\\tldi r20,lo8(%s)\\n\\tldi r21,hi8(%s)\\n\\t"
              "call motet_read8\\n\\tmov __tmp_reg__,r24\\n\\tpop r24\\n\\tout __SREG__,r24\\n\\t"
              "pop r24\\n\\tpop r22\\n\\tpop r21\\n\\tpop r20\\n\\t%s __tmp_reg__,%u ;",
              s->io, 1u << s->bit, 1u << s->bit, site, site, s->set ? "sbrs" : "sbrc", s->bit);
}

bool skips_record(struct pass *p, int node)
{
    struct skips_template t;
    struct skip list[MOST];
    unsigned count = 0;
    if (!pass_is_avr(p))
        return false;
    skips_read_template(p, tree_at(p->t, node), &t);
    bool can = skips_find(&t, list, &count);
    for (unsigned i = 0; can && i < count; i++)
        skips_insert(p, node, &list[i]);
    free(t.body);
    free(t.at);
    return can;
}
