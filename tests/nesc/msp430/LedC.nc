configuration LedC {
    provides interface Pin;
}
implementation {
    components new PinC(0x31, 0x30, 0x32, 4);
    Pin = PinC;
}
