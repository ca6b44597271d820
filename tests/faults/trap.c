/* Goes wrong in the way that `which` says, where a build with -fsanitize=bounds,null in trap mode notices. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

struct table {
    uint8_t rows[10];
    struct table *next;
    int values[300];
    uint8_t only[1];
};

volatile uint8_t which;
static struct table table = {.next = &table};
static volatile uint8_t sink;

/* The checks of one function share a trap. */
static __attribute__((noinline)) void fill(struct table *t, uint8_t row, int value)
{
    t->rows[row] = 1;
    t->values[value] = 2;
    t->next->rows[row] = 3;
}

static __attribute__((noinline)) void single(int at)
{
    sink = table.only[at];
}

static __attribute__((noinline)) uint8_t follow(const uint8_t *p)
{
    return *p;
}

static __attribute__((noinline)) void give_up(uint8_t why)
{
    if (why > 5)
        abort();
}

static __attribute__((noinline)) void expect(uint8_t why)
{
    assert(why != 7);
}

static void go_wrong(uint8_t way)
{
    static struct table last;
    switch (way) {
    case 1: fill(&table, 12, 0); break;
    case 2: fill(&table, 9, 300); break;
    case 3: fill(&table, 9, -2); break;
    case 4: fill(NULL, 1, 1); break;
    case 5: fill(&last, 1, 1); break;
    case 6: single(3); break;
    case 7: sink = follow(NULL); break;
    case 8: give_up(6); break;
    case 9: expect(7); break;
    default:
        fill(&table, 9, 299);
        single(0);
        sink = follow(&table.rows[0]);
        give_up(5);
        expect(6);
    }
}

int main(void)
{
    go_wrong(which);
    return 0;
}
