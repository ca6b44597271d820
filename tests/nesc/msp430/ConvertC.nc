module ConvertC {
    provides interface Convert;
}
implementation {
    async command error_t Convert.start(uint8_t channel)
    {
        converter_t c = *(converter_t *)&ADC12CTL0;
        if (c.adc12sc || ((converter_t *)&ADC12CTL0)->enc)
            return EBUSY;
        ADC12CTL0 = ADC12ON | REFON;
        ADC12CTL1 = SHP | (channel & 3) * CSTARTADD_1;
        *((uint8_t *)ADC12MCTL + (channel & 3)) = SREF_1 | (channel & 3) << 1;
        ADC12IE = 0xf;
        ADC12CTL0 |= ENC | ADC12SC;
        return SUCCESS;
    }

    ATOMIC_HANDLER(adc12, ADC12_VECTOR)
    {
        uint8_t i = (ADC12IV - 6) >> 1;
        uint16_t v = *((uint16_t *)ADC12MEM + i);
        ADC12CTL0 &= ~ENC;
        signal Convert.done(v);
    }
}
