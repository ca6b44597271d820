interface McuSleep {
    async command void sleep();
}
