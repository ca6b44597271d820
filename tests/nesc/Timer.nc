interface Timer<precision> {
    command void startPeriodic(uint32_t dt);
    command void startOneShot(uint32_t dt);
    command void stop();
    command uint32_t getNow();
    event void fired();
}
