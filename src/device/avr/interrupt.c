#include "device/avr/interrupt.h"

#include "device/avr/adc.h"
#include "node/interrupts.h"

void avr_interrupt_wire(struct wiring *w, const struct device *d, const struct avr_interrupt *i, unsigned irq)
{
    if (i->vector || i->enable.width) /* vector 0 is refused: the table forgets it */
        wire_interrupt(w, d, i->vector, irq);
}

static inline void avr_interrupt_ask(struct node *n, const struct avr_interrupt *i, bool flag)
{
    bool asks = flag & bits_one(n, i->enable);
    if (i->vector && (asks != interrupts_is_asking(n, i->vector) || n->machine->keeps_lines))
        node_irq(n, i->vector, asks);
}

void avr_interrupt_update(struct node *n, const struct avr_interrupt *i)
{
    avr_interrupt_ask(n, i, bits_one(n, i->flag));
}

void avr_interrupt_flag(struct node *n, const struct avr_interrupt *i, bool on)
{
    bool was = bits_put(n, i->flag, on);
    avr_interrupt_ask(n, i, on & i->flag.width);
    if (n->machine->triggered && on && !was)
        avr_adc_flag_rose(n, i->vector);
}

void avr_interrupt_acknowledge(struct node *n, const struct avr_interrupt *i)
{
    if (!i->level)
        avr_interrupt_flag(n, i, false);
}

void avr_interrupt_flag_written(struct node *n, const struct avr_interrupt *i, unsigned value)
{
    if (value & bits_mask(i->flag))
        avr_interrupt_flag(n, i, false);
}
