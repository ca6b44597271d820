/* What nodes and base of a LEACH network (leach.h) say to each other. Each message begins with the round's number. */
#ifndef KIT_LEACH_MESSAGE_H
#define KIT_LEACH_MESSAGE_H

#include "leach.h"

enum {
    TYPE_ROUND = 0x50, /* by the base, to all: it begins now */
    TYPE_ADVERTISEMENT = 0x51,
    TYPE_JOIN = 0x52,
    TYPE_SLOT = 0x53,   /* to a node that has joined: the slot's number 1, or NO_SLOT */
    TYPE_DATA = 0x54,   /* LEACH_DATA bytes */
    TYPE_REPORT = 0x55, /* to the base: the frame 1; origin 2 and its data, for each */
    TYPE_STATUS = 0x56, /* of a head, for observers: members 1 */
};

#define NO_SLOT       0xff
#define REPORT_HEADER 3
#define REPORT_ENTRY  (2 + LEACH_DATA)

#endif
