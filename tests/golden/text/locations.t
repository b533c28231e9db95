# Locations: MLIR's forms, read into file, line, column, byte offset and a text.
# run: convert %s -t mlir -o - --locations
# file: input.mlir
---
module {
  func.func @main() {
    "a.b"() : () -> () loc("m.py":3:14)
    "a.b"() : () -> () loc("node \"x\""(fused<120>["m.onnx":0:0]))
    "a.b"() : () -> () loc("name only")
    "a.b"() : () -> () loc(unknown)
    return loc("r":1:1)
  }
}
---
module {
  func.func @main() {
    "a.b"() : () -> () loc("m.py":3:14)
    "a.b"() : () -> () loc("node \"x\""(fused<120>["m.onnx":0:0]))
    "a.b"() : () -> () loc("name only")
    "a.b"() : () -> () loc(unknown)
    return loc("r":1:1)
  }
}
====
# left out unless asked for
# run: convert %s -t mlir -o -
# file: input.mlir
---
module {
  func.func @main() {
    "a.b"() : () -> () loc("m.py":3:14)
    return
  }
}
---
module {
  func.func @main() {
    "a.b"() : () -> ()
    return
  }
}
====
# other forms; an op without one has its place in the text
# run: convert %s -t mlir -o - --locations
# file: input.mlir
---
module {
  func.func @main() {
    "a.b"() : () -> () loc(#loc2)
    "a.b"() : () -> () loc(callsite("f"("a.py":1:2) at "b.py":3:4))
    "a.b"() : () -> () loc(fused["x", "y"])
    "a.b"() : () -> ()
    return
  }
}
#loc = loc("late.py":9:8)
#loc2 = loc(fused<"meta">[unknown, #loc])
---
module {
  func.func @main() {
    "a.b"() : () -> () loc("late.py":9:8)
    "a.b"() : () -> () loc("f"("a.py":1:2))
    "a.b"() : () -> () loc("x")
    "a.b"() : () -> () loc("input.mlir":6:5)
    return loc("input.mlir":7:5)
  }
}
