/* All timers, on one alarm. */
module TimersC {
    provides interface Timer<TTick>[uint8_t id];
    provides interface Init;
    uses interface Alarm<TTick, uint32_t>;
}
implementation {
    enum { TIMERS = uniqueCount("Timer") };
    typedef struct {
        uint32_t t0, dt;
        bool running : 1;
        bool once : 1;
    } timer_t;
    timer_t timers[TIMERS];

    task void update();

    command error_t Init.init()
    {
        memset(timers, 0, sizeof timers);
        return SUCCESS;
    }

    void start(uint8_t id, uint32_t dt, bool once)
    {
        timer_t *t = &timers[id];
        t->t0 = call Alarm.getNow();
        t->dt = dt;
        t->running = TRUE;
        t->once = once;
        post update();
    }

    void fire(uint32_t now)
    {
        uint8_t id;
        for (id = 0; id < TIMERS; id++) {
            timer_t *t = &timers[id];
            if (!t->running || now - t->t0 < t->dt)
                continue;
            if (t->once)
                t->running = FALSE;
            else
                t->t0 += t->dt;
            signal Timer.fired[id]();
        }
    }

    task void update()
    {
        uint32_t now = call Alarm.getNow(), least = 0x7fffffffUL;
        uint8_t id;
        fire(now);
        for (id = 0; id < TIMERS; id++) {
            timer_t *t = &timers[id];
            if (t->running) {
                uint32_t gone = now - t->t0, left = gone < t->dt ? t->dt - gone : 0;
                if (left < least)
                    least = left;
            }
        }
        if (least == 0)
            post update();
        else if (least != 0x7fffffffUL)
            call Alarm.start(least);
    }

    async event void Alarm.fired() { post update(); }

    command void Timer.startPeriodic[uint8_t id](uint32_t dt) { start(id, dt, FALSE); }
    command void Timer.startOneShot[uint8_t id](uint32_t dt) { start(id, dt, TRUE); }
    command void Timer.stop[uint8_t id]() { timers[id].running = FALSE; }
    command uint32_t Timer.getNow[uint8_t id]() { return call Alarm.getNow(); }
    default event void Timer.fired[uint8_t id]() {}
}
