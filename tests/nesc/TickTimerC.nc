generic configuration TickTimerC() {
    provides interface Timer<TTick>;
}
implementation {
    components TimersC, AlarmC, MainC;
    Timer = TimersC.Timer[unique("Timer")];
    TimersC.Alarm -> AlarmC;
    MainC.SoftwareInit -> TimersC.Init;
    MainC.SoftwareInit -> AlarmC.Init;
}
