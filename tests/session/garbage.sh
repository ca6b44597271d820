# For any input, the debugger lives and answers.
. ./lines.sh

# Commands with the wrong arguments, and the right things cut off or nested without end.
deep=$(printf '%0400d' 0 | tr 0 '(')
long=$(printf '%03000d' 7)
commands='break tbreak watch rwatch awatch delete condition enable disable step next stepi nexti finish reverse-step
reverse-next reverse-stepi seek when checkpoint restart last-write where frame up down print x set info list disassemble
nodes node packets save help'
{
    echo 'tbreak square'
    echo 'continue'
    for command in $commands; do
        for argument in '' 0 -1 99999999999999999999 '*' '&' '((' ')' '[' ']' 'total[' 'total.' 'total->' '*total' '$' \
            "'" "'\\" '"' '/' '/999999999x' '/xg -1' '@' '@-1' ' if ' 'total if' 'total node' 'total node 9' '1 if 1/0' \
            'total = ' '= 5' 'a::b::c' ':' '::' ':7' 'counter.c:' 'counter.c:0' '99999:99999' '1+' '1 << 99' '1 / 0' \
            '-9223372036854775807 - 1' '(-9223372036854775807 - 1) / -1' '%s%n' "$deep" "$long" '-' '--'; do
            case "$command $argument" in save\ ?*) continue ;; esac
            printf '%s %s\n' "$command" "$argument"
        done
    done
    LC_ALL=C awk 'BEGIN { srand(7); for (i = 0; i < 20000; i++) printf "%c", 1 + int(rand() * 255) }'
    printf '\nquit\n'
} >"$work/commands"
session debug "$FIRMWARE/debug-counter.elf" <"$work/commands"
case $status in 0) ;; *) show 'it should have lived' ;; esac
expect 'Temporary breakpoint 1'
finish
