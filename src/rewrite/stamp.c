#include "rewrite/stamp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/live.h"
#include "rewrite/reads.h"

/* Timers of 16 bits whose flags are in registers of their own, their vectors, and what can turn them off. Those of an
 * MSP430, which have letters, count SMCLK: what can make that another clock than the CPU's. */
static const struct timer {
    const char *chip; /* or how its name begins */
    unsigned number, first, last;
    const char *power;
} timers[] = {
    {"msp430", 0xa, 10, 12, "BCSCTL2"}, {"msp430", 0xb, 24, 26, "BCSCTL2"}, {"atmega128", 3, 25, 29, ""},
    {"atmega168", 1, 10, 13, "PRR"},    {"atmega328p", 1, 10, 13, "PRR"},   {"atmega1284p", 1, 12, 15, "PRR0"},
    {"atmega1284p", 3, 31, 34, "PRR1"}, {"atmega1280", 1, 16, 20, "PRR0"},  {"atmega1280", 3, 31, 35, "PRR1"},
    {"atmega1280", 4, 41, 45, "PRR1"},  {"atmega1280", 5, 46, 50, "PRR1"},  {"atmega1281", 1, 16, 20, "PRR0"},
    {"atmega1281", 3, 31, 35, "PRR1"},  {"atmega1281", 4, 41, 45, "PRR1"},  {"atmega1281", 5, 46, 50, "PRR1"},
    {"atmega2560", 1, 16, 20, "PRR0"},  {"atmega2560", 3, 31, 35, "PRR1"},  {"atmega2560", 4, 41, 45, "PRR1"},
    {"atmega2560", 5, 46, 50, "PRR1"},
};
enum { TIMERS = sizeof timers / sizeof *timers };

static bool has_letter(const struct timer *t)
{
    return t->number >= 0xa;
}

static bool is_on(const struct timer *t, const char *chip)
{
    return has_letter(t) ? strncmp(chip, t->chip, strlen(t->chip)) == 0 : strcmp(chip, t->chip) == 0;
}

static const struct timer *timer_of(const char *chip, unsigned number)
{
    for (unsigned i = 0; i < TIMERS; i++)
        if (timers[i].number == number && is_on(&timers[i], chip))
            return &timers[i];
    return NULL;
}

bool stamp_timer(const char *name, const char *chip, const struct registers *r, unsigned *number, struct motet_error *e)
{
    char known[80] = "";
    size_t length = 0;
    for (unsigned i = 0; i < TIMERS; i++) {
        char is[16], counts[8];
        snprintf(counts, sizeof counts, "T%cR", timers[i].number - 0xa + 'A');
        if (!is_on(&timers[i], chip) || (has_letter(&timers[i]) && !registers_named(r, counts)))
            continue;
        snprintf(is, sizeof is, "timer%x", timers[i].number);
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
    if (has_letter(t))
        return name[0] == 'T' && name[1] == (char)('A' + (t->number - 0xa));
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

/* Of an MSP430: what makes the timer's clock another one than the CPU's, and what takes cycles from the CPU. */
static bool check_clocks(struct pass *p, int node, const struct place *at, const struct timer *t)
{
    enum { CLOCKS = 0xfe /* all but the resistor of the DCO, which both have */ };
    enum use use = live_use(p->t, node);
    if (use == USE_READ || use == USE_NONE)
        return true;
    if (strcmp(at->is.name, t->power) == 0 && reads_may_write(p, node, CLOCKS))
        return pass_refuse(p, node,
                           "timer%x tells cycles (--stamp) while SMCLK and MCLK are both DCOCLK undivided, and %s may "
                           "be set to something else here; record without --stamp",
                           t->number, at->is.name);
    if (reads_may_write(p, node, at->is.fills))
        return pass_refuse(p, node,
                           "DMA (%s) takes cycles from the CPU, which stamps cannot tell; record without --stamp",
                           at->is.name);
    return true;
}

bool stamp_check_register(struct pass *p, int node, const struct place *at)
{
    if (!p->o->stamp || !at->in_file)
        return true;
    const struct timer *t = timer_of(p->o->chip, p->o->stamp);
    if (is_of_timer(t, at->is.name))
        return pass_refuse(p, node,
                           "register %s belongs to timer%x, which tells the cycles (--stamp); the program must leave "
                           "it alone, or another timer or none be given",
                           at->is.name, t->number);
    if (has_letter(t))
        return check_clocks(p, node, at, t);
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
                       "vector %u belongs to timer%x, which tells the cycles (--stamp); give another timer, or none",
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
    edits_add(&p->edits, tree_at(p->t, loop)->start, EDIT_OPEN, "{motet_polls_now();{");
    edits_add(&p->edits, pass_statement_end(p, loop), EDIT_CLOSE, "}motet_has_polled();}");
}

/* Before a loop that polls; behind it; and behind it where what was read is recorded first. */
static const char avr_polls[] =
    "static inline __attribute__((always_inline,unused)) void motet_polls_now(void){"
    "__asm__ __volatile__(\"call motet_polls_far\");}\n"
    "static inline __attribute__((always_inline,unused)) void motet_has_polled(void){"
    "__asm__ __volatile__(\"call motet_polled\");}\n"
    "static inline __attribute__((always_inline,unused)) void motet_polls_no_more(void){"
    "__asm__ __volatile__(\"lds r0,motet_uncounted\\n\\tdec r0\\n\\tsts motet_uncounted,r0\");}\n"
    "__asm__(\".pushsection .text.motet_polls_far,\\\"axG\\\",@progbits,motet_polls_far,comdat\\n\\t"
    ".weak motet_polls_far\\n\\t.type motet_polls_far,@function\\nmotet_polls_far:\\n\\t"
    "lds r0,motet_uncounted\\n\\tinc r0\\n\\tsts motet_uncounted,r0\\n\\tret\\n\\t"
    ".size motet_polls_far,.-motet_polls_far\\n\\t.popsection\");\n";
static const char msp430_polls[] = "static inline __attribute__((always_inline,unused)) void motet_polls_now(void){"
                                   "__asm__ __volatile__(\"inc.b &motet_uncounted\");}\n"
                                   "static inline __attribute__((always_inline,unused)) void motet_has_polled(void){"
                                   "__asm__ __volatile__(\"call #motet_polled\");}\n"
                                   "static inline __attribute__((always_inline,unused)) void motet_polls_no_more(void){"
                                   "__asm__ __volatile__(\"dec.b &motet_uncounted\");}\n";

/* Objects that were compiled with other stamps, or none, must not be linked together: the linker asks for the name. */
char *stamp_declaration(const struct pass *p)
{
    return memory_format("%s__asm__(\".pushsection .motet.stamps,\\\"\\\",@progbits\\n\\t"
                         ".long motet_stamps_of_timer%x\\n\\t.popsection\");\n",
                         pass_is_avr(p) ? avr_polls : msp430_polls, p->o->stamp);
}
