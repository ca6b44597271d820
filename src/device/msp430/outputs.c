#include "device/msp430/outputs.h"

#include "device/msp430/adc12.h"
#include "device/msp430/dac12.h"
#include "node/machine.h"

static const struct device *of_type(const struct node *n, const struct device_type *type)
{
    for (size_t i = 0; i < n->machine->device_count; i++)
        if (n->machine->devices[i].type == type)
            return &n->machine->devices[i];
    return NULL;
}

void msp430_outputs_settle(struct node *n)
{
    const struct device *adc = of_type(n, &msp430_adc12), *dac = of_type(n, &msp430_dac12);
    unsigned awaited = 0;
    for (unsigned i = 0; adc && i < MSP430_OUTPUTS; i++)
        if (msp430_adc12_awaits(n, adc, i) || (dac && msp430_dac12_awaits(n, dac, i)))
            awaited |= 1u << i;
    if (adc)
        msp430_adc12_watch(n, adc, awaited);
}

void msp430_output(struct node *n, enum msp430_output output, bool level)
{
    const struct device *adc = of_type(n, &msp430_adc12), *dac = of_type(n, &msp430_dac12);
    if (adc)
        msp430_adc12_output(n, adc, output, level);
    if (dac)
        msp430_dac12_output(n, dac, output, level);
}
