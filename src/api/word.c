/* The nearest to a mistyped word. */
#include <string.h>

#include "base/nearest.h"
#include "motet/motet.h"

enum { WORD_FAR = 64 };

const char *motet_word_nearer(const char *word, const char *best, const char *candidate)
{
    size_t length = strlen(word);
    unsigned distance = nearest_distance(word, candidate, WORD_FAR);
    bool prefix = length >= 2 && strncmp(word, candidate, length) == 0;
    if (distance > nearest_slips(length) && !prefix)
        return best;
    return !best || distance < nearest_distance(word, best, WORD_FAR) ? candidate : best;
}
