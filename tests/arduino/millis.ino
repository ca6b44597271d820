// How far millis() and micros() drift from delay(), and from each other.
void setup() {
  Serial.begin(115200);
  unsigned long m = millis(), u = micros();
  for (int i = 0; i < 5; i++) {
    delay(1000);
    unsigned long m2 = millis(), u2 = micros();
    Serial.print(m2 - m);
    Serial.print(' ');
    Serial.println(u2 - u);
    m = m2;
    u = u2;
  }
  u = micros();
  for (int i = 0; i < 100; i++)
    delayMicroseconds(100);
  u = micros() - u;
  Serial.println(u >= 9900 && u <= 10400 ? "delayMicroseconds right" : "delayMicroseconds wrong");
}

void loop() {
}
