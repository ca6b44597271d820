/* Timer B at 32768 Hz, made 32 bits wide. */
module AlarmC {
    provides interface Alarm<TTick, uint32_t>;
    provides interface Init;
}
implementation {
    norace uint16_t high;
    norace uint32_t due;
    norace bool running;

    command error_t Init.init()
    {
        atomic TBCTLnr = TBSSEL_1 | MC_2 | TBIE | TBCLR;
        return SUCCESS;
    }

    uint16_t count()
    {
        uint16_t a, b;
        do {
            a = TBR;
            b = TBR;
        } while (a != b); /* the timer runs on another clock */
        return a;
    }

    async command uint32_t Alarm.getNow()
    {
        uint16_t low, over;
        atomic {
            low = count();
            over = high;
            if (TBCTLnr & TBIFG) {
                over++;
                low = count();
            }
        }
        return (uint32_t)over << 16 | low;
    }

    void set()
    {
        uint32_t left = due - call Alarm.getNow();
        if ((int32_t)left < 4)
            left = 4;
        if (left < 0x8000UL) {
            TBCCR0 = count() + (uint16_t)left;
            TBCCTL0 = CCIE;
        }
    }

    async command void Alarm.start(uint32_t dt)
    {
        atomic {
            due = call Alarm.getNow() + dt;
            running = TRUE;
            set();
        }
    }

    async command void Alarm.stop()
    {
        atomic {
            running = FALSE;
            TBCCTL0 = 0;
        }
    }

    ATOMIC_HANDLER(timerb0, TIMERB0_VECTOR)
    {
        if (control_of(TBCCTL0).cap)
            return;
        TBCCTL0 = 0;
        running = FALSE;
        signal Alarm.fired();
    }

    ATOMIC_HANDLER(timerb1, TIMERB1_VECTOR)
    {
        switch (TBIV) {
        case TBIV_TBIFG:
            high++;
            if (running)
                set();
            break;
        }
    }
}
