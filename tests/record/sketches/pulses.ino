// pulseIn with interrupts on: a fast timer whose handler lets others in, so that interrupts come within interrupts that
// came in the routine, which is written in assembly and counts cycles.
volatile unsigned fast, nested;
unsigned long sum;

ISR(TIMER2_COMPA_vect, ISR_NOBLOCK) {
  fast++;
  for (byte i = 0; i < 20; i++)
    nested += i;
}

void setup() {
  Serial.begin(9600);
  analogWrite(9, 90);
  TCCR2A = _BV(WGM21);
  TCCR2B = _BV(CS21);
  OCR2A = 199; // every 100 us
  TIMSK2 = _BV(OCIE2A);
}

void loop() {
  sum += pulseIn(9, HIGH, 20000);
  sum += pulseIn(9, LOW, 20000);
  sum += pulseIn(12, HIGH, 300);
  Serial.println(sum);
}
