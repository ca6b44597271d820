/* Compilation databases: compile_commands.json, a list of compiler commands, each with the folder it runs in.
 *
 * Invariant: the commands are those of the file, in its order; of several for one source (for several programs that
 * share it) the first.
 */
#ifndef IR_DATABASE_H
#define IR_DATABASE_H

#include "rewrite/command.h"

struct database_entry {
    char *folder;
    char **words;
    size_t count, room;
    struct command command;
};

struct database {
    struct database_entry *entries;
    size_t count, room;
};

bool database_load(struct database *d, const char *path, struct motet_error *e);
void database_free(struct database *d);

#endif
