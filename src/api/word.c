/* Names close to a mistyped one. */
#include "motet/motet.h"

#include <string.h>

enum { WORD_LIMIT = 32 };

static unsigned word_least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned word_distance(const char *a, const char *b)
{
    size_t m = strnlen(a, WORD_LIMIT + 1), n = strnlen(b, WORD_LIMIT + 1);
    unsigned d[WORD_LIMIT + 1][WORD_LIMIT + 1];
    if (m > WORD_LIMIT || n > WORD_LIMIT)
        return WORD_LIMIT;
    for (size_t i = 0; i <= m; i++)
        for (size_t j = 0; j <= n; j++) {
            if (!i || !j) {
                d[i][j] = (unsigned)(i + j);
                continue;
            }
            unsigned change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = word_least(change, 1 + word_least(d[i - 1][j], d[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = word_least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[m][n];
}

const char *motet_word_nearer(const char *word, const char *best, const char *candidate)
{
    size_t length = strlen(word);
    unsigned allowed = length < 4 ? 1 : length < 8 ? 2 : 3, distance = word_distance(word, candidate);
    bool prefix = length >= 2 && strncmp(word, candidate, length) == 0;
    if (distance > allowed && !prefix)
        return best;
    return !best || distance < word_distance(word, best) ? candidate : best;
}
