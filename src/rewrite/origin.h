/* Origin: which object files motet cc has made.
 *
 * Those have an empty section .motet.made. What others read from registers is not recorded, and their loops do not
 * count: a link has to say so, and to treat them as it does a library's.
 */
#ifndef REWRITE_ORIGIN_H
#define REWRITE_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

/* Adds the section to a file in assembly. */
bool origin_note(const char *assembly);

/* Adds the rewritten source to it, compressed, in a section that is not loaded (.motet.source): a native program is
 * made of it (native/source.h). `between` is where the compressed text may be written, until the assembly is assembled.
 */
bool origin_source(const char *assembly, const char *source, const char *between, const char *head);

/* Whether the object, or an object in the archive, has code that motet cc has not made; *member is then its name in the
 * archive, "" for an object. */
bool origin_is_other(const char *path, char *member, size_t size);

#endif
