/* Structures and unions of many sizes, passed and returned by value, copied and compared. */
#include <string.h>

#include "check.h"

#define SIZED(N)                                                                      \
    struct of##N {                                                                    \
        uint8_t b[N];                                                                 \
    };                                                                                \
    static distinct struct of##N make##N(uint8_t seed) {                              \
        struct of##N s;                                                               \
        for (uint8_t i = 0; i < N; i++)                                               \
            s.b[i] = seed + i * 7;                                                    \
        return s;                                                                     \
    } static distinct uint16_t sum##N(uint8_t before, struct of##N s, uint16_t after) \
    {                                                                                 \
        uint16_t all = before + after;                                                \
        for (uint8_t i = 0; i < N; i++)                                               \
            all += s.b[i];                                                            \
        return all;                                                                   \
    }                                                                                 \
    static void try##N(void)                                                          \
    {                                                                                 \
        struct of##N s = make##N(opaque((uint8_t)9)), copy = s;                       \
        uint16_t all = 1000 + 5;                                                      \
        for (uint8_t i = 0; i < N; i++)                                               \
            all += (uint8_t)(9 + i * 7);                                              \
        check(sum##N(5, copy, 1000) == all && memcmp(&s, &copy, N) == 0);             \
    }

SIZED(1)
SIZED(2)
SIZED(3)
SIZED(4)
SIZED(5)
SIZED(7)
SIZED(8)
SIZED(9)
SIZED(16)
SIZED(33)

struct node {
    int16_t key;
    struct node *left, *right;
};

static distinct struct node *insert(struct node *tree, struct node *n)
{
    if (!tree)
        return n;
    if (n->key < tree->key)
        tree->left = insert(tree->left, n);
    else
        tree->right = insert(tree->right, n);
    return tree;
}

static distinct int16_t walk(const struct node *tree, int16_t last, uint8_t *count)
{
    if (!tree)
        return last;
    last = walk(tree->left, last, count);
    check(tree->key >= last);
    ++*count;
    return walk(tree->right, tree->key, count);
}

union view {
    uint32_t whole;
    uint8_t bytes[4];
    float real;
};

int main(void)
{
    try1(), try2(), try3(), try4(), try5(), try7(), try8(), try9(), try16(), try33();
    static struct node nodes[40];
    struct node *tree = NULL;
    for (uint8_t i = 0; i < 40; i++) {
        nodes[i].key = (int16_t)check_random();
        tree = insert(tree, &nodes[i]);
    }
    uint8_t count = 0;
    walk(tree, INT16_MIN, &count);
    check(count == 40);
    union view v = {.real = opaque(-6.25f)};
    check(v.whole == 0xc0c80000 && v.bytes[3] == 0xc0 && v.bytes[0] == 0);
    exit(0);
}
