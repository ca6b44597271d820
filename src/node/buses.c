/* Where devices of the chip meet the parts of its board and other nodes: SPI, TWI, serial lines, analog inputs, the
 * air. */
#include "node/choice.h"
#include "node/machine.h"
#include "node/node.h"
#include "node/taps.h"

uint8_t spi_exchange(struct node *n, unsigned bus, uint8_t byte)
{
    struct wire_run run = n->machine->spi[bus];
    uint8_t answer = 0xff;
    for (unsigned i = 0; i < run.count; i++) {
        const struct wire *w = machine_wires(n->machine, run) + i;
        answer &= w->device->type->spi(n, w->device, w->role, byte);
    }
    if (taps_wanted(n, MOTET_ON(SPI)))
        taps_spi(n, bus, byte, answer);
    return answer;
}

uint8_t spi_exchange_same(struct node *n, unsigned bus)
{
    struct wire_run run = n->machine->spi[bus];
    uint8_t byte = 0xff;
    for (unsigned i = 0; i < run.count; i++) {
        const struct wire *w = machine_wires(n->machine, run) + i;
        byte &= w->device->type->spi_next ? w->device->type->spi_next(n, w->device) : 0xff;
    }
    return spi_exchange(n, bus, byte);
}

unsigned twi_signal(struct node *n, unsigned bus, enum twi_event event, uint8_t byte)
{
    struct wire_run run = n->machine->twi[bus];
    bool reading = event == TWI_READ || event == TWI_READ_NACKED;
    unsigned answer = reading ? 0xff : 0;
    for (unsigned i = 0; i < run.count; i++) {
        const struct wire *w = machine_wires(n->machine, run) + i;
        unsigned one = w->device->type->twi(n, w->device, w->role, event, byte);
        answer = reading ? answer & one : answer | one; /* open drain: any low bit, any acknowledge, wins */
    }
    return answer;
}

int32_t analog_read(struct node *n, unsigned channel)
{
    const struct wire *w = &n->machine->analog[channel];
    if (n->analog) {
        int32_t given = n->analog(n->analog_context, channel, n->time);
        if (given != INT32_MIN)
            return given;
    }
    return w->device ? w->device->type->analog(n, w->device, w->role) : 0;
}

int32_t analog_choose(struct node *n, unsigned channel, int32_t microvolts)
{
    struct choice c = {CHOICE_SENSOR, n->id, channel, n->time, UINT32_MAX, n->time};
    uint32_t chosen = choose(n->chooser, &c);
    if (!chosen)
        return microvolts;
    n->disturbed = n->time;
    return (int32_t)(chosen - 1);
}

void air_send(struct node *n, const struct air_message *m)
{
    radio_events_sent(n, m);
    if (n->air.send)
        n->air.send(n->air.context, n, m);
}

float air_noise(const struct node *n)
{
    return n->air.noise ? n->air.noise(n->air.context, n) : AIR_NOISE;
}

void air_hear(struct node *n, const struct air_message *m)
{
    const struct device *radio = n->machine->radio;
    n->changed = true;
    if (m->sender != AIR_FOREIGN)
        radio_events_heard(n, m);
    if (radio)
        radio->type->hear(n, radio, m);
}

void serial_send(struct node *n, unsigned line, unsigned frame)
{
    struct wire_run run = n->machine->listeners[line];
    for (unsigned i = 0; i < run.count; i++) {
        const struct wire *w = machine_wires(n->machine, run) + i;
        w->device->type->listen(n, w->device, w->role, frame);
    }
    if (taps_wanted(n, MOTET_ON(SERIAL)))
        taps_serial(n, MOTET_ON_SERIAL, line, frame);
}

bool serial_receive(struct node *n, unsigned line, unsigned frame)
{
    struct wire_run run = n->machine->serial[line];
    bool taken = true;
    for (unsigned i = 0; i < run.count; i++) {
        const struct wire *w = machine_wires(n->machine, run) + i;
        taken &= w->device->type->serial(n, w->device, w->role, frame);
    }
    if (taken && run.count && taps_wanted(n, MOTET_ON(SERIAL_INPUT)))
        taps_serial(n, MOTET_ON_SERIAL_INPUT, line, frame & ~(unsigned)SERIAL_WAIT);
    return taken;
}
