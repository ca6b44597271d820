interface Send {
    command error_t send(report_t *report);
    event void sendDone(report_t *report, error_t result);
    event void received(uint8_t byte);
}
