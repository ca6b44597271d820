/* What a part from outside and Motet know of each other (motet/part.h): the part's table, and services for it. All
 * layers share these types. */
#ifndef MOTET_BASE_PART_H
#define MOTET_BASE_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motet/base/types.h"

#define MOTET_PART_VERSION 1

enum {
    MOTET_PART_LEGS = 16,
    MOTET_PART_PARAMETERS = 16,
    MOTET_PART_TIMERS = 8,
    MOTET_PART_STATE = 65536, /* bytes */
    MOTET_PART_NAME = 24,     /* characters of a name: letters, digits, - and _ */
};

/* A leg connects a part to the board: a pin, a bus, a line. The user says to which, in the order of the table. */
enum motet_leg_kind {
    MOTET_LEG_INPUT,  /* a pin that the part reads */
    MOTET_LEG_OUTPUT, /* a pin that the part drives, and no other part */
    MOTET_LEG_BOTH,   /* a pin that the part reads and drives, such as a data line with a pull-up */
    MOTET_LEG_SPI,    /* an SPI bus on which the part is a slave */
    MOTET_LEG_I2C,    /* an I2C bus (two-wire) on which the part is a slave */
    MOTET_LEG_SERIAL, /* a serial port of the chip, at whose other end the part is */
    MOTET_LEG_ANALOG, /* an analog line whose voltage the part determines */
    MOTET_LEG_SENSE,  /* a quantity of the environment (--sense); it is connected to nothing */
};

struct motet_leg {
    const char *name; /* of a quantity: "temperature" */
    enum motet_leg_kind kind;
    const char *unit; /* of a quantity: "C"; else NULL */
    int32_t usual;    /* of a quantity that the user does not give, in millionths of the unit */
};

/* A number that the user may give. */
struct motet_parameter {
    const char *name;
    int64_t usual, least, most;
};

/* One part on one node. A callback gets it, and it is valid until the callback returns. */
struct motet_mount {
    const struct motet_part_services *services;
    void *state; /* state_size bytes, aligned to 16 */
};

/* The table of a part. Functions that no leg needs are NULL. `leg` is the leg's number in the table. */
struct motet_part {
    uint32_t version; /* MOTET_PART_VERSION */
    uint32_t size;    /* sizeof(struct motet_part) */
    const char *name;
    const struct motet_leg *legs;
    size_t leg_count;
    const struct motet_parameter *parameters;
    size_t parameter_count;
    size_t state_size; /* all zero when the power comes on */
    unsigned timers;

    /* The power comes on. A reset of the chip does not reset its parts. */
    void (*power_on)(const struct motet_mount *m);

    /* The level of a pin has changed; not where the part itself has changed it. INPUT, BOTH. */
    void (*pin)(const struct motet_mount *m, unsigned leg, bool level);

    /* The master exchanges a byte. A part that is not selected returns 0xff. */
    uint8_t (*spi)(const struct motet_mount *m, unsigned leg, uint8_t byte);

    /* A master has sent START and seven bits of address. True: the part acknowledges, and gets what follows. */
    bool (*i2c_start)(const struct motet_mount *m, unsigned leg, uint8_t address, bool reads);
    bool (*i2c_write)(const struct motet_mount *m, unsigned leg, uint8_t byte); /* returns whether it acknowledges */
    uint8_t (*i2c_read)(const struct motet_mount *m, unsigned leg, bool last);  /* last: the master wants no more */
    void (*i2c_stop)(const struct motet_mount *m, unsigned leg);                /* or another START; may be NULL */

    /* The chip has sent a byte over the serial line. */
    void (*serial)(const struct motet_mount *m, unsigned leg, uint8_t byte);

    /* The chip measures an analog line: microvolts. Called as often as the chip measures, so it changes no state. */
    int32_t (*analog)(const struct motet_mount *m, unsigned leg);

    /* The time of a timer has come. */
    void (*timer)(const struct motet_mount *m, unsigned timer);
};

/* What Motet does for a part. motet/part.h has a function for each. */
struct motet_part_services {
    uint32_t size; /* sizeof(struct motet_part_services) */
    void (*drive)(const struct motet_mount *m, unsigned leg, enum motet_drive how);
    bool (*level)(const struct motet_mount *m, unsigned leg);
    bool (*send)(const struct motet_mount *m, unsigned leg, uint8_t byte);
    int32_t (*sense)(const struct motet_mount *m, unsigned leg);
    int64_t (*parameter)(const struct motet_mount *m, unsigned number);
    uint64_t (*now)(const struct motet_mount *m);
    uint64_t (*ticks)(const struct motet_mount *m);
    uint64_t (*hz)(const struct motet_mount *m);
    void (*after)(const struct motet_mount *m, unsigned timer, uint64_t nanoseconds);
    void (*after_ticks)(const struct motet_mount *m, unsigned timer, uint64_t ticks);
    void (*cancel)(const struct motet_mount *m, unsigned timer);
    uint32_t (*random)(const struct motet_mount *m);
    void (*report)(const struct motet_mount *m, const char *text);
};

#endif
