"""Conversations in the order and with the arguments of Visual Studio Code: vscode-*.jsonl.

Each line is {"send": REQUEST} or {"expect": PART OF A MESSAGE}. Numbers of requests are filled in. What is expected
must come, in this order; other messages may come between.
"""
import glob
import json
import os
import sys

from client import FIRMWARE, SOURCE, Client, Failure, equal, main


def contains(whole, part):
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(k in whole and contains(whole[k], v) for k, v in part.items())
    if isinstance(part, list):
        return isinstance(whole, list) and len(whole) == len(part) and all(map(contains, whole, part))
    return whole == part


def conversation(path):
    c = Client()
    with open(path) as f:
        for number, text in enumerate(f, 1):
            line = json.loads(text.replace("${FIRMWARE}", FIRMWARE).replace("${SOURCE}", SOURCE))
            if "send" in line:
                c.post(line["send"]["command"], **line["send"].get("arguments", {}))
                continue
            try:
                c.wait(lambda m: contains(m, line["expect"]), "message as in %s:%d" % (os.path.basename(path), number))
            except Failure as e:
                raise Failure("%s\nexpected %s" % (e, text.strip()))
    equal("status", c.end(), 0)


def conversations():
    for path in sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "vscode-*.jsonl"))):
        conversation(path)


main([conversations])
