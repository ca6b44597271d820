// Sends back what comes in, one line at a time, with its length.
String line;

void setup() {
  Serial.begin(57600);
  Serial.println("ready");
}

void loop() {
  while (Serial.available() > 0) {
    char c = Serial.read();
    if (c == '\n') {
      Serial.print(line.length());
      Serial.print(": ");
      Serial.println(line);
      line = "";
    } else {
      line += c;
    }
  }
}
