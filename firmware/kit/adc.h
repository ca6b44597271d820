/* Reading sensors: split-phase, in the order of the requests.
 *
 * Invariant: each accepted adc_read() leads to exactly one done(), in a task.
 */
#ifndef KIT_ADC_H
#define KIT_ADC_H

#include <stdint.h>

#include "resource.h"

struct adc_request {
    void (*done)(struct adc_request *r, uint16_t value); /* of SENSOR_BITS bits */
    uint8_t channel;                                     /* SENSOR_... of the board's header */
    struct resource_client client;
};

/* False if this request is still under way. From tasks. */
bool adc_read(struct adc_request *r);

#endif
