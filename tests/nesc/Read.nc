interface Read<type> {
    command error_t read();
    event void readDone(error_t result, type value);
}
