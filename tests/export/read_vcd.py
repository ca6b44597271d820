#!/usr/bin/env python3
"""usage: read_vcd.py FILE [VARIABLE]
A reader of value change dumps after IEEE 1364-2005, clause 18, that shares nothing with the writer: prints the changes of
all variables, or of one, as "TIME SCOPE.NAME VALUE", and fails on what the standard does not allow."""
import re
import sys


def fail(what):
    sys.exit(f"{sys.argv[1]}: {what}")


def header(tokens):
    variables, scopes, timescale = {}, [], None
    for token in tokens:
        if token == "$enddefinitions":
            if next(tokens) != "$end" or scopes or not timescale:
                fail("the definitions are not complete")
            return variables
        if token not in ("$version", "$date", "$timescale", "$scope", "$upscope", "$var", "$comment"):
            fail(f"{token} among the definitions")
        words = []
        for word in tokens:
            if word == "$end":
                break
            words.append(word)
        if token == "$scope":
            if words[0] != "module" or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_$]*", words[1]):
                fail(f"scope {words}")
            scopes.append(words[1])
        elif token == "$upscope":
            scopes.pop()
        elif token == "$timescale":
            timescale = words
            if not re.fullmatch(r"1(00?)?(s|ms|us|ns|ps|fs)", "".join(words)):
                fail(f"timescale {words}")
        elif token == "$var":
            kind, width, code, name = words
            if code in variables:
                fail(f"the identifier {code} is there twice")
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_$]*", name):
                fail(f"name {name}")
            variables[code] = (".".join(scopes + [name]), kind, int(width))
    fail("no $enddefinitions")


def value_of(text, kind, width):
    if text[0] in "rR":
        if kind != "real":
            fail("a real value of a variable that is none")
        return float(text[1:])
    digits = text[1:] if text[0] in "bB" else text
    if len(digits) > width or (width > 1 and text[0] not in "bB") or not re.fullmatch("[01xXzZ]+", digits):
        fail(f"value {text} of {width} bits")
    return int(digits, 2) if re.fullmatch("[01]+", digits) else "x"


def main():
    tokens = iter(open(sys.argv[1], encoding="ascii").read().split())
    variables = header(tokens)
    wanted = sys.argv[2] if len(sys.argv) > 2 else None
    time = None
    for token in tokens:
        if token in ("$dumpvars", "$end"):
            continue
        if token[0] == "#":
            if time is not None and int(token[1:]) < time:
                fail("time goes back")
            time = int(token[1:])
            continue
        if token[0] in "bBrR":
            text, code = token, next(tokens)
        else:
            text, code = token[0], token[1:]
        if code not in variables or time is None:
            fail(f"a change of {code}, which is not there, or before the first time")
        name, kind, width = variables[code]
        value = value_of(text, kind, width)
        if value != "x" and wanted in (None, name):
            print(time, name, value)
    print("end", time)


main()
