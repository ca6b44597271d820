/* A counterexample executed again, as a regression test, and choices in words. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/counterexample.h"
#include "api/saved_run.h"
#include "base/memory.h"
#include "motet/check.h"

/* ---- replay ---- */

struct replaced {
    struct judge_options how;
    motet_saved_run *run;
    struct image *image; /* or NULL: the run's own */
};

static const uint8_t *check_replay_firmware(void *context, size_t number, const char **name, size_t *size)
{
    struct replaced *r = context;
    if (!r->image)
        return saved_run_firmware(r->run, number, name, size);
    *name = image_path(r->image);
    return image_file(r->image, size);
}

static bool check_replay_run(struct replaced *with, struct motet_check_replay *r, struct motet_error *e)
{
    struct outcome_of_run o;
    struct motet_saved_run_info info;
    motet_saved_run_info(with->run, &info);
    struct execution_options how = {.until = info.end, .judging = with->how};
    if (!counterexample_execute(&with->run->saved.inputs, check_replay_firmware, with, &how, &o, e))
        return false;
    *r = (struct motet_check_replay){
        .violation = (enum motet_violation)o.violation.kind, .node = o.violation.node, .at = o.violation.at};
    r->words = o.words;
    digest_print(o.digest, r->digest);
    r->same = !with->image && strcmp(r->digest, info.digest) == 0;
    return true;
}

/* The firmware to be executed in place of the run's own. One with the same bytes is its own. */
static bool check_replay_load(struct replaced *with, const char *path, const struct motet_check_replay_options *o,
                              struct motet_error *e)
{
    struct motet_error why;
    if (!o->firmware)
        return true;
    with->image = image_load(o->firmware, e);
    if (!with->image)
        return false;
    if (saved_run_is_of(with->run, with->image, &why)) {
        image_free(with->image);
        with->image = NULL;
        return true;
    }
    if (!o->repaired)
        return error_set(e, "%s: %s; if it is a later build, say so with --repaired", path, why.text);
    return with->run->saved.machine_count == 1 ||
           error_set(e, "%s has nodes with several firmwares; it can be replayed with its own only", path);
}

bool motet_check_replay(const char *path, const struct motet_check_replay_options *o, struct motet_check_replay *r,
                        struct motet_error *e)
{
    struct replaced with = {
        .how = {o->properties, o->from, o->patience, o->stuck},
        .run = motet_saved_run_open(path, &(struct motet_saved_run_options){.threads = 1, .anew = true}, e)};
    bool good = with.run && check_replay_load(&with, path, o, e) && check_replay_run(&with, r, e);
    image_free(with.image);
    motet_saved_run_free(with.run);
    return good;
}

/* ---- words ---- */

static const char *choice_line_name(const motet_network *n, const struct motet_choice *c)
{
    const motet_node *node = motet_network_node(n, c->node);
    const struct device *d = node && c->other < MACHINE_LINES ? node->node->machine->lines[c->other].device : NULL;
    return d ? d->name : "?";
}

static const char *choice_place(const motet_network *n, const struct motet_choice *c, char *text, size_t size)
{
    const motet_node *node = motet_network_node(n, c->node);
    return node ? motet_machine_place(motet_node_machine(node), c->outcome - 1, text, size) : "?";
}

static int choice_serial_text(const struct motet_choice *c, char *text, size_t size)
{
    uint32_t amount = c->outcome & SENT_AMOUNT;
    if (c->outcome == SENT_NEVER)
        return snprintf(text, size, "what the host sends to port %" PRIu32 " never comes", c->other);
    if (c->outcome & SENT_DAMAGED)
        return snprintf(text, size, "byte %" PRIu32 " of what the host sends to port %" PRIu32 " is damaged", amount,
                        c->other);
    return snprintf(text, size, "what the host sends to port %" PRIu32 " comes %.3f ms %s", c->other, amount * 1e-3,
                    c->outcome & SENT_EARLY ? "earlier" : "later");
}

/* Without preamble, delimiter, length, addresses and check sequence. */
static size_t choice_foreign_contents(const struct motet_choice *c)
{
    uint8_t bytes[CHOICE_FOREIGN_BYTES];
    return choice_foreign_frame(c->outcome, bytes) - 17;
}

size_t motet_choice_text(const motet_network *n, const struct motet_choice *c, char *text, size_t size)
{
    double ms = c->outcome * 1e-3;
    char place[128];
    int length = 0;
    switch (c->source) {
    case MOTET_CHOICE_FRAME:
        length = snprintf(text, size, "a frame of node %" PRIu32 " is %s here", c->other,
                          c->outcome == FRAME_LOST ? "lost" : "damaged");
        break;
    case MOTET_CHOICE_HOLD:
        length =
            snprintf(text, size, "an interrupt of %s is held for %" PRIu32 " us", choice_line_name(n, c), c->outcome);
        break;
    case MOTET_CHOICE_PREEMPT:
        length = snprintf(text, size, "an interrupt of %s comes just after %s", choice_line_name(n, c),
                          choice_place(n, c, place, sizeof place));
        break;
    case MOTET_CHOICE_SENSOR:
        length = snprintf(text, size, "analog line %" PRIu32 " reads %.3f V", c->other, (c->outcome - 1) * 1e-6);
        break;
    case MOTET_CHOICE_FOREIGN:
        length = snprintf(text, size, "a foreign frame with %zu bytes of contents comes", choice_foreign_contents(c));
        break;
    case MOTET_CHOICE_SERIAL: length = choice_serial_text(c, text, size); break;
    case MOTET_CHOICE_BUSY:
        length = snprintf(text, size, "the channel is busy for %.3f ms%s", ms,
                          c->other == BUSY_FAINT ? ", but frames get through" : "");
        break;
    case MOTET_CHOICE_RESET: length = snprintf(text, size, "its reset pin is pulled"); break;
    case MOTET_CHOICE_POWER: length = snprintf(text, size, "it loses power and boots again"); break;
    case MOTET_CHOICE_DEATH: length = snprintf(text, size, "it dies"); break;
    default: length = snprintf(text, size, "it is switched on %.3f ms later", ms); break;
    }
    return length > 0 ? (size_t)length : 0;
}
