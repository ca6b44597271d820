/* One pin of a port, whose registers are given by their addresses. */
generic module PinC(uint16_t out_address, uint16_t in_address, uint16_t direction_address, uint8_t number) {
    provides interface Pin;
}
implementation {
#define out       (*(volatile uint8_t *)out_address)
#define in        (*(volatile uint8_t *)in_address)
#define direction (*(volatile uint8_t *)direction_address)
    async command void Pin.set() { atomic out |= 1 << number; }
    async command void Pin.clear() { atomic out &= ~(1 << number); }
    async command void Pin.toggle() { atomic out ^= 1 << number; }
    async command bool Pin.get() { return (in & (1 << number)) != 0; }
    async command void Pin.makeOutput() { atomic direction |= 1 << number; }
#undef out
#undef in
#undef direction
}
