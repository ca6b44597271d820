interface Alarm<precision, size> {
    async command void start(size dt);
    async command void stop();
    async command size getNow();
    async event void fired();
}
