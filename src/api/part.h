/* Parts from outside: loaded, checked and wired for one machine (motet/part.h).
 *
 * Invariant: a part that is loaded keeps nothing that changes but its state, as far as its file shows; its table is
 * sound; each of its legs has one place that the chip could have. Whether the chip has that bus or pin is checked when
 * the machine is built (node/wiring.h).
 */
#ifndef API_PART_H
#define API_PART_H

#include "base/digest.h"
#include "base/error.h"
#include "chip/chip.h"
#include "part/outside.h"

enum { PART_LIMIT = 32 }; /* of one machine */

struct part {
    struct outside outside;
    struct shared_object *object;
    char *wish; /* FILE:LEG,... */
    char *name; /* of the device */
    struct digest digest;
};

struct part_list {
    struct part *parts[PART_LIMIT];
    struct chip_device devices[PART_LIMIT]; /* the same, for machine_options */
    size_t count;
};

/* Loads a part as a wish says, FILE:LEG,LEG,... The digest is that of the file; NULL: of any. */
bool part_add(struct part_list *l, const char *wish, const struct digest *digest, const struct chip *chip,
              struct motet_error *e);

/* All of them; NULL with a sentence. To be freed after the machine. */
struct part_list *part_list_new(const char *const *wishes, size_t count, const struct chip *chip,
                                struct motet_error *e);
void part_list_free(struct part_list *l); /* NULL is allowed */

/* The length of the path at the beginning of a wish. */
size_t part_path_length(const char *wish);

/* The three below say what is wrong as the rest of a sentence that begins with "the part PATH". */

/* part_file.c: the digest of a file. False if it cannot be a part: it cannot be read, has variables of its own, or
 * calls what is different in every run. Nothing of it is executed. */
bool part_file_check(const char *path, struct digest *digest, struct motet_error *e);

/* part_table.c: whether a table is sound. */
bool part_table_check(const struct motet_part *t, struct motet_error *e);

/* part_legs.c: connects the legs of a checked table as the rest of a wish says, and sets the parameters. */
bool part_legs_read(struct outside *p, const char *text, const struct chip *chip, struct motet_error *e);

#endif
