configuration LedC {
    provides interface Pin;
}
implementation {
    components new PinC(0x3b, 0x39, 0x3a, 2);
    Pin = PinC;
}
