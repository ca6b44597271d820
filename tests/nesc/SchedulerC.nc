module SchedulerC {
    provides interface Scheduler;
    provides interface TaskBasic[uint8_t id];
    uses interface McuSleep;
}
implementation {
    enum { TASKS = uniqueCount("Task"), NONE = 255 };
    norace volatile uint8_t first, last, next[TASKS];

    bool isWaiting(uint8_t id) { return next[id] != NONE || last == id; }

    uint8_t take()
    {
        uint8_t id = first;
        if (id != NONE) {
            first = next[id];
            if (first == NONE)
                last = NONE;
            next[id] = NONE;
        }
        return id;
    }

    command void Scheduler.init()
    {
        atomic {
            memset((void *)next, NONE, sizeof next);
            first = last = NONE;
        }
    }

    command bool Scheduler.runNextTask()
    {
        uint8_t id;
        atomic id = take();
        if (id == NONE)
            return FALSE;
        signal TaskBasic.runTask[id]();
        return TRUE;
    }

    command void Scheduler.taskLoop()
    {
        for (;;) {
            uint8_t id;
            atomic {
                while ((id = take()) == NONE)
                    call McuSleep.sleep();
            }
            signal TaskBasic.runTask[id]();
        }
    }

    async command error_t TaskBasic.postTask[uint8_t id]()
    {
        atomic {
            if (isWaiting(id))
                return EBUSY;
            if (first == NONE)
                first = id;
            else
                next[last] = id;
            last = id;
            return SUCCESS;
        }
    }

    default event void TaskBasic.runTask[uint8_t id]() {}
}
