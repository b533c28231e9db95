# Modules and functions: what is written here is printed again unless a case says otherwise.
# the smallest module
# run: convert %s -t mlir -o -
# file: input.mlir
---
module {
}
---
module {
}
====
# a function alone gets a module around it
# run: convert %s -t mlir -o -
# file: input.mlir
---
func.func @main() { return }
---
module {
  func.func @main() {
    return
  }
}
====
# name and attributes of the module; a name of ours is escaped
# run: convert %s -t mlir -o -
# file: input.mlir
---
module @"my net" attributes {hone.attr.hone.x = 1, ir_version = 8, "key with blanks" = {a, b = "c"}, hone.format = "onnx"} {
}
---
module @"my net" attributes {hone.attr.hone.x = 1, ir_version = 8, "key with blanks" = {a, b = "c"}, hone.format = "onnx"} {
}
====
# metadata, names and defaults of the interface
# run: convert %s -t mlir -o -
# file: input.mlir
---
module {
  func.func @main(%x: tensor<[n]x3xf32> {doc_string = "the image"}, %0: tensor<2xf32> {hone.default = dense<[1.0, 2.0]> : tensor<2xf32>, hone.name = "input.1/a"}) -> (tensor<[n]x3xf32> {doc_string = "the image", hone.name = "out put"}, tensor<2xf32>) attributes {hone.block = "torch-jit-export", hone.block_meta = {doc_string = "all of it"}} {
    return %x, %0 : tensor<[n]x3xf32>, tensor<2xf32>
  }
}
---
module {
  func.func @main(%x: tensor<[n]x3xf32> {doc_string = "the image"}, %0: tensor<2xf32> {hone.default = dense<[1.0, 2.0]> : tensor<2xf32>, hone.name = "input.1/a"}) -> (tensor<[n]x3xf32> {doc_string = "the image", hone.name = "out put"}, tensor<2xf32>) attributes {hone.block = "torch-jit-export", hone.block_meta = {doc_string = "all of it"}} {
    return %x, %0 : tensor<[n]x3xf32>, tensor<2xf32>
  }
}
====
# visibility, library functions and a main that is not called main
# run: convert %s -t mlir -o -
# file: input.mlir
---
module {
  func.func private @helper() {
    return
  }
  func.func @"my.domain::f:v2"() attributes {hone.library} {
    return
  }
  func.func public @first() {
    return
  }
  func.func @second() attributes {hone.main} {
    return
  }
}
---
module {
  func.func private @helper() {
    return
  }
  func.func @"my.domain::f:v2"() attributes {hone.library} {
    return
  }
  func.func public @first() {
    return
  }
  func.func @second() attributes {hone.main} {
    return
  }
}
====
# a module without a main function
# run: convert %s -t mlir -o -
# file: input.mlir
---
module attributes {hone.no_main} {
  func.func @main() {
    return
  }
}
---
module attributes {hone.no_main} {
  func.func @main() {
    return
  }
}
