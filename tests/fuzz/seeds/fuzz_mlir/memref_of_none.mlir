func.func  @f(memref<4x?xf32>loc(unknown), memref<2xnone>)
