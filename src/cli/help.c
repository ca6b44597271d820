/* motet help: the verbs, and what the man pages have in common with --help. */
#include <stdio.h>

#include "completion.h"
#include "option.h"
#include "sentence.h"

struct help_options {
    bool man;
    const char *shell; /* whose completion is printed, or NULL */
};

static bool set_man(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct help_options *)into)->man = true;
}

static bool help_set_completion(void *into, const char *text, struct motet_error *e)
{
    ((struct help_options *)into)->shell = text;
    return completion_is_shell(text) || sentence(e, "'%s' is none of bash, zsh and fish", text);
}

static const struct option options[] = {
    {"man", NULL,
     "prints as mdoc what man pages take from the program: a verb's synopsis and options, or the list of verbs",
     set_man},
    {"completion", "SHELL", "prints the file that lets bash, zsh or fish complete verbs and options of motet",
     help_set_completion},
    {NULL, NULL, NULL, NULL},
};

static void print_verbs(void)
{
    printf("usage: motet VERB [OPTION]... [FILE]\n"
           "       motet VERB --help\n"
           "       motet --version\n\n"
           "Motet runs microcontroller firmware, cycle by cycle, without the hardware.\n\n");
    for (size_t i = 0; verbs[i]; i++)
        printf("  %-14s%s\n", verbs[i]->name, verbs[i]->about);
    printf("\nFor example: motet run --board uno --for 10s firmware.elf\n");
}

/* For motet(1). */
static void print_verbs_man(void)
{
    printf(".Sh VERBS\n.Bl -tag -width disassemble\n");
    for (size_t i = 0; verbs[i]; i++)
        printf(".It Cm %s\n%s; see\n.Xr motet-%s 1 .\n", verbs[i]->name, verbs[i]->about, verbs[i]->name);
    printf(".El\n.Sh PAGES\n");
    for (size_t i = 0; verbs[i]; i++)
        printf(".Xr motet-%s 1%s\n", verbs[i]->name, verbs[i + 1] ? " ," : "");
}

static int help_run(const struct verb *v, int argc, char **argv)
{
    struct help_options o = {.man = false};
    const char *name = NULL;
    int status;
    if (!options_parse(v, argc, argv, &o, &name, 1, &status))
        return status;
    const struct verb *asked = name ? verb_named(name) : NULL;
    if (name && !asked)
        return complain("there is no verb '%s' to help with; see motet --help", name);
    if (o.shell)
        completion_print(o.shell);
    else if (o.man)
        asked ? options_man(asked) : print_verbs_man();
    else
        asked ? options_help(asked) : print_verbs();
    return 0;
}

extern const struct verb verb_help;
const struct verb verb_help = {
    .name = "help",
    .operands = "[VERB]",
    .about = "list the verbs, or explain one",
    .more = "Lists the verbs, or prints the options of one.",
    .options = options,
    .run = help_run,
};
