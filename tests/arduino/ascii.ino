// A table of the printable characters, as the classic example prints it, in more text than the send buffer holds.
void setup() {
  Serial.begin(115200);
  for (int character = 33; character < 127; character++) {
    Serial.write(character);
    Serial.print(", dec: ");
    Serial.print(character);
    Serial.print(", hex: ");
    Serial.print(character, HEX);
    Serial.print(", oct: ");
    Serial.print(character, OCT);
    Serial.print(", bin: ");
    Serial.println(character, BIN);
  }
  Serial.println("end");
}

void loop() {
}
