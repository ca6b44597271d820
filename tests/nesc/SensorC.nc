generic configuration SensorC() {
    provides interface Read<uint16_t>;
}
implementation {
    components SensorsP, ConvertC, new QueueC(uint8_t, 4) as Waiting;
    Read = SensorsP.Read[unique("Sensor")];
    SensorsP.Convert -> ConvertC;
    SensorsP.Queue -> Waiting;
}
