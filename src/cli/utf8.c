#include "utf8.h"

#include <stdbool.h>

unsigned utf8_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    unsigned length = *s < 0x80                 ? 1
                      : *s >= 0xc2 && *s < 0xe0 ? 2
                      : *s >= 0xe0 && *s < 0xf0 ? 3
                      : *s >= 0xf0 && *s < 0xf5 ? 4
                                                : 0;
    for (unsigned i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool longer = (*s == 0xe0 && s[1] < 0xa0) || (*s == 0xf0 && s[1] < 0x90); /* than the character needs */
    bool surrogate = *s == 0xed && s[1] >= 0xa0, beyond = *s == 0xf4 && s[1] >= 0x90;
    return longer || surrogate || beyond ? 0 : length;
}
