/* Reads two sensors at two rates, reports over the serial line, and sorts, divides and adds floats so that interrupts find
 * it at work. */
module AppP {
    uses interface Boot;
    uses interface Timer<TTick> as Fast;
    uses interface Timer<TTick> as Slow;
    uses interface Timer<TTick> as Once;
    uses interface Read<uint16_t> as Light;
    uses interface Read<uint16_t> as Warmth;
    uses interface Send;
    uses interface Pin as Led;
    uses interface Queue<report_t *> as Full;
}
implementation {
    report_t reports[3];
    uint8_t filling, filled;
    uint16_t counts[8], rounds, heard;
    float mean;
    uint32_t mixed = 1;

    uint16_t mix(uint16_t n) { return n < 2 ? n : mix(n - 1) + mix(n - 2); }

    void sort(uint16_t *list, uint8_t n)
    {
        uint8_t i, j;
        for (i = 1; i < n; i++)
            for (j = i; j && list[j - 1] > list[j]; j--) {
                uint16_t t = list[j];
                list[j] = list[j - 1];
                list[j - 1] = t;
            }
    }

    task void work()
    {
        uint8_t i;
        for (i = 0; i < 8; i++)
            counts[i] = mixed / (i + 7) + (mixed >> i);
        sort(counts, 8);
        mean = mean * 0.9f + counts[3] * 0.1f;
        mixed = mixed * 69069UL + mix(7) + (uint16_t)mean;
        if (++rounds % 4 != 0)
            post work();
    }

    event void Boot.booted()
    {
        call Led.makeOutput();
        call Fast.startPeriodic(6000);
        call Slow.startPeriodic(31700);
        call Once.startOneShot(5000);
    }

    task void sendNext()
    {
        if (!call Full.empty() && call Send.send(call Full.element(0)) == SUCCESS)
            call Full.dequeue();
    }

    void reading(uint16_t v, uint8_t kind)
    {
        report_t *r = &reports[filling];
        mixed ^= v;
        r->readings[filled++] = v;
        if (filled < REPORT_READINGS)
            return;
        filled = 0;
        r->mark = 0x7e;
        r->count = rounds;
        r->kind = kind;
        r->urgent = v > 512;
        r->time = call Fast.getNow();
        if (call Full.enqueue(r) == SUCCESS)
            filling = (filling + 1) % 3;
        post sendNext();
    }

    event void Fast.fired()
    {
        call Light.read();
        call Led.toggle();
        post work();
    }
    event void Slow.fired()
    {
        call Warmth.read();
        if (call Led.get())
            call Once.startOneShot(700);
    }
    event void Once.fired() { call Led.clear(); }
    event void Light.readDone(error_t e, uint16_t v) { reading(v, 1); }
    event void Warmth.readDone(error_t e, uint16_t v) { reading(v, 2); }
    event void Send.sendDone(report_t *r, error_t e) { post sendNext(); }
    event void Send.received(uint8_t byte) { heard += byte; }
}
