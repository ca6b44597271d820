# What cannot be logged is refused with a sentence and status 2.
. "$SOURCE/tests/lib/expect.sh"
elf=$FIRMWARE/interface-atmega328p-Os.elf unsized=$FIRMWARE/interface-atmega328p-unsized.elf
motet run --log-interface "compenent.c=$work/log" "$elf"
expect_complaint "no function of the firmware comes from a file 'compenent.c'; did you mean \`component.c\`?"
motet run --log-interface "component_pol=$work/log" "$elf"
expect_complaint "the firmware has no function 'component_pol'; did you mean component_poll?"
motet run --log-interface "kit/=$work/log" "$elf"
expect_complaint "no function of the firmware comes from a file in 'kit/'"
motet run --log-interface "Ctp*=$work/log" "$elf"
expect_complaint "no function of the firmware has a name like 'Ctp*'"
motet run --log-interface "component.c,,x=$work/log" "$elf"
expect_complaint "is not PIECE,...[=FILE]"
motet run --log-interface "component.c=" "$elf"
expect_complaint "the name of a file is missing"
motet run --monitor interface "$elf"
expect_complaint "which component? Give of=, such as of=route.c"
motet run --board micaz --nodes 2 --log-interface "collection.c=$work/log" "$FIRMWARE/collect-micaz.elf"
expect_complaint "holds one node; give each its own file"

# A buffer without a size, and its cure.
motet run --log-interface "component.c=$work/log" "$unsized"
expect_complaint "\`text\` of outside_note points to bytes, and nothing says how many; write a line \`log outside_note(text): text[SIZE]\`"
echo 'log outside_note(text): text[4]' >"$work/my.interface"
motet run --quiet --for 1s --log-interface "component.c,$work/my.interface=$work/log" "$unsized"
expect_status 0
motet run --quiet --for 1s --monitor "interface:of=component.c,describe=$work/my.interface,format=jsonl" "$unsized"
expect_out '"expression": "text[4]", "address": '

# Descriptions that do not fit, with file and line.
describe() { # LINE SENTENCE
    printf '# a comment\n%s\n' "$1" >"$work/my.interface"
    motet run --log-interface "component.c,$work/my.interface=$work/log" "$elf"
    expect_complaint "my.interface:2: $2"
}
describe 'sends x' "a line begins with send, sent, receive or log: 'sends x'"
describe 'log (' "a ) is missing"
describe 'log outside_send(m): m->date[m->length]' "outside_send: \`m->date[m->length]\`: struct message has no member date"
describe 'log outside_send(m): n->data[m->length]' "outside_send: \`n->data[m->length]\`: the function has no parameter n"
describe 'log outside_send(m): m' "outside_send: \`m\`: it has no size; write how many elements there are"
describe 'log outside_send(m): to=m->data[0]' "outside_send: \`m->data[0]\`: it must be a parameter, \`result\`, or a member"
describe 'log outside_send(m): m->data[m->length' "outside_send: \`m->data[m->length\`: a ] is missing"
describe 'log component_sum(): result[2]' "component_sum: \`result[2]\`: a part of it is no pointer"
motet run --log-interface "component.c,$work/none.interface=$work/log" "$elf"
expect_complaint "none.interface: No such file or directory"

# A firmware without debug information.
cp "$elf" "$work/stripped.elf" && avr-strip --strip-debug "$work/stripped.elf"
motet run --board atmega328p --log-interface "component.c=$work/log" "$work/stripped.elf"
expect_complaint "has no debug information, so nothing is known of its functions; compile it with -g"
finish
