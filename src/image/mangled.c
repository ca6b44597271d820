/* C++ names as a person writes them, without their parameters: `_ZN14HardwareSerial5writeEh` is
 * `HardwareSerial::write`. Of the Itanium ABI's mangling (5.1) only what Arduino's libraries need is known: names,
 * namespaces, classes, constructors and destructors. */
#include "image/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct demangled {
    char *text;
    size_t size, used, last; /* where the last part begins */
};

static bool part_add(struct demangled *d, const char *prefix, const char *part, size_t length)
{
    size_t needed = strlen(prefix) + length + (d->used ? 2 : 0);
    if (needed >= d->size - d->used)
        return false;
    if (d->used)
        d->used += (size_t)sprintf(d->text + d->used, "::");
    d->last = d->used;
    d->used += (size_t)sprintf(d->text + d->used, "%s%.*s", prefix, (int)length, part);
    return true;
}

/* <length> <name>, a constructor (C1 to C3) or a destructor (D0 to D2). Returns where it ends, or NULL. */
static const char *part_read(struct demangled *d, const char *c)
{
    if ((c[0] == 'C' || c[0] == 'D') && isdigit((unsigned char)c[1]) && d->used) {
        char class[128];
        if (d->used - d->last >= sizeof class)
            return NULL;
        snprintf(class, sizeof class, "%s", d->text + d->last);
        return part_add(d, c[0] == 'D' ? "~" : "", class, strlen(class)) ? c + 2 : NULL;
    }
    size_t length = 0;
    for (; isdigit((unsigned char)*c) && length < 1000; c++)
        length = length * 10 + (size_t)(*c - '0');
    if (length == 0 || strnlen(c, length) < length || !part_add(d, "", c, length))
        return NULL;
    return c + length;
}

bool mangled_read(const char *mangled, char *text, size_t size)
{
    struct demangled d = {.text = text, .size = size};
    if (strncmp(mangled, "_Z", 2) != 0)
        return false;
    const char *c = mangled + 2;
    if (*c != 'N') {
        c = part_read(&d, c);
        return c && *c != 'I'; /* 'I' opens the arguments of a template */
    }
    for (c += 1 + (c[1] == 'K'); *c != 'E';) {
        c = part_read(&d, c);
        if (!c)
            return false;
    }
    return d.used > 0;
}
