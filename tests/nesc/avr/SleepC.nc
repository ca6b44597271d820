module SleepC {
    provides interface McuSleep;
}
implementation {
    const uint8_t modes[] PROGMEM = {0, 1 << SM0, 1 << SM1};

    async command void McuSleep.sleep()
    {
        MCUCR = (MCUCR & 0xe3) | pgm_read_byte(&modes[TIMSK == 0]);
        MCUCR |= 1 << SE;
        __nesc_enable_interrupt();
        asm volatile("sleep" : : : "memory");
        __nesc_disable_interrupt();
        MCUCR &= ~(1 << SE);
    }
}
