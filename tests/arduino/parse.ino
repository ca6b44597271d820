// Reads numbers with the Stream functions, whose timeouts come from millis().
void setup() {
  Serial.begin(9600);
  Serial.setTimeout(200);
  Serial.println("numbers?");
}

void loop() {
  if (Serial.available() > 0) {
    long whole = Serial.parseInt();
    float part = Serial.parseFloat();
    String rest = Serial.readStringUntil('\n');
    rest.trim();
    Serial.print(whole * 2);
    Serial.print(" / ");
    Serial.print(part / 2, 3);
    Serial.print(" / ");
    Serial.println(rest);
  }
}
