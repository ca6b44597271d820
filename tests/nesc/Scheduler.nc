interface Scheduler {
    command void init();
    command bool runNextTask();
    command void taskLoop();
}
