interface TaskBasic {
    async command error_t postTask();
    event void runTask();
}
