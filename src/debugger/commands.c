#include "debugger/commands.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debugger/internal.h"
#include "motet/amount.h"

/* ---- what commands share ---- */

const motet_node *commands_node(const struct commands *c)
{
    return motet_timeline_node(c->timeline, c->node);
}

double commands_seconds(uint64_t time)
{
    return (double)time / (double)MOTET_SECOND;
}

const char *commands_standing(const struct commands *c, uint32_t number)
{
    const motet_node *n = motet_timeline_node(c->timeline, number);
    return motet_node_exit(n)                             ? "ended"
           : !motet_timeline_powered(c->timeline, number) ? "off"
           : motet_node_sleeping(n)                       ? "asleep"
                                                          : "running";
}

static bool commands_find_node(const struct commands *c, const char *id, uint32_t *node, struct answer *a)
{
    char *end;
    unsigned long wanted = strtoul(id, &end, 10);
    for (uint32_t i = 0; isdigit((unsigned char)*id) && !*end && i < motet_timeline_count(c->timeline); i++)
        if (motet_node_id(motet_timeline_node(c->timeline, i)) == wanted) {
            *node = i;
            return true;
        }
    return answer_refuse(a, "there is no node '%s'; see nodes", id);
}

bool commands_take_node(const struct commands *c, const char *arguments, bool all, char what[COMMANDS_TEXT],
                        uint32_t *node, struct answer *a)
{
    char id[24] = "";
    size_t digits = strspn(arguments, "0123456789");
    *node = c->node;
    if (digits && digits < sizeof id && arguments[digits] == ':' && arguments[digits + 1] != ':') {
        memcpy(id, arguments, digits);
        arguments += digits + 1;
    }
    snprintf(what, COMMANDS_TEXT, "%s", arguments);
    char *word = strncmp(what, "node ", 5) == 0 ? what : strstr(what, " node ");
    if (word) {
        const char *behind = word + 5 + strspn(word + 5, " ");
        snprintf(id, sizeof id, "%s", behind);
        *word = 0;
    }
    for (size_t n = strlen(what); n > 0 && what[n - 1] == ' '; n--)
        what[n - 1] = 0;
    if (all && strcmp(id, "*") == 0) {
        *node = COMMANDS_ALL;
        return true;
    }
    return !id[0] || commands_find_node(c, id, node, a);
}

bool commands_take_number(const char *text, uint64_t limit, uint64_t otherwise, uint64_t *number, struct answer *a)
{
    struct motet_error e;
    *number = otherwise;
    if (!*text || motet_read_number(text, limit, number, &e))
        return true;
    return answer_refuse(a, "%s", e.text);
}

/* ---- the table ---- */

static void commands_help(struct commands *c, const char *arguments, struct answer *a);

static const struct command shared[] = {
    {"when", NULL, "", "the time, and where the CPU is", commands_when, false},
    {"seek", NULL, "TIME", "goes there, forward or backward (12.5s, 300ms, @160000 is a tick of the node)",
     commands_seek, false},
    {"checkpoint", NULL, "", "remembers this moment", commands_checkpoint, false},
    {"restart", NULL, "[NUMBER]", "goes to the beginning, or to a checkpoint", commands_restart, false},
    {"last-write", NULL, "EXPRESSION|ADDRESS [node ID]", "which code wrote it last, when, and what it wrote",
     commands_last_write, false},
    {"nodes", NULL, "", "all nodes: board, what they do, where they are, firmware", commands_nodes, false},
    {"where", "bt", "[COUNT] [node ID|node *]", "the calls that led to where a node is; also backtrace", commands_where,
     false},
    {"backtrace", NULL, NULL, NULL, commands_where, false},
    {"packets", NULL, "[COUNT] [known]",
     "the last transmissions up to now; what is not known after a jump is executed again, but not with known",
     commands_packets, false},
    {"parts", NULL, "[NAME] [node ID]", "parts from outside: how they are wired, and the bytes of their state",
     commands_parts, false},
    {"send", NULL, "PORT TEXT", "bytes for a serial port of the node", commands_send, false},
    {"pin", NULL, "PIN=LEVEL", "drives a pin of the node from outside (0, 1, z, up, down)", commands_pin, false},
    {"reset", NULL, "", "resets the node, as by its reset pin", commands_reset, false},
    {"history", NULL, "", "the digest of the state, and what is kept for going back", commands_history, false},
    {"save", NULL, "FILE", "the run up to here, for motet open", commands_save, false},
    {"help", "h", "[COMMAND]", "this list, or what a command does", commands_help, false},
};
enum { SHARED = sizeof shared / sizeof shared[0] };

const struct command *commands_at(const struct commands *c, size_t number)
{
    if (number < c->more_count)
        return &c->more[number];
    return number - c->more_count < SHARED ? &shared[number - c->more_count] : NULL;
}

static bool commands_is_called(const struct command *c, const char *word)
{
    return strcmp(c->name, word) == 0 || (c->alias && strcmp(c->alias, word) == 0);
}

/* By name or alias; else the only one that begins so, or the one that all others that begin so begin with (step
 * before stepi). NULL, with a message, if there is none. */
static const struct command *commands_find(const struct commands *c, const char *word, struct answer *a)
{
    const struct command *found = NULL, *other;
    bool several = false;
    for (size_t i = 0; (other = commands_at(c, i)); i++)
        if (commands_is_called(other, word))
            return other;
    for (size_t i = 0; (other = commands_at(c, i)); i++) {
        if (!*word || strncmp(other->name, word, strlen(word)) != 0)
            continue;
        found = found && strlen(found->name) <= strlen(other->name) ? found : other;
    }
    if (!found) {
        answer_refuse(a, "there is no command '%s'; see help", word);
        return NULL;
    }
    for (size_t i = 0; (other = commands_at(c, i)); i++)
        several |= strncmp(other->name, word, strlen(word)) == 0 &&
                   strncmp(other->name, found->name, strlen(found->name)) != 0;
    if (!several)
        return found;
    answer_say(a, "'%s' is short for several:", word);
    for (size_t i = 0; (other = commands_at(c, i)); i++)
        if (strncmp(other->name, word, strlen(word)) == 0)
            answer_say(a, " %s", other->name);
    answer_refuse(a, "%s", "");
    return NULL;
}

static void commands_say_help(const struct command *is, struct answer *a)
{
    answer_row(a);
    answer_text(a, "name", is->name);
    answer_text(a, "arguments", is->arguments);
    answer_text(a, "help", is->help);
    answer_say(a, "%s%s%s: %s", is->name, *is->arguments ? " " : "", is->arguments, is->help);
    if (is->alias)
        answer_say(a, " (%s)", is->alias);
    answer_say(a, "\n");
}

static void commands_help(struct commands *c, const char *arguments, struct answer *a)
{
    const struct command *is = *arguments ? commands_find(c, arguments, a) : NULL;
    if (*arguments && !is)
        return;
    for (size_t i = 0; !is && commands_at(c, i); i++)
        if (commands_at(c, i)->help)
            commands_say_help(commands_at(c, i), a);
    while (is && !is->help) /* a second name */
        is--;
    if (is)
        commands_say_help(is, a);
}

const struct command *commands_parse(const struct commands *c, const char *line, char arguments[COMMANDS_LINE],
                                     struct answer *a)
{
    char word[40];
    size_t length = 0;
    line += strspn(line, " \t");
    while (isalpha((unsigned char)line[length]) || line[length] == '-')
        length++;
    length = length ? length : strcspn(line, " ");
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), line);
    line += length;
    snprintf(arguments, COMMANDS_LINE, "%s", line + strspn(line, " \t"));
    for (size_t n = strlen(arguments); n > 0 && isspace((unsigned char)arguments[n - 1]); n--)
        arguments[n - 1] = 0;
    return commands_find(c, word, a);
}

void commands_obey(struct commands *c, const char *line, struct answer *a)
{
    char arguments[COMMANDS_LINE];
    const struct command *is = commands_parse(c, line, arguments, a);
    if (is)
        is->run(c, arguments, a);
}
