"""Prints a C program that is wrong where cffi and the compiler disagree about a struct of the public headers."""

import sys

from motet._declarations import ffi

print("#include <motet/interface.h>\n#include <motet/motet.h>\n#include <stddef.h>")
count = 0
for name in ffi.list_types()[1]:
    kind = ffi.typeof(f"struct {name}")
    if not name.startswith("motet_") or kind.fields is None:
        continue
    count += 1
    print(f'_Static_assert(sizeof(struct {name}) == {ffi.sizeof(kind)}, "{name}");')
    for field, of in kind.fields:
        if field:
            print(f'_Static_assert(offsetof(struct {name}, {field}) == {of.offset}, "{name}.{field}");')
sys.exit(0 if count > 50 else f"only {count} structs")
