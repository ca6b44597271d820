/* Variables of every kind of type, for tests/unit/debug.c. Compiled for AVR (gcc) and MSP430 (clang), so free of both.
 */
#include <stdbool.h>
#include <stdint.h>

#define KEPT __attribute__((used))

enum link { LINK_DOWN, LINK_UP, LINK_LOST = -2 };
typedef enum { RED = 1, GREEN = 2, BLUE = 4 } color_t;

struct route {
    uint8_t parent;
    uint16_t etx;
    enum link link;
};

struct flags {
    uint8_t ready : 1;
    uint8_t channel : 5;
    int8_t bias : 2;
    uint16_t wide : 11;
    color_t color : 3;
};

struct node {
    struct node *next;
    int16_t value;
};

typedef struct {
    char name[8];
    union {
        uint32_t word;
        uint8_t bytes[4];
    };
    struct {
        int8_t x, y;
    } at;
} point_t;

typedef struct node node_t;
typedef uint8_t (*handler_t)(uint16_t, node_t *);

uint8_t answer(uint16_t n, node_t *list);
uint8_t answer(uint16_t n, node_t *list)
{
    static uint16_t calls KEPT = 7;
    calls += n;
    return (uint8_t)(list->value + (int16_t)calls);
}

struct route table[3] KEPT = {{1, 10, LINK_UP}, {2, 300, LINK_DOWN}, {3, 65535, LINK_LOST}};
struct flags flags KEPT = {.ready = 1, .channel = 26, .bias = -1, .wide = 1999, .color = BLUE};
static node_t second KEPT = {0, -22};
node_t first KEPT = {&second, 11};
node_t *head KEPT = &first;
node_t *nothing KEPT;
point_t point KEPT = {"ab\n\"c", {0x04030201}, {-1, 2}};
int16_t grid[2][3] KEPT = {{1, 2, 3}, {4, 5, 6}};
const volatile uint8_t row KEPT = 1;
bool done KEPT = true;
char letter KEPT = 'x';
float ratio KEPT = 1.5f;
int64_t big KEPT = -5000000000;
uint32_t many[20] KEPT = {9};
handler_t handler KEPT = answer;
handler_t handlers[2] KEPT = {answer};
int16_t (*line)[3] KEPT = &grid[1];
enum link state KEPT = LINK_LOST;
static uint8_t hidden KEPT = 3;
struct opaque;
struct opaque *unknown KEPT;

int main(void)
{
    for (;;)
        hidden += handler((uint16_t)ratio, head);
}
