#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

unsigned nearest_distance(const char *a, const char *b, unsigned limit)
{
    enum { LONGEST = 63 };
    size_t rows = strlen(a), columns = strlen(b);
    if (rows > LONGEST || columns > LONGEST)
        return limit + 1;
    unsigned d[3][LONGEST + 1];
    for (size_t c = 0; c <= columns; c++)
        d[0][c] = (unsigned)c;
    for (size_t r = 1; r <= rows; r++) {
        unsigned *row = d[r % 3], *up = d[(r - 1) % 3], *up2 = d[(r + 1) % 3];
        row[0] = (unsigned)r;
        for (size_t c = 1; c <= columns; c++) {
            unsigned best = up[c - 1] + ((a[r - 1] | 0x20) != (b[c - 1] | 0x20));
            best = up[c] + 1 < best ? up[c] + 1 : best;
            best = row[c - 1] + 1 < best ? row[c - 1] + 1 : best;
            if (r > 1 && c > 1 && a[r - 1] == b[c - 2] && a[r - 2] == b[c - 1] && up2[c - 2] + 1 < best)
                best = up2[c - 2] + 1;
            row[c] = best;
        }
    }
    unsigned result = d[rows % 3][columns];
    return result < limit ? result : limit + (result > limit);
}

unsigned nearest_slips(size_t length)
{
    return length < 4 ? 1 : length < 8 ? 2 : 3;
}

void nearest_offer(struct nearest *n, const char *name)
{
    size_t length = strlen(n->wanted);
    unsigned limit = nearest_slips(length), d = nearest_distance(n->wanted, name, limit);
    if (d > limit && length >= 3 && strstr(name, n->wanted))
        d = limit; /* part of a longer name */
    if (d > limit || !name[0])
        return;
    size_t room = sizeof n->found / sizeof n->found[0], at = n->count;
    for (size_t k = 0; k < n->count; k++)
        if (strcmp(n->found[k], name) == 0)
            return;
    while (at > 0 && n->distance[at - 1] > d)
        at--;
    if (at == room)
        return;
    if (n->count < room)
        n->count++;
    for (size_t k = n->count - 1; k > at; k--) {
        n->found[k] = n->found[k - 1];
        n->distance[k] = n->distance[k - 1];
    }
    n->found[at] = name;
    n->distance[at] = d;
}

void nearest_suggest(const struct nearest *n, struct motet_error *e)
{
    size_t used = strlen(e->text);
    for (size_t k = 0; k < n->count && k < 3 && used < sizeof e->text; k++) {
        const char *before = k == 0 ? "; did you mean" : k + 1 < n->count && k < 2 ? "," : " or";
        used += (size_t)snprintf(e->text + used, sizeof e->text - used, "%s `%s`", before, n->found[k]);
    }
    if (n->count && used < sizeof e->text - 1)
        snprintf(e->text + used, sizeof e->text - used, "?");
}
