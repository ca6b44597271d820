/* One converter for many readers, each of which has its turn. */
module SensorsP {
    provides interface Read<uint16_t>[uint8_t client];
    uses interface Convert;
    uses interface Queue<uint8_t>;
}
implementation {
    uint8_t current = 255;
    norace uint16_t value;

    void next()
    {
        if (current == 255 && !call Queue.empty()) {
            current = call Queue.dequeue();
            call Convert.start(current & 7);
        }
    }

    task void done()
    {
        uint8_t client = current;
        current = 255;
        signal Read.readDone[client](SUCCESS, value);
        next();
    }

    async event void Convert.done(uint16_t v)
    {
        value = v;
        post done();
    }

    command error_t Read.read[uint8_t client]()
    {
        error_t e = call Queue.enqueue(client);
        next();
        return e;
    }

    default event void Read.readDone[uint8_t client](error_t e, uint16_t v) {}
}
