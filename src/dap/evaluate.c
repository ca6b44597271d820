/* Expressions, Motet's commands, completions, and messages of log points. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dap/arguments.h"
#include "dap/dap.h"
#include "dap/text.h"

/* ---- commands ---- */

/* The inspector's commands that only look, or set. What moves or stops belongs to the editor, which would not know. */
static bool evaluate_looks(const char *name)
{
    static const char *const looks[] = {"print", "x", "info", "list", "disassemble", "set", "frame"};
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++)
        if (strcmp(looks[i], name) == 0)
            return true;
    return false;
}

void evaluate_commands(motet_dap *d)
{
    struct motet_inspector_command is;
    size_t room = 0, number_room = 0;
    for (size_t i = 0; motet_inspector_command(i, &is); i++) {
        if (!evaluate_looks(is.name))
            continue;
        d->looks = memory_grow(d->looks, &room, d->look_count, sizeof *d->looks);
        d->look_numbers = memory_grow(d->look_numbers, &number_room, d->look_count, sizeof *d->look_numbers);
        d->looks[d->look_count] = (struct command){is.name, is.alias, is.arguments, is.help, NULL, false};
        d->look_numbers[d->look_count++] = i;
    }
    d->commands.more = d->looks;
    d->commands.more_count = d->look_count;
}

/* Obeys a line for a node and frame; what is said goes into the answer. */
static void evaluate_obey(motet_dap *d, const char *line, struct answer *a)
{
    char arguments[COMMANDS_LINE];
    motet_inspector_select(d->inspector, d->commands.node, d->commands.level);
    const struct command *is = commands_parse(&d->commands, line, arguments, a);
    if (!is)
        return;
    run_work(d);
    if (is->run) {
        is->run(&d->commands, arguments, a);
        return;
    }
    dap_flush(d, false);
    motet_inspector_obey(d->inspector, d->look_numbers[is - d->looks], arguments);
    answer_say(a, "%s", d->said.text ? d->said.text : "");
    answer_free(&d->said);
    d->said = (struct answer){.text = NULL};
}

static bool evaluate_command(motet_dap *d, const char *line, json_t *body, struct motet_error *e)
{
    struct answer a = {.text = NULL};
    uint32_t node = d->commands.node;
    evaluate_obey(d, line, &a);
    size_t length = a.text ? strlen(a.text) : 0;
    while (length && a.text[length - 1] == '\n')
        length--;
    bool refused = a.refused;
    if (refused)
        argument_error(e, "%.*s", (int)length, a.text ? a.text : "");
    json_object_set_new(body, "result", text_json(a.text ? a.text : "", length));
    json_object_set_new(body, "variablesReference", json_integer(0));
    if (a.moved) {
        d->ended = false;
        d->then = (struct dap_then){DAP_THEN_STOP, "goto", NULL, node};
    }
    answer_free(&a);
    return !refused;
}

/* The first word of a line is a command, by its name in full or its alias. */
static bool evaluate_is_command(motet_dap *d, const char *line)
{
    size_t length = strcspn(line, " /");
    const struct command *is;
    for (size_t i = 0; (is = commands_at(&d->commands, i)); i++)
        if ((strlen(is->name) == length && strncmp(is->name, line, length) == 0) ||
            (is->alias && strlen(is->alias) == length && strncmp(is->alias, line, length) == 0))
            return true;
    return false;
}

/* ---- expressions ---- */

/* What a variable has as its value, an evaluation has as its result. */
static void evaluate_result(json_t *body)
{
    json_object_set(body, "result", json_object_get(body, "value"));
    json_object_del(body, "value");
    json_object_del(body, "evaluateName");
}

/* Where the `=` of an assignment stands; NULL if the text is none. */
static const char *evaluate_assigns(const char *text)
{
    for (const char *at = strchr(text, '='); at && at > text; at = strchr(at + 2, '='))
        if (at[1] != '=' && !strchr("=!<>", at[-1]))
            return at;
        else if (!at[1])
            return NULL;
    return NULL;
}

/* "total = 5", as in C. */
static bool evaluate_assign(motet_dap *d, uint32_t node, size_t level, const char *text, char format, json_t *body,
                            struct motet_error *e)
{
    const char *equals = evaluate_assigns(text);
    char *place = memory_string(text);
    place[equals - text] = '\0';
    for (size_t n = strlen(place); n > 0 && place[n - 1] == ' '; n--)
        place[n - 1] = '\0';
    motet_variable *v = motet_variable_find(motet_timeline_node(d->timeline, node), level, place, e);
    free(place);
    if (!v || !variables_change(d, v, node, level, equals + 1, format, body, e))
        return false;
    evaluate_result(body);
    return true;
}

/* In the console a line may be an assignment or a command too: if it is no expression, or `monitor` comes before it. */
bool evaluate(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    const char *expression = NULL, *context = "repl";
    uint32_t node;
    size_t level;
    char format;
    if (!argument_needs(a, "expression", e) || !argument_text(a, "expression", &expression, e) ||
        !argument_text(a, "context", &context, e) || !look_frame(d, a, &node, &level, e) ||
        !variables_format(a, &format, e))
        return false;
    bool console = strcmp(context, "repl") == 0, forced = console && strncmp(expression, "monitor ", 8) == 0;
    d->commands.node = node;
    d->commands.level = level;
    expression += strspn(expression, " \t\r\n");
    motet_variable *v =
        forced ? NULL : motet_variable_find(motet_timeline_node(d->timeline, node), level, expression, e);
    if (v) {
        variables_describe(d, v, node, level, format, body);
        evaluate_result(body);
        return true;
    }
    bool command = forced || (console && evaluate_is_command(d, expression));
    if (!command && console && evaluate_assigns(expression))
        return evaluate_assign(d, node, level, expression, format, body, e);
    if (!command)
        return false;
    return evaluate_command(d, forced ? expression + 8 : expression, body, e);
}

void evaluate_expand(motet_dap *d, uint32_t node, const char *message, struct answer *a)
{
    char expression[DAP_TEXT], text[DAP_TEXT];
    struct motet_error e = {""};
    for (const char *end; *message; message = end) {
        const char *open = strchr(message, '{'), *close = open ? strchr(open, '}') : NULL;
        end = close ? close + 1 : message + strlen(message);
        answer_say(a, "%.*s", (int)((close ? open : end) - message), message);
        if (!close)
            continue;
        snprintf(expression, sizeof expression, "%.*s", (int)(close - open - 1), open + 1);
        motet_variable *v = motet_variable_find(motet_timeline_node(d->timeline, node), 0, expression, &e);
        if (v)
            motet_variable_text(v, 0, text, sizeof text);
        answer_say(a, v ? "%s" : "{%s}", v ? text : e.text);
        motet_variable_free(v);
    }
}

/* ---- completions ---- */

static void evaluate_offer(json_t *targets, const char *name, const char *kind, size_t start, size_t length)
{
    json_array_append_new(targets, json_pack("{s:s, s:s, s:I, s:I}", "label", name, "type", kind, "start",
                                             (json_int_t)start, "length", (json_int_t)length));
}

bool evaluate_complete(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    enum { EVALUATE_OFFERS = 100 };
    const char *text = NULL;
    int64_t column = 0;
    json_t *targets = json_array();
    uint32_t node;
    size_t level;
    json_object_set_new(body, "targets", targets);
    if (!argument_needs(a, "text", e) || !argument_text(a, "text", &text, e) ||
        !argument_number(a, "column", 0, INT32_MAX, &column, e) || !look_frame(d, a, &node, &level, e))
        return false;
    size_t end = (size_t)column - (column > 0 && !d->client->columns_from_0), start;
    end = end < strlen(text) ? end : strlen(text);
    for (start = end; start > 0 && (isalnum((unsigned char)text[start - 1]) || strchr("_-:", text[start - 1]));)
        start--;
    char *word = memory_string(text + start), *name;
    word[end - start] = '\0';
    const struct command *is;
    for (size_t i = 0; start == 0 && (is = commands_at(&d->commands, i)); i++)
        if (strncmp(is->name, word, strlen(word)) == 0)
            evaluate_offer(targets, is->name, "keyword", start, end - start);
    motet_inspector_select(d->inspector, node, level);
    for (size_t i = 0; i < EVALUATE_OFFERS && (name = motet_inspector_complete(d->inspector, word, i)); i++) {
        evaluate_offer(targets, name, "variable", start, end - start);
        free(name);
    }
    free(word);
    return true;
}
