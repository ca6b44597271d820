#include "completion.h"

#include <stdio.h>
#include <string.h>

#include "motet/monitor.h"
#include "option.h"

/* What the argument of an option, or an operand, is completed with. */
enum completion_kind {
    COMPLETION_NOTHING, /* a number, a name of the firmware's */
    COMPLETION_FILE,
    COMPLETION_FOLDER,
    COMPLETION_BOARD,
    COMPLETION_MONITOR,
    COMPLETION_VERB,
};

static enum completion_kind completion_of_word(const char *word)
{
    static const struct {
        const char *word;
        enum completion_kind kind;
    } known[] = {
        {"FILE", COMPLETION_FILE}, {"FIRMWARE", COMPLETION_FILE}, {"LOG", COMPLETION_FILE},
        {"PLAN", COMPLETION_FILE}, {"FOLDER", COMPLETION_FOLDER}, {"BOARD", COMPLETION_BOARD},
        {"VERB", COMPLETION_VERB},
    };
    size_t length = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].word) == length && strncmp(word, known[i].word, length) == 0)
            return known[i].kind;
    return COMPLETION_NOTHING;
}

/* By how help names it. A prefix that may be left out, such as [NODE:], does not count. */
static enum completion_kind completion_of_argument(const struct option *o)
{
    const char *word = o->argument, *close = word && *word == '[' ? strchr(word, ']') : NULL;
    if (word && strcmp(o->name, "monitor") == 0)
        return COMPLETION_MONITOR;
    return word ? completion_of_word(close ? close + 1 : word) : COMPLETION_NOTHING;
}

/* All operands of a verb are of one kind; a verb that takes a compiler's command gets files. */
static enum completion_kind completion_of_operands(const struct verb *v)
{
    const char *word = v->operands + strspn(v->operands, "[");
    return !*word                                        ? COMPLETION_NOTHING
           : completion_of_word(word) == COMPLETION_VERB ? COMPLETION_VERB
                                                         : COMPLETION_FILE;
}

static void completion_words(enum completion_kind kind)
{
    struct motet_board_info board;
    struct motet_monitor_info monitor;
    for (size_t i = 0; kind == COMPLETION_BOARD && motet_board(i, &board); i++)
        printf("%s%s", i ? " " : "", board.name);
    for (size_t i = 0; kind == COMPLETION_MONITOR && motet_monitor(i, &monitor); i++)
        printf("%s%s", i ? " " : "", monitor.name);
    for (size_t i = 0; kind == COMPLETION_VERB && verbs[i]; i++)
        printf("%s%s", i ? " " : "", verbs[i]->name);
}

/* The first clause of a description, with a backslash before these characters. A quote ends a string of a shell: it is
 * left out. */
static void completion_about(const char *about, const char *special)
{
    for (const char *c = about; *c && !(strchr(".;:", *c) && (c[1] == ' ' || !c[1])); c++)
        if (*c != '\'')
            printf("%s%c", strchr(special, *c) ? "\\" : "", *c);
}

/* ---- bash ---- */

/* After an option: what its argument is completed with, or nothing at all. */
static void completion_bash_argument(const struct verb *v, const struct option *o)
{
    enum completion_kind kind = completion_of_argument(o);
    printf("    %s:--%s) ", v->name, o->name);
    if (kind == COMPLETION_FILE || kind == COMPLETION_FOLDER) {
        printf("_motet_files -%c; return ;;\n", kind == COMPLETION_FILE ? 'f' : 'd');
    } else if (kind == COMPLETION_NOTHING) {
        printf("return ;;\n");
    } else {
        printf("words=\"");
        completion_words(kind);
        printf("\" ;;\n");
    }
}

static void completion_bash_verb(const struct verb *v)
{
    enum completion_kind operands = completion_of_operands(v);
    printf("    %s)\n        words=\"--help", v->name);
    for (const struct option *o = NULL; (o = options_after(v, o));)
        printf(" --%s", o->name);
    printf("\"\n");
    if (operands == COMPLETION_FILE) {
        printf("        [[ $word == -* ]] || { _motet_files -f; return; }\n");
    } else if (operands == COMPLETION_VERB) {
        printf("        [[ $word == -* ]] || words=\"");
        completion_words(operands);
        printf("\"\n");
    }
    printf("        ;;\n");
}

static void completion_bash(void)
{
    printf(
        "# Completion of motet for bash, made by: motet help --completion bash\n"
        "_motet_files()\n{\n    compopt -o filenames\n    mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$word\")\n}\n\n"
        "_motet()\n{\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=\n"
        "    COMPREPLY=()\n"
        "    [[ $word == = ]] && word=                                  # --option=\n"
        "    [[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD - 2]} # --option=value\n"
        "    if [[ $COMP_CWORD -eq 1 ]]; then\n        mapfile -t COMPREPLY < <(compgen -W \"");
    completion_words(COMPLETION_VERB);
    printf(" --help --version\" -- \"$word\")\n        return\n    fi\n"
           "    case ${COMP_WORDS[1]}:$before in\n");
    for (size_t i = 0; verbs[i]; i++)
        for (const struct option *o = NULL; (o = options_after(verbs[i], o));)
            if (o->argument)
                completion_bash_argument(verbs[i], o);
    printf("    esac\n    [[ $words ]] || case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; verbs[i]; i++)
        completion_bash_verb(verbs[i]);
    printf("    esac\n    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n}\n\n"
           "complete -F _motet motet\n");
}

/* ---- zsh ---- */

static void completion_zsh_values(enum completion_kind kind)
{
    if (kind == COMPLETION_FILE || kind == COMPLETION_FOLDER) {
        printf("_files%s", kind == COMPLETION_FOLDER ? " -/" : "");
    } else if (kind == COMPLETION_NOTHING) {
        printf(" ");
    } else {
        printf("(");
        completion_words(kind);
        printf(")");
    }
}

static void completion_zsh_verb(const struct verb *v)
{
    enum completion_kind operands = completion_of_operands(v);
    printf("    %s)\n        _arguments \\\n", v->name);
    for (const struct option *o = NULL; (o = options_after(v, o));) {
        printf("            '*--%s%s[", o->name, o->argument ? "=" : "");
        completion_about(o->about, "[]:\\");
        printf("]");
        if (o->argument) {
            printf(":value:");
            completion_zsh_values(completion_of_argument(o));
        }
        printf("' \\\n");
    }
    printf("            '--help[prints a summary of the options]'");
    if (operands != COMPLETION_NOTHING) {
        printf(" \\\n            '*:operand:");
        completion_zsh_values(operands);
        printf("'");
    }
    printf("\n        ;;\n");
}

static void completion_zsh(void)
{
    printf("#compdef motet\n# Completion of motet for zsh, made by: motet help --completion zsh\n\n"
           "_motet() {\n    local -a verbs\n    verbs=(\n");
    for (size_t i = 0; verbs[i]; i++) {
        printf("        '%s:", verbs[i]->name);
        completion_about(verbs[i]->about, ":\\");
        printf("'\n");
    }
    printf("    )\n    if (( CURRENT == 2 )); then\n        _describe verb verbs\n"
           "        _arguments '--help[lists the verbs]' '--version[prints the version]'\n        return\n    fi\n"
           "    shift words\n    (( CURRENT-- ))\n    case $words[1] in\n");
    for (size_t i = 0; verbs[i]; i++)
        completion_zsh_verb(verbs[i]);
    printf("    esac\n}\n\n_motet \"$@\"\n");
}

/* ---- fish ---- */

static void completion_fish_option(const struct verb *v, const struct option *o)
{
    enum completion_kind kind = completion_of_argument(o);
    printf("complete -c motet -n '__fish_seen_subcommand_from %s' -l %s", v->name, o->name);
    if (kind == COMPLETION_FILE) {
        printf(" -r -F");
    } else if (kind == COMPLETION_FOLDER) {
        printf(" -x -a '(__fish_complete_directories)'");
    } else if (o->argument) {
        printf(" -x -a '");
        completion_words(kind);
        printf("'");
    }
    printf(" -d '");
    completion_about(o->about, "\\");
    printf("'\n");
}

static void completion_fish(void)
{
    printf("# Completion of motet for fish, made by: motet help --completion fish\n"
           "complete -c motet -f\n"
           "complete -c motet -n __fish_use_subcommand -l help -d 'lists the verbs'\n"
           "complete -c motet -n __fish_use_subcommand -l version -d 'prints the version'\n");
    for (size_t i = 0; verbs[i]; i++) {
        const struct verb *v = verbs[i];
        enum completion_kind operands = completion_of_operands(v);
        printf("complete -c motet -n __fish_use_subcommand -a %s -d '", v->name);
        completion_about(v->about, "\\");
        printf("'\n");
        for (const struct option *o = NULL; (o = options_after(v, o));)
            completion_fish_option(v, o);
        printf("complete -c motet -n '__fish_seen_subcommand_from %s' -l help -d 'prints a summary of the options'\n",
               v->name);
        if (operands == COMPLETION_FILE)
            printf("complete -c motet -n '__fish_seen_subcommand_from %s' -F\n", v->name);
        if (operands == COMPLETION_VERB) {
            printf("complete -c motet -n '__fish_seen_subcommand_from %s' -a '", v->name);
            completion_words(operands);
            printf("'\n");
        }
    }
}

/* ---- all of them ---- */

static const struct completion_shell {
    const char *name;
    void (*print)(void);
} completion_shells[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}, {NULL, NULL}};

static const struct completion_shell *completion_shell_named(const char *name)
{
    const struct completion_shell *s = completion_shells;
    while (s->name && strcmp(s->name, name) != 0)
        s++;
    return s->name ? s : NULL;
}

bool completion_is_shell(const char *name)
{
    return completion_shell_named(name) != NULL;
}

void completion_print(const char *shell)
{
    completion_shell_named(shell)->print();
}
