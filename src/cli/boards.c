/* motet boards: what there is to run on. */
#include <inttypes.h>
#include <stdio.h>

#include "option.h"

static bool boards_set_json(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return *(bool *)into = true;
}

static const struct option options[] = {
    {"json", NULL, "prints the list as one line of JSON", boards_set_json},
    {NULL, NULL, NULL, NULL},
};

static void boards_print_json(void)
{
    struct motet_board_info b;
    putchar('[');
    for (size_t i = 0; motet_board(i, &b); i++) {
        printf("%s{\"name\": \"%s\", ", i ? ", " : "", b.name);
        if (b.alias)
            printf("\"alias\": \"%s\", ", b.alias);
        printf("\"kind\": \"%s\", \"chip\": \"%s\", \"instruction_set\": \"%s\", \"hz\": %" PRIu64 "}",
               b.is_chip ? "chip" : "board", b.chip, b.instruction_set, b.hz);
    }
    printf("]\n");
}

static void print_table(void)
{
    struct motet_board_info b;
    printf("%-12s %-12s %-12s %-6s %s\n", "name", "also called", "chip", "set", "clock");
    for (size_t i = 0; motet_board(i, &b); i++)
        printf("%-12s %-12s %-12s %-6s %g MHz%s\n", b.name, b.alias ? b.alias : "", b.is_chip ? "(bare)" : b.chip,
               b.instruction_set, (double)b.hz / 1e6, b.own_clock ? " (its own)" : "");
}

static int boards_run(const struct verb *v, int argc, char **argv)
{
    bool json = false;
    int status;
    if (!options_parse(v, argc, argv, &json, NULL, 0, &status))
        return status;
    if (json)
        boards_print_json();
    else
        print_table();
    return 0;
}

extern const struct verb verb_boards;
const struct verb verb_boards = {
    .name = "boards",
    .operands = "",
    .about = "list the boards and chips",
    .more = "Lists the boards and the bare chips that --board knows.",
    .options = options,
    .run = boards_run,
};
