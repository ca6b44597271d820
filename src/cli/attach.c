#include "attach.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "sentence.h"
#include "terminal.h"

struct attached {
    const struct attachments *what;
    motet_plugin **plugins;
    size_t plugin_count;
    struct attached_script {
        motet_script *script;
        uint32_t node;
    } * scripts; /* of all nodes */
    size_t script_count;
};

static struct attachment *attachments_grown(struct attachment *list, size_t *count, struct which which,
                                            const char *text)
{
    list = cli_one_more(list, *count, sizeof *list);
    list[(*count)++] = (struct attachment){which, text};
    return list;
}

void attachments_script(struct attachments *a, struct which which, const char *path)
{
    a->scripts = attachments_grown(a->scripts, &a->script_count, which, path);
}

void attachments_plugin(struct attachments *a, struct which which, const char *text)
{
    a->plugins = attachments_grown(a->plugins, &a->plugin_count, which, text);
}

void attachments_free(struct attachments *a)
{
    free(a->plugins);
    free(a->scripts);
}

struct attached *attached_new(const struct attachments *a, struct motet_error *e)
{
    struct attached *all = cli_array(1, sizeof *all);
    all->what = a;
    all->plugins = cli_array(a->plugin_count, sizeof(motet_plugin *));
    if (a->plugin_count)
        motet_plugins_explain_crashes();
    for (size_t i = 0; i < a->plugin_count; i++) {
        char *path = cli_text(a->plugins[i].text, strlen(a->plugins[i].text)), *colon = strchr(path, ':');
        if (colon)
            *colon = 0;
        motet_plugin *p = motet_plugin_load(path, colon ? colon + 1 : "", e);
        free(path);
        if (!p) {
            attached_free(all);
            return NULL;
        }
        all->plugins[all->plugin_count++] = p;
    }
    return all;
}

bool attached_add(struct attached *a, motet_node *n, motet_said *said, void *context, struct motet_error *e)
{
    uint32_t id = motet_node_id(n);
    for (size_t i = 0; i < a->plugin_count; i++)
        if (which_is(a->what->plugins[i].which, id) && !motet_plugin_start_on(a->plugins[i], n, e))
            return false;
    for (size_t i = 0; i < a->what->script_count; i++) {
        if (!which_is(a->what->scripts[i].which, id))
            continue;
        motet_script *s = motet_script_load(n, a->what->scripts[i].text, said, context, e);
        if (!s)
            return false;
        motet_script_interruptible(s, terminal_interrupted);
        a->scripts = cli_one_more(a->scripts, a->script_count, sizeof *a->scripts);
        a->scripts[a->script_count++] = (struct attached_script){s, id};
    }
    return true;
}

/* Of several nodes the one whose script it was. */
static bool gone_wrong(const struct attached *a, size_t which, struct motet_error *e)
{
    struct motet_error of = *e;
    bool alone = a->script_count == a->what->script_count;
    return alone ? false : sentence(e, "%.900s (on node %u)", of.text, a->scripts[which].node);
}

bool attached_heed(struct attached *a, struct motet_error *e)
{
    for (size_t i = 0; i < a->script_count; i++)
        if (!motet_script_heed(a->scripts[i].script, e))
            return gone_wrong(a, i, e);
    return true;
}

bool attached_over(const struct attached *a)
{
    for (size_t i = 0; i < a->script_count; i++)
        if (motet_script_over(a->scripts[i].script))
            return true;
    return false;
}

bool attached_end(struct attached *a, struct motet_error *e)
{
    for (size_t i = 0; i < a->script_count; i++)
        if (!motet_script_end(a->scripts[i].script, e))
            return gone_wrong(a, i, e);
    return true;
}

size_t attached_failed(const struct attached *a)
{
    size_t failed = 0;
    for (size_t i = 0; i < a->script_count; i++)
        failed += motet_script_failed(a->scripts[i].script);
    return failed;
}

void attached_free_scripts(struct attached *a)
{
    for (size_t i = 0; a && i < a->script_count; i++)
        motet_script_free(a->scripts[i].script);
    if (a)
        a->script_count = 0;
}

void attached_free(struct attached *a)
{
    if (!a)
        return;
    attached_free_scripts(a);
    for (size_t i = 0; i < a->plugin_count; i++)
        motet_plugin_free(a->plugins[i]);
    free(a->plugins);
    free(a->scripts);
    free(a);
}
