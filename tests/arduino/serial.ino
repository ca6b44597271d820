// Prints each kind of number in each base, text from flash, and characters.
void setup() {
  Serial.begin(9600);
  Serial.println("Hello, world");
  Serial.println(F("from flash"));
  Serial.print(78, BIN);
  Serial.print(' ');
  Serial.print(78, OCT);
  Serial.print(' ');
  Serial.print(78, DEC);
  Serial.print(' ');
  Serial.println(78, HEX);
  Serial.println(-123456789L);
  Serial.println(4294967295UL);
  Serial.println(3.14159);
  Serial.println(-2.5, 4);
  Serial.println(1.0 / 0.0);
  Serial.println(sqrt(-1.0));
  Serial.write('!');
  Serial.println();
}

void loop() {
}
