#include "node/interrupts.h"

#include <assert.h>
#include <string.h>

#include "chip/chip.h"
#include "isa/isa.h"

static const struct interrupt_plan *plan_of(const struct node *n)
{
    return &n->machine->chip->isa->interrupts;
}

static unsigned words_of(const struct interrupt_plan *p)
{
    return (p->lines + 63) / 64;
}

/* Each node's own, after the words. */
static uint8_t *priorities_of(const struct node *n)
{
    return (uint8_t *)(interrupts_asking(n) + words_of(plan_of(n)));
}

size_t interrupts_size(const struct interrupt_plan *p)
{
    return words_of(p) * sizeof(uint64_t) + (p->programmable ? p->lines : 0);
}

bool interrupts_asks(const struct node *n, unsigned line)
{
    return line < plan_of(n)->lines && interrupts_asking(n)[line / 64] >> line % 64 & 1;
}

uint64_t interrupts_word(const struct node *n, unsigned word)
{
    return word < words_of(plan_of(n)) ? interrupts_asking(n)[word] : 0;
}

unsigned interrupts_priority(const struct node *n, unsigned line)
{
    const struct interrupt_plan *p = plan_of(n);
    assert(line < p->lines);
    return p->programmable ? priorities_of(n)[line] : p->priorities ? p->priorities[line] : 0;
}

/* The first line of a word in the order of the instruction set; it has one. */
static unsigned first_in(const struct interrupt_plan *p, uint64_t bits)
{
    return (unsigned)(p->highest_first ? 63 - __builtin_clzll(bits) : __builtin_ctzll(bits));
}

/* Where priorities differ: of those below `below`, the first of the most urgent. */
static int first_by_priority(const struct node *n, const struct interrupt_plan *p, unsigned below)
{
    unsigned words = words_of(p), best = below;
    int found = INTERRUPT_NONE;
    for (unsigned k = 0; k < words && best; k++) {
        unsigned word = p->highest_first ? words - 1 - k : k;
        for (uint64_t bits = interrupts_asking(n)[word]; bits && best;) {
            unsigned bit = first_in(p, bits), line = 64 * word + bit, priority = interrupts_priority(n, line);
            bits &= ~(UINT64_C(1) << bit);
            if (priority >= best)
                continue;
            best = priority;
            found = (int)line;
        }
    }
    return found;
}

int interrupts_next(const struct node *n, unsigned below)
{
    const struct interrupt_plan *p = plan_of(n);
    if (p->priorities || p->programmable || p->lines > 64)
        return first_by_priority(n, p, below);
    uint64_t bits = *interrupts_asking(n);
    return bits && below ? (int)first_in(p, bits) : INTERRUPT_NONE;
}

void interrupts_clear(struct node *n)
{
    memset(interrupts_asking(n), 0, words_of(plan_of(n)) * sizeof(uint64_t));
    n->state->asking = 0;
}

void interrupts_reset(struct node *n)
{
    const struct interrupt_plan *p = plan_of(n);
    interrupts_clear(n);
    for (unsigned i = 0; p->programmable && i < p->lines; i++)
        priorities_of(n)[i] = p->priorities ? p->priorities[i] : 0;
}

void interrupts_set_priority(struct node *n, unsigned line, unsigned priority)
{
    assert(plan_of(n)->programmable && line < plan_of(n)->lines && priority < INTERRUPT_ANY);
    priorities_of(n)[line] = (uint8_t)priority;
    n->cut = true; /* another line may be the most urgent now */
}
