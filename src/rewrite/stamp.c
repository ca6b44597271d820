#include "rewrite/stamp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Timers of 16 bits whose flags are in registers of their own, their vectors, and what can turn them off. */
static const struct timer {
    const char *chip;
    unsigned number, first, last;
    const char *power;
} timers[] = {
    {"atmega128", 3, 25, 29, ""},       {"atmega168", 1, 10, 13, "PRR"},    {"atmega328p", 1, 10, 13, "PRR"},
    {"atmega1284p", 1, 12, 15, "PRR0"}, {"atmega1284p", 3, 31, 34, "PRR1"}, {"atmega1280", 1, 16, 20, "PRR0"},
    {"atmega1280", 3, 31, 35, "PRR1"},  {"atmega1280", 4, 41, 45, "PRR1"},  {"atmega1280", 5, 46, 50, "PRR1"},
    {"atmega1281", 1, 16, 20, "PRR0"},  {"atmega1281", 3, 31, 35, "PRR1"},  {"atmega1281", 4, 41, 45, "PRR1"},
    {"atmega1281", 5, 46, 50, "PRR1"},  {"atmega2560", 1, 16, 20, "PRR0"},  {"atmega2560", 3, 31, 35, "PRR1"},
    {"atmega2560", 4, 41, 45, "PRR1"},  {"atmega2560", 5, 46, 50, "PRR1"},
};
enum { TIMERS = sizeof timers / sizeof *timers };

static const struct timer *timer_of(const char *chip, unsigned number)
{
    for (unsigned i = 0; i < TIMERS; i++)
        if (timers[i].number == number && strcmp(timers[i].chip, chip) == 0)
            return &timers[i];
    return NULL;
}

bool stamp_timer(const char *name, const char *chip, unsigned *number, struct error *e)
{
    char known[80] = "";
    size_t length = 0;
    for (unsigned i = 0; i < TIMERS; i++) {
        char is[16];
        if (strcmp(timers[i].chip, chip) != 0)
            continue;
        snprintf(is, sizeof is, "timer%u", timers[i].number);
        if (strcmp(is, name) == 0) {
            *number = timers[i].number;
            return true;
        }
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "", is);
    }
    if (!length)
        return error_set(e, "--stamp is not known for %s; leave it out, and steps are counted", chip);
    return error_set(e, "--stamp %s: not a timer that can tell cycles on %s; it has %s", name, chip, known);
}

static bool is_of_timer(const struct timer *t, const char *name)
{
    static const char *const begins[] = {"TCCR", "TCNT", "OCR", "ICR", "TIMSK", "TIFR"};
    if (strcmp(name, t->power) == 0)
        return true;
    if (strcmp(t->chip, "atmega128") == 0 && (strcmp(name, "ETIMSK") == 0 || strcmp(name, "ETIFR") == 0))
        return true;
    for (unsigned i = 0; i < sizeof begins / sizeof *begins; i++) {
        size_t n = strlen(begins[i]);
        if (strncmp(name, begins[i], n) == 0 && name[n] == (char)('0' + t->number))
            return true;
    }
    return false;
}

bool stamp_check_register(struct pass *p, int node, const struct place *at)
{
    if (!p->o->stamp || !at->in_file)
        return true;
    const struct timer *t = timer_of(p->o->chip, p->o->stamp);
    if (is_of_timer(t, at->is.name))
        return pass_refuse(p, node,
                           "register %s belongs to timer%u, which tells the cycles (--stamp); the program must leave "
                           "it alone, or another timer or none be given",
                           at->is.name, t->number);
    if (strcmp(at->is.name, "EECR") == 0)
        return pass_refuse(p, node,
                           "the CPU stands still for some cycles when EEPROM is accessed (%s), which stamps cannot "
                           "tell; record without --stamp",
                           at->is.name);
    return true;
}

bool stamp_check_handler(struct pass *p, const struct handler *h)
{
    const struct timer *t = p->o->stamp ? timer_of(p->o->chip, p->o->stamp) : NULL;
    if (!t || h->vector < t->first || h->vector > t->last)
        return true;
    return pass_refuse(p, h->function,
                       "vector %u belongs to timer%u, which tells the cycles (--stamp); give another timer, or none",
                       h->vector, t->number);
}

bool stamp_check_call(struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    if (!p->o->stamp || (strncmp(n->name, "eeprom_", 7) != 0 && strncmp(n->name, "__ee", 4) != 0))
        return true;
    return pass_refuse(p, node,
                       "the CPU stands still for some cycles when EEPROM is accessed (%s), which stamps cannot tell; "
                       "record without --stamp",
                       n->name);
}

void stamp_around_poll(struct pass *p, int loop)
{
    if (!p->o->stamp)
        return;
    edits_add(&p->edits, tree_at(p->t, loop)->start, EDIT_OPEN, "{motet_polls_now();");
    edits_add(&p->edits, pass_statement_end(p, loop), EDIT_CLOSE, "motet_has_polled();}");
}

/* Objects that were compiled with other stamps, or none, must not be linked together: the linker asks for the name. */
char *stamp_declaration(const struct pass *p)
{
    char *text;
    if (asprintf(&text,
                 "static inline __attribute__((always_inline,unused)) void motet_polls_now(void){"
                 "__asm__ __volatile__(\"call motet_polls_far\");}\n"
                 "static inline __attribute__((always_inline,unused)) void motet_has_polled(void){"
                 "__asm__ __volatile__(\"call motet_polled\");}\n"
                 "__asm__(\".pushsection .text.motet_polls_far,\\\"axG\\\",@progbits,motet_polls_far,comdat\\n\\t"
                 ".weak motet_polls_far\\n\\t.type motet_polls_far,@function\\nmotet_polls_far:\\n\\t"
                 "lds r0,motet_uncounted\\n\\tinc r0\\n\\tsts motet_uncounted,r0\\n\\tret\\n\\t"
                 ".size motet_polls_far,.-motet_polls_far\\n\\t.popsection\\n\\t"
                 ".pushsection .motet.stamps,\\\"\\\",@progbits\\n\\t.long motet_stamps_of_timer%u\\n\\t"
                 ".popsection\");\n",
                 p->o->stamp) < 0)
        abort();
    return text;
}
