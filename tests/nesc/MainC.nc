configuration MainC {
    provides interface Boot;
    uses interface Init as SoftwareInit;
}
implementation {
    components MainP, SchedulerC, SleepC;
    Boot = MainP;
    SoftwareInit = MainP;
    MainP.Scheduler -> SchedulerC;
    SchedulerC.McuSleep -> SleepC;
}
