module SleepC {
    provides interface McuSleep;
}
implementation {
    const uint16_t modes[] = {CPUOFF, SCG1 + SCG0 + CPUOFF};

    async command void McuSleep.sleep()
    {
        uint16_t bits = modes[(IE2 & (UTXIE1 | URXIE1)) == 0] | GIE;
        asm volatile("bis %0, r2" : : "m"(bits));
        asm volatile("" : : : "memory");
        __nesc_disable_interrupt();
    }
}
