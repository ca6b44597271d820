/* What the files of the shared commands share. */
#ifndef DEBUGGER_INTERNAL_H
#define DEBUGGER_INTERNAL_H

#include "debugger/commands.h"

enum { COMMANDS_TEXT = 512, COMMANDS_ALL = UINT32_MAX };

const motet_node *commands_node(const struct commands *c);
double commands_seconds(uint64_t time);

/* How a node stands: "running", "asleep", "ended" or "off". */
const char *commands_standing(const struct commands *c, uint32_t number);

/* Takes the node off the arguments: "3:total", "total node 3", or "node *" where all may be meant (COMMANDS_ALL).
 * Without one it is the selected node. False, with a message, if there is no such node. */
bool commands_take_node(const struct commands *c, const char *arguments, bool all, char what[COMMANDS_TEXT],
                        uint32_t *node, struct answer *a);

/* A whole number, or `otherwise` for an empty argument; false, with a message, if it is none. */
bool commands_take_number(const char *text, uint64_t limit, uint64_t otherwise, uint64_t *number, struct answer *a);

/* when.c */
void commands_say_here(const struct commands *c, struct answer *a); /* a row: the time, and where the node is */
void commands_when(struct commands *c, const char *arguments, struct answer *a);
void commands_seek(struct commands *c, const char *arguments, struct answer *a);
void commands_checkpoint(struct commands *c, const char *arguments, struct answer *a);
void commands_restart(struct commands *c, const char *arguments, struct answer *a);
void commands_history(struct commands *c, const char *arguments, struct answer *a);
void commands_save(struct commands *c, const char *arguments, struct answer *a);

/* last_write.c */
void commands_last_write(struct commands *c, const char *arguments, struct answer *a);

/* nodes.c */
void commands_nodes(struct commands *c, const char *arguments, struct answer *a);
void commands_parts(struct commands *c, const char *arguments, struct answer *a);
void commands_where(struct commands *c, const char *arguments, struct answer *a);
void commands_packets(struct commands *c, const char *arguments, struct answer *a);

/* give.c */
void commands_send(struct commands *c, const char *arguments, struct answer *a);
void commands_pin(struct commands *c, const char *arguments, struct answer *a);
void commands_reset(struct commands *c, const char *arguments, struct answer *a);

#endif
