#!/usr/bin/env python3
"""Processor time of one run, one thread, against ONNX Runtime: for machines that others use too.

usage: cpu_time.py HONE MODEL.onnx...

Prints a Markdown table: user time a run of `hone bench` (a long measurement less a short one, so that loading and packing drop
out) and of onnxruntime's session.run, the mean over the runs of a few seconds, in milliseconds. A ratio above 1: hone needs less.
"""
import json
import os
import resource
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from peers import feeds_for  # noqa: E402


def user_time(who):
    return resource.getrusage(who).ru_utime


def hone_for(hone, path, seconds):
    start = user_time(resource.RUSAGE_CHILDREN)
    done = subprocess.run([hone, "bench", "--json", "-j", "1", "--seconds", str(seconds), path], capture_output=True, text=True)
    if done.returncode:
        return None
    return user_time(resource.RUSAGE_CHILDREN) - start, json.loads(done.stdout)["results"][0]["runs"]


def hone_time(hone, path):
    short, long = hone_for(hone, path, 0.1), hone_for(hone, path, 3)
    return (long[0] - short[0]) / (long[1] - short[1]) if short and long and long[1] > short[1] else None


def onnxruntime_time(path):
    import numpy as np
    import onnxruntime as ort
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    feeds = feeds_for([(i.name, i.shape, i.type) for i in session.get_inputs()])
    for i in session.get_inputs():
        if i.type == "tensor(float16)":
            feeds[i.name] = feeds[i.name].astype(np.float16)
    session.run(None, feeds)
    begin, start, runs = user_time(resource.RUSAGE_SELF), time.time(), 0
    while time.time() - start < 2.5:
        session.run(None, feeds)
        runs += 1
    return (user_time(resource.RUSAGE_SELF) - begin) / runs


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    print("| model | hone ms | onnxruntime ms | ratio |\n| --- | --- | --- | --- |")
    for path in sys.argv[2:]:
        own, peer = hone_time(sys.argv[1], path), onnxruntime_time(path)
        name = os.path.basename(path).removesuffix(".onnx")
        print(f"| {name} | {own * 1e3:.3f} | {peer * 1e3:.3f} | {peer / own:.2f} |" if own else f"| {name} | failed |", flush=True)


if __name__ == "__main__":
    main()
