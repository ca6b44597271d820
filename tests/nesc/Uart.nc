interface Uart {
    async command void open();
    async command void put(uint8_t byte);
    async event void putDone();
    async event void got(uint8_t byte);
}
