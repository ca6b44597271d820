interface Queue<t> {
    command bool empty();
    command uint8_t size();
    command error_t enqueue(t value);
    command t dequeue();
    command t element(uint8_t index);
}
