#!/bin/sh
# Time and peak memory of `hone opt` (proof included) on generated models of N / 10 and N nodes: does either grow worse than
# n log n? Prints a table; with --large also the classifier of 553 MB and the matrix products of 3 GB (needs 12 GB of disk).
# usage: bench/scale/run.sh HONE [--large] [KIND]...      N=100000  REPEAT=3  PYTHON=python3 (with numpy and onnx)
set -eu
export LC_ALL=C
hone=$(cd "$(dirname "${1:?usage: bench/scale/run.sh HONE [--large] [KIND]...}")" && pwd)/$(basename "$1")
shift
cd "$(dirname "$0")"
n=${N:-100000}
repeat=${REPEAT:-3}
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
large=
[ "${1:-}" != --large ] || { large=yes; shift; }
kinds=${*:-$("$python" generate.py --list | cut -d' ' -f1)}

# seconds, processor seconds, peak MB, last line but one of the report; the best of some runs
measure() {
	"$python" - "$@" <<'END'
import os, sys, time
repeat, hone, model, out = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
best = None
for _ in range(repeat):
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execv(hone, [hone, "opt", model, "-o", out])
    _, status, use = os.wait4(pid, 0)
    if status:
        sys.exit("%s: exit %d" % (model, os.waitstatus_to_exitcode(status)))
    run = (time.monotonic() - start, use.ru_utime + use.ru_stime, use.ru_maxrss / 1000 * 1.024)
    best = run if best is None or run < best else best
print("%.3f %.3f %.1f" % best)
END
}

printf '%-20s | %9s | %9s | %9s | %9s | %6s | %8s\n' model 'nodes' 'seconds' 'cpu s' 'cpu s /10' 'ratio' 'peak MB'
printf '%s\n' '--- | --: | --: | --: | --: | --: | --:'
for kind in $kinds; do
	"$python" generate.py "$kind" $((n / 10)) "$work/small.onnx"
	"$python" generate.py "$kind" "$n" "$work/big.onnx"
	small=$(measure "$repeat" "$hone" "$work/small.onnx" "$work/out.onnx")
	big=$(measure "$repeat" "$hone" "$work/big.onnx" "$work/out.onnx")
	echo "$kind $n $small $big" | awk '{ printf "%-20s | %9d | %9.2f | %9.2f | %9.3f | %6.1f | %8.0f\n", $1, $2, $6, $7, $4, $7 / $4, $8 }'
done
[ -n "$large" ] || exit 0
for kind in vgg16 vgg16-bn gemms one-file; do
	case $kind in vgg*) size=0 ;; *) size=3000 ;; esac
	"$python" generate.py $kind $size "$work/large.onnx"
	measure 1 "$hone" "$work/large.onnx" "$work/out.onnx" | {
		read -r seconds cpu peak
		printf '%-20s | %9s | %9.2f | %9.2f | %9s | %6s | %8.0f\n' $kind - "$seconds" "$cpu" - - "$peak"
	}
	"$hone" info "$work/out.onnx" >/dev/null
	rm -f "$work"/*
done
