// Measures our own PWM with pulseIn: 490 Hz on pin 9, so 8 us a step of the duty cycle.
void setup() {
  Serial.begin(9600);
  const int duties[] = {32, 127, 200};
  for (int i = 0; i < 3; i++) {
    analogWrite(9, duties[i]);
    delay(5);
    noInterrupts(); // the clock's own interrupt would lengthen what is measured
    unsigned long high = pulseIn(9, HIGH, 20000), low = pulseIn(9, LOW, 20000);
    interrupts();
    Serial.print(duties[i]);
    Serial.print(": ");
    Serial.print((high + 4) / 8);
    Serial.print(' ');
    Serial.println((low + 4) / 8);
  }
  digitalWrite(9, LOW);
  Serial.println(pulseIn(9, HIGH, 3000));
}

void loop() {
}
