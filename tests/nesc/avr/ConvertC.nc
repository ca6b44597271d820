module ConvertC {
    provides interface Convert;
}
implementation {
    async command error_t Convert.start(uint8_t channel)
    {
        converter_t c = {6, TRUE, TRUE, FALSE, TRUE, TRUE};
        if ((*(converter_t *)&ADCSRA).adsc)
            return EBUSY;
        ADMUX = channel;
        ADCSRA = *(uint8_t *)&c;
        return SUCCESS;
    }

    NONATOMIC_HANDLER(ADC_vect)
    {
        uint16_t v;
        atomic {
            v = ADCL;
            v |= (uint16_t)ADCH << 8;
        }
        signal Convert.done(v);
    }
}
