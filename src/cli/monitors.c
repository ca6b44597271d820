/* motet monitors: what can watch a run. */
#include <stdio.h>

#include "motet/monitor.h"
#include "option.h"

static bool cli_monitors_set_json(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return *(bool *)into = true;
}

static const struct option options[] = {
    {"json", NULL, "prints the list as one line of JSON", cli_monitors_set_json},
    {NULL, NULL, NULL, NULL},
};

/* The texts of the tables have neither quotes nor backslashes in them. */
static void cli_monitors_print_json(void)
{
    struct motet_monitor_info m;
    struct motet_monitor_option o;
    const char *name, *about;
    putchar('[');
    for (size_t i = 0; motet_monitor(i, &m); i++) {
        printf("%s{\"name\": \"%s\", \"about\": \"%s\", \"options\": [", i ? ", " : "", m.name, m.about);
        for (size_t k = 0; motet_monitor_option(i, k, &o); k++)
            printf("%s{\"name\": \"%s\", \"argument\": \"%s\", \"about\": \"%s\"}", k ? ", " : "", o.name, o.argument,
                   o.about);
        printf("], \"formats\": [");
        for (size_t k = 0; motet_monitor_format(i, k, &name, &about); k++)
            printf("%s{\"name\": \"%s\", \"about\": \"%s\"}", k ? ", " : "", name, about);
        printf("]}");
    }
    printf("]\n");
}

static void print_list(void)
{
    struct motet_monitor_info m;
    struct motet_monitor_option o;
    const char *name, *about;
    for (size_t i = 0; motet_monitor(i, &m); i++) {
        printf("%s: %s\n", m.name, m.about);
        for (size_t k = 0; motet_monitor_option(i, k, &o); k++) {
            char left[80];
            snprintf(left, sizeof left, "%s=%s", o.name, o.argument);
            printf("    %-18s %s\n", left, o.about);
        }
        for (size_t k = 0; motet_monitor_format(i, k, &name, &about); k++)
            printf("    format=%-11s %s\n", name, about);
    }
}

static int cli_monitors_run(const struct verb *v, int argc, char **argv)
{
    bool json = false;
    int status;
    if (!options_parse(v, argc, argv, &json, NULL, 0, &status))
        return status;
    if (json)
        cli_monitors_print_json();
    else
        print_list();
    return 0;
}

extern const struct verb verb_monitors;
const struct verb verb_monitors = {
    .name = "monitors",
    .operands = "",
    .about = "list the monitors that can watch a run",
    .more =
        "Lists the monitors that motet run --monitor knows, with their options and the formats they are written in.",
    .options = options,
    .run = cli_monitors_run,
};
