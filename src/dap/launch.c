/* Attributes of a launch request, as words of a command line: what `motet debug` has as an option, an editor has as an
 * attribute of the same name. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dap/arguments.h"
#include "dap/client.h"

/* Attributes that are no options: ours, and those that editors add for themselves. */
static bool launch_is_other(const char *name)
{
    static const char *const others[] = {"program",
                                         "log",
                                         "args",
                                         "cwd",
                                         "stopOnEntry",
                                         "stopAtEnd",
                                         "noDebug",
                                         "name",
                                         "type",
                                         "request",
                                         "console",
                                         "debugServer",
                                         "internalConsoleOptions",
                                         "postDebugTask",
                                         "preLaunchTask",
                                         "presentation",
                                         "serverReadyAction",
                                         "suppressMultipleSessionWarning",
                                         "restart",
                                         "trace",
                                         "linux",
                                         "osx",
                                         "windows"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(others[i], name) == 0)
            return true;
    return strncmp(name, "__", 2) == 0;
}

static bool launch_add(motet_dap_client *c, const char *word)
{
    c->words = memory_grow(c->words, &c->word_room, c->word_count, sizeof *c->words);
    c->words[c->word_count++] = word;
    return true;
}

/* The words live as long as the request: they are put into it. */
static const char *launch_keep(motet_dap_client *c, const char *format, const char *name, const char *value)
{
    json_t *kept = json_object_get(c->launch, "words"), *word = json_sprintf(format, name, value);
    if (!kept) {
        kept = json_array();
        json_object_set_new(c->launch, "words", kept);
    }
    json_array_append_new(kept, word);
    return json_string_value(word);
}

static bool launch_option(motet_dap_client *c, const char *name, const json_t *value, bool nested,
                          struct motet_error *e);

static bool launch_options(motet_dap_client *c, const char *name, json_t *value, struct motet_error *e)
{
    const char *key;
    json_t *one;
    size_t i;
    if (json_is_array(value)) {
        json_array_foreach(value, i, one) if (!launch_option(c, name, one, true, e)) return false;
        return true;
    }
    json_object_foreach(value, key, one)
    {
        char text[32];
        bool number = json_is_integer(one);
        snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(one));
        if (!number && !json_is_string(one))
            return argument_error(e, "the attribute '%s': '%s' must have a number or a string", name, key);
        const char *pair = launch_keep(c, "%s=%s", key, number ? text : json_string_value(one));
        launch_add(c, launch_keep(c, "--%s=%s", name, pair));
    }
    return true;
}

static bool launch_option(motet_dap_client *c, const char *name, const json_t *value, bool nested,
                          struct motet_error *e)
{
    char text[40] = "";
    if (json_is_null(value) || json_is_false(value))
        return true;
    if (json_is_true(value))
        return launch_add(c, launch_keep(c, "--%s%s", name, ""));
    if (json_is_integer(value))
        snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        snprintf(text, sizeof text, "%g", json_real_value(value));
    else if (!json_is_string(value) && !nested)
        return launch_options(c, name, (json_t *)(uintptr_t)value, e);
    else if (!json_is_string(value))
        return argument_error(e, "the attribute '%s' is a list of something else than strings and numbers", name);
    return launch_add(c, launch_keep(c, "--%s=%s", name, text[0] ? text : json_string_value(value)));
}

static bool launch_is_name(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz-");
    return length && !name[length] && islower((unsigned char)name[0]);
}

static bool launch_read_options(motet_dap_client *c, const json_t *a, struct motet_error *e)
{
    const char *name;
    json_t *value, *words = NULL;
    size_t i;
    json_object_foreach((json_t *)(uintptr_t)a, name, value)
    {
        if (launch_is_other(name))
            continue;
        if (!launch_is_name(name))
            return argument_error(e, "there is no attribute '%.60s'; attributes are the options of motet debug", name);
        if (!launch_option(c, name, value, false, e))
            return false;
    }
    if (!argument_list(a, "args", &words, e))
        return false;
    json_array_foreach(words, i, value)
    {
        if (!json_is_string(value))
            return argument_error(e, "the attribute 'args' must be a list of strings");
        launch_add(c, json_string_value(value));
    }
    return true;
}

static bool launch_add_log(motet_dap_client *c, const json_t *log, struct motet_error *e)
{
    if (!json_is_string(log))
        return argument_error(e, "the attribute 'log' must be a file, or a list of ID:FILE");
    c->logs = memory_grow(c->logs, &c->log_room, c->log_count, sizeof *c->logs);
    c->logs[c->log_count++] = json_string_value(log);
    return true;
}

static bool launch_read_logs(motet_dap_client *c, const json_t *a, struct motet_error *e)
{
    json_t *log = json_object_get(a, "log"), *one;
    size_t i;
    if (!log || json_is_null(log))
        return true;
    if (!json_is_array(log))
        return launch_add_log(c, log, e);
    json_array_foreach(log, i, one) if (!launch_add_log(c, one, e)) return false;
    return true;
}

bool client_read_launch(motet_dap_client *c, struct motet_dap_launch *l, struct motet_error *e)
{
    const json_t *a = client_arguments(c->launch);
    bool flag = false;
    c->word_count = c->log_count = 0;
    if (!argument_text(a, "program", &l->program, e) || !argument_text(a, "cwd", &l->folder, e) ||
        !argument_flag(a, "stopOnEntry", &flag, e) || !argument_flag(a, "stopAtEnd", &flag, e) ||
        !argument_flag(a, "noDebug", &flag, e) || !launch_read_logs(c, a, e) || !launch_read_options(c, a, e))
        return false;
    if (!l->attach && !l->program)
        return argument_error(e, "what is to be debugged? name a firmware, a scenario or a saved run as 'program'");
    l->words = c->words;
    l->word_count = c->word_count;
    l->logs = c->logs;
    l->log_count = c->log_count;
    return true;
}
