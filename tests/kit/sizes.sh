# The table of sizes has a line for each application, and they stay small; what docs/kit.md shows of it is not far off.
. "$SOURCE/tests/lib/expect.sh"
command=firmware-sizes
"$SOURCE/scripts/firmware-sizes" "$FIRMWARE" >"$work/out" 2>"$work/err"
status=$?
expect_status 0
expect_no_err
awk '$1 == "blink" { split($3, size, "/"); good = size[1] > 500 && size[1] < 4000 && size[2] > 20 && size[2] < 300 }
    END { exit !good }' "$work/out" || fail "blink on micaz should take less than 4000 bytes of flash and 300 of RAM"

command="the target firmware-sizes"
cp "$FIRMWARE/sizes.txt" "$work/out"
tail -n +2 "$work/out" | while read -r application rest; do
    grep -q "[ |]$application[ ,|]" "$SOURCE/docs/kit.md" || echo "$application is not in docs/kit.md"
    [ -f "$FIRMWARE/$application-micaz.elf" ] || echo "$application: $rest, but it is not there"
done >"$work/err"
expect_no_err
sed -n '/^flash\/RAM/,/^```/p' "$SOURCE/docs/kit.md" | awk '
    NR == FNR { for (i = 2; i <= NF; i++) built[$1, i] = $i; known[$1] = 1; next }
    $1 in known && FNR > 1 {
        lines++
        for (i = 2; i <= NF; i++) {
            if ($i == "-" || built[$1, i] == "-") continue
            split($i, shown, "/")
            split(built[$1, i], now, "/")
            for (part = 1; part <= 2; part++)
                if (shown[part] > 1.5 * now[part] || now[part] > 1.5 * shown[part])
                    print $1, $i, "is now", built[$1, i] ": copy build/firmware/sizes.txt into docs/kit.md"
        }
    }
    END { if (lines < 10) print "the table is not in docs/kit.md" }' "$work/out" - >"$work/err"
expect_no_err
finish
