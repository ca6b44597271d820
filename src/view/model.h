/* The model of a view: what happened on each node, in lists that grow while it runs and are ordered at the end.
 *
 * Only the node's thread adds to its lists. Invariant: after motet_view_finish nothing here points into a network or a
 * machine.
 */
#ifndef VIEW_MODEL_H
#define VIEW_MODEL_H

#include "monitor/calls.h"
#include "monitor/meter.h"
#include "monitor/sampler.h"
#include "motet/motet.h"
#include "motet/view.h"
#include "motet/watch.h"
#include "view/bars.h"

enum {
    VIEW_BARS = 1 << 24,   /* of all tracks of all nodes, about, at most: each track has its share */
    VIEW_TRACKS = 16,      /* of a node, about */
    VIEW_SHARE = 1 << 18,  /* of one track, at most */
    VIEW_DEPTH = 6,        /* calls above the bottom in which tasks are looked for */
    VIEW_SAMPLES = 256,    /* of the energy of a node, at most */
    VIEW_VALUES = 1 << 17, /* of a variable, at most */
    VIEW_PORTS = MOTET_CONSOLE + 1,
    VIEW_LOST = 16, /* an outcome below this is a received frame, else VIEW_LOST + enum motet_loss */
};

/* ---- on one node ---- */

struct view_send { /* a transmission of the node */
    uint64_t begin, end;
    uint32_t transmission;
    size_t text; /* offset in `texts`: what it is; its bytes follow as hexadecimal digits */
};

struct view_receive {
    uint64_t end;
    uint32_t sender, transmission; /* id of the sender; its count */
    uint32_t outcome;
};

struct view_pin {
    unsigned pin;
    int led; /* the number of the LED that it shows, or -1 */
    bool on;
    uint64_t since;
    struct bars bars; /* lit, or high */
    char name[16];
};

struct view_line { /* of serial output */
    uint64_t begin;
    unsigned port;
    size_t text;
};

enum view_note_kind { VIEW_FAULT, VIEW_RESET, VIEW_MARKER, VIEW_PART };
struct view_note {
    uint64_t time;
    enum view_note_kind kind;
    size_t text;
};

struct view_value {
    uint64_t time;
    double value;
};

struct view_series {
    struct view_value *list;
    size_t count, room;
    unsigned stride, skipped; /* each stride-th is kept */
};

struct view_variable {
    struct view_node *node;
    struct sampler *sampler; /* until the view is finished; NULL: the node has no such variable */
    struct view_series series;
};

struct view_executed {
    uint64_t count, first; /* how often, and when first */
};

struct view_sleep { /* a place at which it sleeps, and how */
    uint32_t pc;
    const char *mode; /* a constant */
};

struct view_output { /* a line of a serial port that has not ended */
    char *text;
    size_t count, room;
    uint64_t begin;
};

struct view_node {
    struct motet_view *view;
    motet_node *node; /* until the view is finished, as the next ones are */
    const motet_machine *machine;
    struct calls calls;
    struct motet_meter *meter;

    uint32_t id, number, machine_number;
    char *board, *chip;
    double place[3];
    uint64_t last; /* when something happened last */
    bool logged;   /* it replays a log: all devices are off, and how long anything took is not known */

    struct bars sleep, interrupts, radio, tasks, levels[VIEW_DEPTH];
    struct bars sent, missed; /* transmissions; those that reached the node and were lost */
    bool asleep, in_radio;
    uint64_t asleep_since, radio_since;
    uint32_t asleep_at, radio_state;
    unsigned handlers;          /* interrupts under way */
    uint64_t since[VIEW_DEPTH]; /* when the call at each level began, or went on after sleep */
    struct view_sleep *sleeps;
    size_t sleep_count, sleep_room;

    struct view_send *sends;
    size_t send_count, send_room;
    struct view_receive *receives;
    size_t receive_count, receive_room;
    struct view_pin *pins;
    size_t pin_count, pin_room;
    struct view_line *lines;
    size_t line_count, line_room;
    struct view_output outputs[VIEW_PORTS];
    struct view_note *notes;
    size_t note_count, note_room;
    struct view_variable *variables; /* one for each of the view's */
    struct view_series energy;       /* millijoules so far */

    struct view_executed *executed; /* by address / 2 */
    size_t executed_room;

    char *texts; /* ends with a zero byte each */
    size_t text_count, text_room;
};

/* ---- of all ---- */

struct view_word { /* a name on a bar, and where it is in the source */
    char *text;
    uint32_t file, line; /* a number of `files`, or VIEW_NOWHERE */
};
#define VIEW_NOWHERE UINT32_MAX

struct view_source_line {
    uint32_t line;
    uint64_t count, first; /* executions by all nodes; time of the first, MOTET_NEVER if there is none */
};

struct view_file {
    char *name, *text; /* text: NULL if it cannot be read */
    struct view_source_line *lines;
    size_t count, room;
};

struct view_frame {        /* in the order in which they began */
    uint32_t sender, send; /* number of the node, and in its list */
    size_t first, count;   /* in `heard` */
};

struct view_heard {
    uint32_t node, outcome;
    uint64_t end;
};

struct motet_view {
    char *title, *debug, *then, *story, *about;
    char **variables;
    size_t variable_count;
    motet_network *network; /* until it is finished */
    struct view_node *nodes;
    size_t node_count;
    const motet_machine **machines; /* until it is finished */
    size_t machine_count, machine_room;
    uint64_t end;
    char digest[MOTET_DIGEST_TEXT];

    struct view_word *words;
    size_t word_count, word_room;
    struct view_file *files;
    size_t file_count, file_room;
    struct view_frame *frames;
    size_t frame_count;
    struct view_heard *heard;
    size_t heard_count;
};

/* ---- for the files of this folder ---- */

uint32_t view_word(struct motet_view *v, const char *text, uint32_t file, uint32_t line);
uint32_t view_file(struct motet_view *v, const char *name);

/* collect.c */
void view_node_attach(struct view_node *n);
bool view_node_follow(struct view_node *n, size_t variable, struct motet_error *e);
void view_node_close(struct view_node *n); /* what is under way ends with the run */
void view_node_drop(struct view_node *n);  /* what is needed only while it runs; the node may be gone */
const char *view_text(const struct view_node *n, size_t at);

/* Whether a transmission was lost. One for another node was not. */
static inline bool view_is_lost(uint32_t outcome)
{
    return outcome >= VIEW_LOST && outcome != VIEW_LOST + MOTET_LOSS_ADDRESS;
}

/* frames.c: sends and receives of all nodes, joined */
void view_join_frames(struct motet_view *v);

/* names.c: words of bars, files of source and what was executed of them */
void view_name(struct motet_view *v);

/* data.c: JSON for the page. The stretch of time may be of any resolution; `most` limits the bars. */
struct view_window {
    uint64_t from, to;
    size_t most;   /* bars in all but those of pins */
    size_t pins;   /* bars of pins that are no LEDs */
    uint32_t node; /* the number of the node whose pins are wanted, or VIEW_EVERY */
    size_t arrows; /* of frames, from sender to hearers; where there are more, frames are left out */
};
#define VIEW_EVERY UINT32_MAX
void view_write_head(const struct motet_view *v, bool served, FILE *to);
void view_write_window(const struct motet_view *v, struct view_window w, FILE *to);

#endif
