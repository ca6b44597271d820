module SerialP {
    provides interface Send;
    provides interface Init;
    uses interface Uart;
}
implementation {
    norace report_t *sending;
    norace uint8_t at, got;

    command error_t Init.init()
    {
        call Uart.open();
        return SUCCESS;
    }

    command error_t Send.send(report_t *report)
    {
        uint8_t i, sum = 0, *bytes = (uint8_t *)report;
        if (sending)
            return EBUSY;
        for (i = 0; i < sizeof(report_t) - 1; i++)
            sum += bytes[i];
        report->check = sum;
        atomic {
            sending = report;
            at = 1;
        }
        call Uart.put(bytes[0]);
        return SUCCESS;
    }

    task void done()
    {
        report_t *r = sending;
        sending = NULL;
        signal Send.sendDone(r, SUCCESS);
    }

    async event void Uart.putDone()
    {
        if (at < sizeof(report_t))
            call Uart.put(((uint8_t *)sending)[at++]);
        else
            post done();
    }

    task void received() { signal Send.received(got); }

    async event void Uart.got(uint8_t byte)
    {
        got = byte;
        post received();
    }
}
