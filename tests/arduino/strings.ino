// Strings on the heap, and what avr-libc's formatting makes of numbers.
void setup() {
  Serial.begin(115200);
  String a = "Motet", b;
  for (int i = 0; i < 20; i++)
    b += String(i) + ',';
  Serial.println(b);
  a.toUpperCase();
  Serial.println(a + " has " + a.length() + " letters");
  Serial.println(a.indexOf('T'));
  Serial.println(b.substring(10, 20));
  b.replace(",1", "-");
  Serial.println(b);
  Serial.println(String(3.14159, 3) + String(255, HEX));
  Serial.println(String("12.50").toFloat() * 2);
  Serial.println(String("apple") < String("banana") ? "less" : "not less");
  char text[40], number[12];
  dtostrf(-273.15, 9, 3, number);
  snprintf(text, sizeof text, "%05d|%-6s|%x|%s", -42, "ab", 0xBEEF, number);
  Serial.println(text);
}

void loop() {
}
