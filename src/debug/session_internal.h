/* What the files of a session share. */
#ifndef DEBUG_SESSION_INTERNAL_H
#define DEBUG_SESSION_INTERNAL_H

#include "debug/session.h"
#include "debug/value.h"
#include "image/debug.h"

enum { SESSION_TEXT = 200, SESSION_POINTS = 1024, SESSION_WATCHED = 64 };

/* A breakpoint or watchpoint. */
struct point {
    unsigned number; /* 0: none */
    enum session_point_kind kind;
    bool temporary, disabled;
    char text[SESSION_TEXT];      /* as it was asked for */
    char condition[SESSION_TEXT]; /* empty: none */
    unsigned hits;
    struct session_place *places; /* of a breakpoint */
    size_t place_count, place_room;
    uint32_t node;        /* of a watchpoint */
    uint32_t first, size; /* data addresses */
    uint32_t address;     /* as the image counts */
    const struct debug_type *type;
    uint8_t value[SESSION_WATCHED]; /* as it was last seen */
};

struct session {
    struct timeline *timeline;
    struct node *const *nodes;
    uint32_t count;
    struct session_face face;

    uint32_t node;            /* the selected one */
    size_t level;             /* and frame */
    struct value_scope scope; /* both, for session_at */
    struct point points[SESSION_POINTS];
    unsigned point_count, numbered;
    struct {
        uint32_t node, address, sp;
    } goal;     /* where a run is to end besides; address UINT32_MAX: nowhere */
    bool alone; /* only there */

    const char *list_file;
    unsigned list_from, list_to;
    uint32_t examine; /* where x goes on */

    uint64_t until; /* where running ends by itself */
};

/* ---- session.c ---- */
void session_say(struct session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
struct node *session_selected(const struct session *s);
const struct image *session_image(const struct node *n);
uint32_t session_pc(const struct node *n);
uint32_t session_sp(const struct node *n);
/* ---- expressions over several nodes (session_nodes.c) ---- */

bool session_nodes_named(const char *expression); /* it has node[ID].NAME */

/* Puts the values in their places. */
bool session_nodes_expand(struct session *s, const char *expression, char *text, size_t size, struct motet_error *e);

const struct value_scope *session_at(struct session *s); /* the selected frame; valid until the next call */
bool session_find_node(const struct session *s, const char *id, uint32_t *node);
bool session_interrupted(const struct session *s);

/* ---- session_run.c ---- */
void session_run_continue(struct session *s, bool forward);
void session_run_step(struct session *s, bool forward, bool over, bool instruction, unsigned times);
void session_run_finish(struct session *s, bool forward);
void session_run_show(struct session *s); /* where it stands, after it moved */

/* ---- session_points.c ---- */
void session_points_arm(struct session *s);              /* and a stop at the goal */
bool session_points_count(void *session, uint32_t node); /* whether to stop at a stop just met: timeline_filter */
struct point *session_points_at(struct session *s, uint32_t node, uint32_t pc);
bool session_points_condition(struct session *s, struct point *p, uint32_t node);
struct point *session_points_watched(struct session *s, uint32_t node, uint32_t address, uint8_t kind);
void session_points_remember(struct session *s);
void session_points_drop(struct session *s, struct point *p);
void session_points_break(struct session *s, const char *arguments, bool temporary);
bool session_points_resolve(struct session *s, const char *arguments, struct point *p); /* what is to be watched */
void session_points_watch(struct session *s, const char *arguments, enum session_point_kind kind);
void session_points_delete(struct session *s, const char *arguments);
void session_points_condition_set(struct session *s, const char *arguments);
void session_points_enable(struct session *s, const char *arguments, bool on);
void session_points_list(struct session *s);

/* ---- session_look.c ---- */
void session_look_frame(struct session *s, size_t level, bool numbered); /* "#0  add (n=1) at counter.c:25" */
void session_look_source(struct session *s);                             /* the line it is at */
void session_look_print(struct session *s, const char *arguments);
void session_look_examine(struct session *s, const char *arguments);
void session_look_select(struct session *s, const char *arguments, int by);
void session_look_info(struct session *s, const char *arguments);
void session_look_list(struct session *s, const char *arguments);
void session_look_disassemble(struct session *s, const char *arguments);
void session_look_set(struct session *s, const char *arguments);
unsigned session_look_instruction(const struct node *n, uint32_t address, char *text, size_t size); /* its length */

#endif
