# usage: cmake -DINPUT=FILE -DOUTPUT=HEADER -DNAME=name -P embed.cmake
# A file as an array of C, with a zero byte at its end.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "static const char ${NAME}[] = {\n${bytes}0};\n")
