// The arithmetic of the core: random, map, constrain, and the mathematics of avr-libc.
void setup() {
  Serial.begin(115200);
  randomSeed(42);
  for (int i = 0; i < 5; i++) {
    Serial.print(random(1000));
    Serial.print(' ');
  }
  Serial.println(random(-50, 50));
  Serial.println(map(300, 0, 1023, 0, 255));
  Serial.println(constrain(500, 0, 255));
  Serial.println(sin(1.0), 6);
  Serial.println(pow(2.0, 0.5), 6);
  Serial.println(atan2(1.0, -1.0), 6);
  Serial.println(log(10.0) * exp(1.5), 5);
  Serial.println(isnan(0.0 / 0.0));
  Serial.println(123456789L / 1000L * 7 % 1013);
}

void loop() {
}
