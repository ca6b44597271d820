// attachInterrupt on every edge; the sketch itself drives the pin, which is allowed and also triggers the interrupt.
const byte pin = 2;
volatile int rising, falling, change;

void onRising() { rising++; }
void onFalling() { falling++; }
void onChange() { change++; }

void pulses(int count) {
  for (int i = 0; i < count; i++) {
    digitalWrite(pin, HIGH);
    delayMicroseconds(20);
    digitalWrite(pin, LOW);
    delayMicroseconds(20);
  }
}

void setup() {
  Serial.begin(9600);
  pinMode(pin, OUTPUT);
  attachInterrupt(digitalPinToInterrupt(pin), onRising, RISING);
  pulses(3);
  attachInterrupt(digitalPinToInterrupt(pin), onFalling, FALLING);
  pulses(5);
  attachInterrupt(digitalPinToInterrupt(pin), onChange, CHANGE);
  pulses(7);
  noInterrupts();
  pulses(4); // remembered once
  interrupts();
  delayMicroseconds(5);
  detachInterrupt(digitalPinToInterrupt(pin));
  pulses(9);
  Serial.print(rising);
  Serial.print(' ');
  Serial.print(falling);
  Serial.print(' ');
  Serial.println(change);
}

void loop() {
}
