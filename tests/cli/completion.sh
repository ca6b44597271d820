# Completion in real shells: verbs, options, boards, files. Everything comes from the tables of verbs and options.
. "$SOURCE/tests/lib/expect.sh"
for shell in bash zsh fish; do
    motet help --completion $shell
    expect_status 0
    expect_no_err
    cp "$work/out" "$work/$shell"
done
for verb in $("$MOTET" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    "$MOTET" help "$verb" | sed -n "s/^  --\([a-z-]*\).*/$verb \1/p"
done | sort >"$work/options"
awk '/^    [a-z]+\)$/ { sub(/\)/, ""); verb = $1 } /^        words=/ { gsub(/.*="|"|--/, ""); for (i = 1; i <= NF; i++) print verb, $i }' \
    "$work/bash" | sort >"$work/known.bash"
awk '/^    [a-z]+\)$/ { sub(/\)/, ""); verb = $1 } /^            .\*?--/ { sub(/^[^-]*--/, ""); sub(/[=[].*/, ""); print verb, $0 }' \
    "$work/zsh" | sort >"$work/known.zsh"
sed -n "s/.*seen_subcommand_from \([a-z]*\)' -l \([a-z-]*\).*/\1 \2/p" "$work/fish" | sort >"$work/known.fish"
for shell in bash zsh fish; do
    command="motet help --completion $shell"
    diff "$work/options" "$work/known.$shell" >"$work/out" || fail "$shell should know all options and no others"
done
motet help --completion csh
expect_complaint "'csh' is none of bash, zsh and fish"
motet help --completion
expect_complaint "--completion needs a value"

mkdir "$work/here" && cd "$work/here" || exit 1
mkdir 'a folder' && : >'my firmware.elf' && : >'a folder/run.motet'

# $work/out should be these lines, in any order.
is() { # SHELL LINE WHAT...
    command="$1: $2" status=-
    shift 2
    : >"$work/err"
    printf '%s\n' "$@" | sort >"$work/wanted"
    sort "$work/out" | cmp -s - "$work/wanted" || fail "it should complete to: $*"
}

# ---- bash: its function, as readline calls it ----
in_bash() { # WORDS..., the last of which is completed
    bash -c '. "$0"; compopt() { :; }; COMP_WORDS=(motet "$@"); COMP_CWORD=$#; _motet; printf "%s\n" "${COMPREPLY[@]}"' \
        "$work/bash" "$@" >"$work/out" 2>&1
}
bash -n "$work/bash" || fail "bash should understand its file"
in_bash sw
is bash "sw" sweep
in_bash run --boar
is bash "run --boar" --board
in_bash run --board tel
is bash "run --board tel" telosb
in_bash run --board = tel
is bash "run --board=tel" telosb
in_bash check --seed ''
is bash "check --seed" ''
in_bash run --board uno my
is bash "run my" 'my firmware.elf'
in_bash sweep --keep a
is bash "sweep --keep a" 'a folder'
in_bash run --monitor prof
is bash "run --monitor prof" profile
in_bash help ru
is bash "help ru" run
in_bash boards ''
is bash "boards" --help --json

# ---- fish: asked for what it would show ----
in_fish() {
    HOME=$work fish --no-config -c "source $work/fish; complete -C '$1'" 2>&1 | cut -f 1 >"$work/out"
}
in_fish 'motet sw'
is fish "sw" sweep
in_fish 'motet run --boar'
is fish "run --boar" --board
in_fish 'motet run --board tel'
is fish "run --board tel" telosb
in_fish 'motet run --board=tel'
is fish "run --board=tel" --board=telosb
in_fish 'motet run my'
is fish "run my" 'my firmware.elf'
in_fish 'motet sweep --keep a'
is fish "sweep --keep a" 'a folder/'
in_fish 'motet help ru'
is fish "help ru" run

# ---- zsh: keys on a terminal; what a line has become is what a function gets ----
mkdir "$work/functions" && cp "$work/zsh" "$work/functions/_motet"
cat >"$work/zshrc" <<'Z'
fpath=($work/functions $fpath)
autoload -Uz compinit && compinit -u -d $work/dump
motet() { print -rl -- "$@" >$work/out; }
PS1='READY> '
Z
in_zsh() { # LINE
    rm -f "$work/out"
    export work
    timeout 20 zsh -f -c '
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell "source $work/zshrc"
        zpty -r shell seen "*READY> *"
        zpty -w -n shell "$0$(print -n "\t\r")"
        zpty -r shell seen "*READY> *"
        zpty -d shell' "$1" </dev/null >/dev/null 2>"$work/err"
    touch "$work/out"
}
zsh -n "$work/zsh" || fail "zsh should understand its file"
in_zsh 'motet sw'
is zsh "sw" sweep
in_zsh 'motet run --boar'
is zsh "run --boar" run --board # zsh takes the = back
in_zsh 'motet run --board tel'
is zsh "run --board tel" run --board telosb
in_zsh 'motet run --board=tel'
is zsh "run --board=tel" run --board=telosb
in_zsh 'motet run --quiet my'
is zsh "run my" run --quiet 'my firmware.elf'
in_zsh 'motet help ru'
is zsh "help ru" help run
finish
