interface Init {
    command error_t init();
}
