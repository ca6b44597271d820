configuration AppC {}
implementation {
    components MainC, AppP, SerialC, LedC, new TickTimerC() as Fast, new TickTimerC() as Slow, new TickTimerC() as Once;
    components new SensorC() as Light, new SensorC() as Warmth, new QueueC(report_t *, 3) as Full;
    AppP.Boot -> MainC;
    AppP.Fast -> Fast;
    AppP.Slow -> Slow;
    AppP.Once -> Once;
    AppP.Light -> Light;
    AppP.Warmth -> Warmth;
    AppP.Send -> SerialC;
    AppP.Led -> LedC;
    AppP.Full -> Full;
}
