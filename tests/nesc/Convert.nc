interface Convert {
    async command error_t start(uint8_t channel);
    async event void done(uint16_t value);
}
