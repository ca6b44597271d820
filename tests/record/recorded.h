/* Machines of recorded firmware, and the logs in their flash memory, for the tests that run it on one node. */
#ifndef RECORD_RECORDED_H
#define RECORD_RECORDED_H

#include <stddef.h>

struct chip;
struct chip_device;
struct device;
struct log;
struct machine;
struct motet_error;
struct node;

/* A chip other than the board's is the same one, watched; `log` replays a log. On an error the program ends. */
struct machine *recorded_machine(const char *path, const char *board, const struct chip *chip,
                                 const struct chip_device *log);

const struct device *recorded_flash(const struct machine *m);

/* The log in the first `pages` pages of the flash (0: all). NULL and an error if there is not one whole page. */
struct log *recorded_log(const struct node *n, size_t pages, struct motet_error *e);

#endif
