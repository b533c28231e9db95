# Updates of another size than the indices: nothing is read outside of them.
# run: run %s --reference
# stderr: updates whose sizes are not those of the indices and of a window
# file: input.mlir
# exit: 3
---
module {
  func.func @main(%x: tensor<3x4xf32>, %i: tensor<2x1xi64>, %u: tensor<7x4xf32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.scatter"(%x, %i, %u) ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %r = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<3x4xf32>, tensor<2x1xi64>, tensor<7x4xf32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
---
