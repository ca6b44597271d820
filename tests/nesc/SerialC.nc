configuration SerialC {
    provides interface Send;
}
implementation {
    components SerialP, UartC, MainC;
    Send = SerialP;
    SerialP.Uart -> UartC;
    MainC.SoftwareInit -> SerialP.Init;
}
