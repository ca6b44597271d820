generic module QueueC(typedef t, uint8_t room) {
    provides interface Queue<t>;
}
implementation {
    t list[room];
    uint8_t head = 0, count = 0;

    command bool Queue.empty() { return count == 0; }
    command uint8_t Queue.size() { return count; }
    command error_t Queue.enqueue(t value)
    {
        if (count == room)
            return FAIL;
        list[(head + count++) % room] = value;
        return SUCCESS;
    }
    command t Queue.dequeue()
    {
        t value = list[head];
        head = (head + 1) % room;
        count--;
        return value;
    }
    command t Queue.element(uint8_t index) { return list[(head + index) % room]; }
}
