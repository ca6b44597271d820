#include "device/msp430/outputs.h"

#include "device/msp430/adc12.h"
#include "device/msp430/dac12.h"
#include "node/machine.h"

bool msp430_output_awaited(const struct node *n, enum msp430_output output)
{
    for (size_t i = 0; i < n->machine->device_count; i++) {
        const struct device *d = &n->machine->devices[i];
        if ((d->type == &msp430_adc12 && msp430_adc12_awaits(n, d, output)) ||
            (d->type == &msp430_dac12 && msp430_dac12_awaits(n, d, output)))
            return true;
    }
    return false;
}

void msp430_output(struct node *n, enum msp430_output output, bool level)
{
    for (size_t i = 0; i < n->machine->device_count; i++) {
        const struct device *d = &n->machine->devices[i];
        if (d->type == &msp430_adc12)
            msp430_adc12_output(n, d, output, level);
        else if (d->type == &msp430_dac12)
            msp430_dac12_output(n, d, output, level);
    }
}
