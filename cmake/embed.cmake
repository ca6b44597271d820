# usage: cmake -DINPUT=FILE -DOUTPUT=HEADER -DNAME=name -P embed.cmake
# A file as an array of C, with a zero byte at its end. A line @NAME@ in it stands for the file NAME beside it.
get_filename_component(folder ${INPUT} DIRECTORY)
file(READ ${INPUT} bytes HEX)
file(STRINGS ${INPUT} places REGEX "^@[a-z.]+@$")
foreach(place ${places})
    string(REPLACE "@" "" name ${place})
    string(HEX "${place}" place)
    file(READ ${folder}/${name} part HEX)
    string(REPLACE "${place}0a" "${part}" bytes "${bytes}")
endforeach()
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "static const char ${NAME}[] = {\n${bytes}0};\n")
