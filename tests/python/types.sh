# Type hints are complete and right (mypy --strict), every public name has a docstring, and lines are not too long.
. "$SOURCE/tests/lib/core.sh"
command="mypy" status=-
cd "$PYTHONPATH" || exit 1
mypy --config-file "$SOURCE/python/pyproject.toml" --cache-dir "$work/cache" -p motet >"$work/out" 2>&1 || fail "types"
command="docstrings"
"$PYTHON" - >"$work/out" 2>&1 <<'P' || fail "every public class and function should have a docstring"
import inspect, sys, motet
bare = []
for name in motet.__all__:
    thing = getattr(motet, name)
    if not (inspect.isclass(thing) or inspect.isfunction(thing)):
        continue
    members = vars(thing).items() if inspect.isclass(thing) else []
    things = [(name, thing)] + [(f"{name}.{n}", m) for n, m in members if not n.startswith("_")]
    bare += [n for n, t in things if (callable(t) or isinstance(t, property)) and not inspect.getdoc(t)]
sys.exit("\n".join(bare) or 0)
P
finish
