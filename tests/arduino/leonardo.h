/* A Leonardo's Serial is USB, which is not modelled; its sketches speak over the pins 0 and 1 here. */
#define Serial Serial1
