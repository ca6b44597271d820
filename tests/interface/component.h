/* A component and its surroundings, with calls of every shape over the boundary. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct point {
    int16_t x, y;
};

struct large {
    uint8_t bytes[12];
};

struct message {
    uint8_t length;
    const uint8_t *data;
    volatile bool busy;
};

/* inside */
uint16_t component_scalars(uint8_t a, int16_t b, uint32_t c, int8_t d, bool e, uint64_t f, uint16_t g, uint8_t h);
struct point component_turn(struct point p);
struct large component_fill(uint8_t first, struct large l, int16_t last);
void component_read(const uint8_t *data, uint8_t length);
bool component_poll(void);
uint16_t component_sum(void);
int16_t component_back(int16_t (*through)(int16_t value), int16_t value);
extern struct message component_message;

/* outside */
extern uint8_t outside_shared[4];
extern volatile uint16_t outside_count;
int16_t outside_twice(int16_t value);
void outside_send(struct message *m);
uint8_t *outside_buffer(void);
void outside_note(const char *text);
