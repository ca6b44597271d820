/* The tree of collection.h: beacons and the choice of the parent, for the forwarding of collection.c.
 */
#ifndef KIT_ROUTE_H
#define KIT_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "link.h"

#define ROUTE_NO_COST 0xffff

/* `found` is called when there is a parent where there was none. */
void route_start(bool root, void (*found)(void));

uint16_t route_parent(void); /* LINK_NOBODY if there is none */
uint16_t route_cost(void);

/* Chooses the parent anew. */
void route_update(void);

/* Something is wrong: beacons begin at the shortest interval again. */
void route_trouble(void);

#endif
