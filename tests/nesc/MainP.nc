module MainP {
    provides interface Boot;
    uses interface Init as SoftwareInit;
    uses interface Scheduler;
}
implementation {
    int main() @C() @spontaneous()
    {
        atomic {
            platform_begin();
            call Scheduler.init();
            call SoftwareInit.init();
            while (call Scheduler.runNextTask())
                ;
        }
        __nesc_enable_interrupt();
        signal Boot.booted();
        call Scheduler.taskLoop();
        return -1;
    }

    default command error_t SoftwareInit.init() { return SUCCESS; }
    default event void Boot.booted() {}
}
