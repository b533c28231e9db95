"""What the development checks share: cases are checked one after another, or several at once, and told as they end."""
import concurrent.futures
import os
import sys


def add_arguments(parser, jobs=False):
    parser.add_argument("--only", default="", metavar="TEXT", help="cases whose name holds TEXT")
    parser.add_argument("--keep", metavar="DIR", help="what was made stays there")
    if jobs:
        parser.add_argument("--jobs", type=int, default=1)


def cases(patterns, only):
    """(name, path) of each file; that of a model.onnx is its folder's name."""
    for pattern in patterns:
        for path in pattern:
            folder, name = os.path.split(path)
            name = os.path.basename(folder) if name == "model.onnx" else name
            if only in name:
                yield name, path


def run(found, check, jobs=1, third="skipped", show_passed=False):
    """check(path) gives (state, why), state being "passed", "failed" or `third`; what it throws is a failure. Tells every case that
    did not pass, and ends with "N passed, N failed, N <third>". True when none failed."""
    counts = {"passed": 0, "failed": 0, third: 0}

    def guarded(case):
        try:
            return check(case[1])
        except Exception as e:
            return "failed", "%s: %s" % (type(e).__name__, str(e)[:600].replace("\n", " | "))

    found = list(found)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for (name, _), (state, why) in zip(found, pool.map(guarded, found) if jobs > 1 else map(guarded, found)):
            counts[state] += 1
            if state != "passed" or show_passed:
                print("%s %s%s" % (state if state == "passed" else state.upper(), name, ": " + why if why else ""), flush=True)
    print(", ".join("%d %s" % (n, state) for state, n in counts.items()))
    return not counts["failed"]
