/* Timer 1 at 1/64 of the clock, made 32 bits wide. */
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
        atomic {
            TCCR1B = 1 << CS11 | 1 << CS10;
            TIMSK |= 1 << TOIE1;
        }
        return SUCCESS;
    }

    async command uint32_t Alarm.getNow()
    {
        uint16_t low, over;
        atomic {
            flags_t flags;
            low = TCNT1;
            over = high;
            flags = *(flags_t *)&TIFR;
            if (flags.bits.tov1) {
                over++;
                low = TCNT1;
            }
        }
        return (uint32_t)over << 16 | low;
    }

    void set()
    {
        uint32_t left = due - call Alarm.getNow();
        if ((int32_t)left < 8)
            left = 8;
        if (left < 0x8000UL) {
            OCR1A = TCNT1 + (uint16_t)left;
            TIFR = 1 << OCF1A;
            TIMSK |= 1 << OCIE1A;
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
            TIMSK &= ~(1 << OCIE1A);
        }
    }

    ATOMIC_HANDLER(TIMER1_OVF_vect)
    {
        high++;
        if (running)
            set();
    }

    ATOMIC_HANDLER(TIMER1_COMPA_vect)
    {
        TIMSK &= ~(1 << OCIE1A);
        running = FALSE;
        signal Alarm.fired();
    }
}
