// analogWrite on a pin of each timer, with the extremes, which are plain levels.
void setup() {
  analogWrite(9, 64);
  analogWrite(10, 255);
  analogWrite(11, 1);
  analogWrite(6, 128);
  analogWrite(5, 0);
  delay(50);
  digitalWrite(9, LOW); // turns the PWM off
}

void loop() {
}
