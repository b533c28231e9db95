# ops of stablehlo as MLIR writes them, without VHLO; attributes of their own forms
# run: info --version > /dev/null; base64 -d %s > %t/a.bc && hone convert %t/a.bc -t mlir -o -
# file: input.b64
---
TUzvUg1NTElSMjMuMC4wZ2l0AAE/BwEFCSkBAw8DBQcTBSMXExsfIycrLzM3Oz9DR0tPUwPbnSsBfQsPCw9TExsLCwsLCxMLCxMTExMTExMvExtTE08TExMT
ExMPEx8TjxMzExMTDwsLDwsPExMTExMTExMTExMTBSELI0MLKysjHwsLCwsXCxMPASkPBxcPCx8fFzcfFwcXIxcXFwsHDwUDBwLGBwUrEQkBBS0RBwUjBwUh
AQAAAAAAAAACAAAAAAAAABcBAwMDBQ8RE38FLwUxBTMNGwU1FwEFBw0dBTcXATkHFwE5MRcBOwsXAQUnFwEFXxcBBZcXAQXHJRURAQAAAAAAAAABBYN9IwkF
BQABIwcFIQIAAAAAAAAAAgAAAAAAAAAXAQcVJQUhAACAPwAAAEAAAEBAAACAQBcBCRkXAQsVFwENFQEFfX0XARcVFwEZFREJABcBGxUlAQkAAID/FwEdHSUV
QQAAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAFwEfFSMHAxECAAAAAAAAABcBKRUXASsVFwEtFREnCQU5BTsBA2EJBQEDmRcBLxcXATEXFwEzFxcB
NQsXASEVFwEhPRcBIxsXASUPFwEPFRcBDz0XAREbFwETDxEBFwMFAQEBAQUJAQ0FBQkJDQUBBQENBQUJEQMPAwUDAQEBAwEFFwMFAwEBAQMBBR8XFwMFBQ0A
CwEBAwUDAQcFBQkZBw0FIwEBCZchBR0BAQEDFQkbAQMLGwUJCQMBAgQBCRsJCSEhDQMbCQ0NDREDGwUJBQcbBQD//////////xEDGwkJERERAxsFCQkHKxsF
CQklBQkLDQ8RAxMFAwEDARsFCQkJGwUJCSMTAzcBAgIBBJYDBQFQCwEHBHIDAwEJA1EZDQMHBPYCAydDCRclGycfKSMrAAtGNQUDEwUBAwdCOQcDBQ1GOwkD
BQULBQ9WPQsDBQcLBQ0HBC0DBwsFA3UDdwAnBnkDAQUBAwkEewMFEUZBDQMFBQ8LE0ZDDwMfBRELFUZHEQMFBQsRB0JLEwMBF1ZPFQMFBRUXBwQtAwcLBQNt
A28AJQZxAwEFAQMJBHMDBRlGUxcDIQMZG0ZVGQMFAxUdBlcDGQMdH0ZlGwMZAx8hAmcDKSNGaR0DKQUTIwUEawMJA1AfHwcEGQMDBwMDIQAFBCMDAQYDAQUB
ABYEPQUFEQsPCxUFBQkRCxUZERkJHSMRGREPGRMPDxULEWJ1aWx0aW4AZnVuYwBzdGFibGVobG8AbW9kdWxlAHJldHVybgBjb25zdGFudABjb252b2x1dGlv
bgBnYXRoZXIAc2NhdHRlcgBkb3RfZ2VuZXJhbABjb21wYXJlAHRyaWFuZ3VsYXJfc29sdmUAcmVkdWNlX3dpbmRvdwBmZnQAZXhwb25lbnRpYWwAY29udmVy
dABjdXN0b21fY2FsbABhZnRlcl9hbGwAc2VuZABtYXhpbXVtAGFkZAAtAGcAbWhsby5ub3RlAGtlcHQAeC5kaW1zAG1haW4AcHJpdmF0ZQB4AGYACJ8hBQEB
DQEVAQEXARMHgQcBW18BY2cDNweFAQkHAYcHCSYCi38HNgKPCQMDkUUDSQsBmwEJAQVRkwVWAhGzt12/AQHHAQebBwENARsBAQU7
---
module {
  func.func @main(%arg0: tensor<2x8x8x3xf32>, %arg1: tensor<3x3x3x4xf32>, %arg2: tensor<2x1xi64>, %arg3: tensor<?x4xf32>) -> (tensor<2x4x4x4xf32>) attributes {mhlo.note = "kept", x.dims = #stablehlo.scatter<update_window_dims = [1], index_vector_dim = 1>} {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], reverse = [0, 1]} {batch_group_count = 1, feature_group_count = 1, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x4x4x4xf32>
    %1 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    %2 = "stablehlo.gather"(%1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>} : (tensor<2x2xf32>, tensor<2x1xi64>) -> tensor<2x2xf32>
    %3 = "stablehlo.scatter"(%1, %arg2, %2) ({
    ^bb0(%4: tensor<f32>, %5: tensor<f32>):
      %6 = stablehlo.add %4, %5 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true} : (tensor<2x2xf32>, tensor<2x1xi64>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %7 = stablehlo.dot_general %3, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %8 = stablehlo.compare LE, %7, %1, TOTALORDER : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xi1>
    %9 = "stablehlo.triangular_solve"(%1, %7) {left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %11 = "stablehlo.reduce_window"(%9, %10) ({
    ^bb0(%12: tensor<f32>, %13: tensor<f32>):
      %14 = stablehlo.maximum %12, %13 : tensor<f32>
      stablehlo.return %14 : tensor<f32>
    }) {padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 2>} : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
    %15 = stablehlo.fft %11, type = RFFT, length = [2] : (tensor<2x2xf32>) -> tensor<2x2xcomplex<f32>>
    %16 = stablehlo.exponential %9 {result_accuracy = #stablehlo.result_accuracy<atol = 0.000000e+00, rtol = 0.000000e+00, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x2xf32>
    %17 = stablehlo.convert %16 : (tensor<2x2xf32>) -> tensor<2x2xf8E4M3B11FNUZ>
    %18 = "stablehlo.custom_call"(%17) {api_version = 2 : i32, backend_config = "x", call_target_name = "f", called_computations = [@g], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2x2xf8E4M3B11FNUZ>) -> tensor<2x2xf8E4M3B11FNUZ>
    %19 = stablehlo.after_all : !stablehlo.token
    %20 = "stablehlo.send"(%8, %19) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true} : (tensor<2x2xi1>, !stablehlo.token) -> !stablehlo.token
    return %0 : tensor<2x4x4x4xf32>
  }
  func.func private @g(%arg0: tensor<f32>) -> (tensor<f32>) {
    return %arg0 : tensor<f32>
  }
}
====
# ops of chlo, with the counts of scan's operands
# run: info --version > /dev/null; base64 -d %s > %t/a.bc && hone convert %t/a.bc -t mlir -o -
# file: input.b64
---
TUzvUg1NTElSMjMuMC4wZ2l0AAE9CQEFCQ0hAQMTAwUHFwUVGx8jJysvMzc7PwcHQ0cXA3lLHQFBCxMLCxMTExMTExMTEzMTEx8TEw8PEw8TExMTExMTExMF
C2VlcgQLCwEdFwcTMw8bExcXCy8PFxcCNgYFJRcBAwMNFQUnFwEFBxcBBScXAQVZFwEFjRcBBbkXAQXlAQVBQxcBBxUXAQkVIwkDEQEAAAAAAAAAFwELFRcB
DRUTAxAAAAgQFwEPFRcBERURCQEREwEXARMZEQkJFwEdMxcBHxUXASEVFwEjFRcBJQsXARUVFwEVQxcBFxsXARkPI2NobG88cHJlY2lzaW9uIERFRkFVTFQ+
ACNjaGxvPHByZWNpc2lvbiBISUdIRVNUPgAjY2hsby5yYWdnZWRfZG90PGxoc19jb250cmFjdGluZ19kaW1lbnNpb25zID0gWzFdLCByaHNfY29udHJhY3Rp
bmdfZGltZW5zaW9ucyA9IFsxXSwgbGhzX3JhZ2dlZF9kaW1lbnNpb25zID0gWzBdLCByaHNfZ3JvdXBfZGltZW5zaW9ucyA9IFswXT4AAwMBCxsFLRUDCxsD
FQMbAwD//////////wMBAgQbBw0VHQMbAw0JGwUtHQMbBS0JFwEJBQsBCw0FBwcPEQcBAgIbBS0VExsFLQkDBIICBQFQAwEHBF4CAwEFA1AJAwcEMgIDJTML
AwsXDRsPCxEPEwAHRhcFAw8HAQMFCUYZBwMBBQEHC0YdCQMBBQ0HDUYfCwMZBQ8HD0YjDQMBAwERBiUDAQMTE1YrDwUBBQUVBwcELwMHCwULOQs7AB0GPQMF
BQEDHwQ/BQUFFUYvEQUbEQMXFwYxAwcDCRsGMwMHAx8ZBjUDBwMhBQQ3BwsdIwYDAQUBAPICKQsFCQkREQ0LDx0lJx0XDw8VCwsRYnVpbHRpbgBmdW5jAGNo
bG8Ac3RhYmxlaGxvAG1vZHVsZQByZXR1cm4AcmFnZ2VkX2RvdABicm9hZGNhc3RfYWRkAGJyb2FkY2FzdF9tdWx0aXBseQBicm9hZGNhc3RfY29tcGFyZQBj
b25zdGFudF9saWtlAGxnYW1tYQBzY2FuAHRvcF9rAGVyZl9pbnYAZGlnYW1tYQBhYnMAYWRkAC0AbWFpbgAISxMFAQENAQUBAQcBBStFAwEDNwcBj0kDIRUn
AVMBCQMDCQMDAy0=
---
module {
  func.func @main(%arg0: tensor<11x5xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<3xi64>, %arg3: tensor<5xf32>, %arg4: tensor<?xf32>) -> (tensor<11x7xf32>, tensor<11x2xi32>, tensor<?xf32>) {
    %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) {precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGHEST>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
    %1 = "chlo.broadcast_add"(%arg0, %arg3) : (tensor<11x5xf32>, tensor<5xf32>) -> tensor<11x5xf32>
    %2 = "chlo.broadcast_multiply"(%1, %arg3) {broadcast_dimensions = array<i64: 1>} : (tensor<11x5xf32>, tensor<5xf32>) -> tensor<11x5xf32>
    %3 = "chlo.broadcast_compare"(%2, %arg3) {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<11x5xf32>, tensor<5xf32>) -> tensor<11x5xi1>
    %4 = "chlo.constant_like"(%arg0) {value = 2.5 : f32} : (tensor<11x5xf32>) -> tensor<11x5xf32>
    %5 = "chlo.lgamma"(%4) : (tensor<11x5xf32>) -> tensor<11x5xf32>
    %6, %7 = chlo.scan(%5) inits (%arg3) dimension=0 attributes {is_reverse = true} {
    ^bb0(%8: tensor<5xf32>, %9: tensor<5xf32>):
      %10 = stablehlo.add %8, %9 : tensor<5xf32>
      stablehlo.return %10, %10 : tensor<5xf32>, tensor<5xf32>
    } : (tensor<11x5xf32>, tensor<5xf32>) -> (tensor<11x5xf32>, tensor<5xf32>)
    %11, %12 = "chlo.top_k"(%6) {k = 2} : (tensor<11x5xf32>) -> (tensor<11x2xf32>, tensor<11x2xi32>)
    %13 = "chlo.erf_inv"(%arg4) : (tensor<?xf32>) -> tensor<?xf32>
    %14 = stablehlo.abs %13 : (tensor<?xf32>) -> tensor<?xf32>
    %15 = "chlo.digamma"(%14) : (tensor<?xf32>) -> tensor<?xf32>
    return %0, %12, %15 : tensor<11x7xf32>, tensor<11x2xi32>, tensor<?xf32>
  }
}
====
# a portable artifact with ops of chlo between those of VHLO: casts that change nothing go
# run: info --version > /dev/null; base64 -d %s > %t/a.bc && hone convert %t/a.bc -t mlir -o -
# file: input.b64
---
TUzvUg1TdGFibGVITE9fdjEuMTcuMAABMwcBBQkdAQUPEwMHFxsfBRMjJysvMzc7P0MDi0ExAS8LExMTExMTExMTExMTMxMTHxMTDxMTEwMJCwsLCwULZWVy
BAsLARsHFzMPExMbFxcLFxcPAxczBxcbExMXFy8HBwKOBgUjFwEbCxcBFxUXAQUnFwEFWRcBBY0XAQW5FwEF5RcBAwMXAQUHAQU3ORcBBxUXAQkVIwcDEQEA
AAAAAAAAFwELFRcBDRUTARAAAAgQFwEPFRcBERURBwkXARMzFwEVFRcBGRUDASMrHSUdJyNjaGxvPHByZWNpc2lvbiBERUZBVUxUPgAjY2hsbzxwcmVjaXNp
b24gSElHSEVTVD4AI2NobG8ucmFnZ2VkX2RvdDxsaHNfY29udHJhY3RpbmdfZGltZW5zaW9ucyA9IFsxXSwgcmhzX2NvbnRyYWN0aW5nX2RpbWVuc2lvbnMg
PSBbMV0sIGxoc19yYWdnZWRfZGltZW5zaW9ucyA9IFswXSwgcmhzX2dyb3VwX2RpbWVuc2lvbnMgPSBbMF0+AAMDAQsLGwUtFQEbAwD//////////wEBAgQb
AxUBGwMNBxsHDRUdARsFLR0BGwUtFRMBCRsFLQkBGwUtCRkBAgIpAwD//////////x0JKQUtFR0pBw0VHR0pAw0tKQMVHSkFLR0dKQUtCS8RCx8hIyUbBycp
Gx0bBAoDBQNQEQEHBOYCAwEFBVATAwcEugIDNVcLPwdDCUcLSw03DwABBg8DBQMJAQYNAwkDBwEGCwMLAwUBBgkDDQMDAQYHAwMDAQtGFwUDDwcTEQ8BBgMD
JwMVDUYZBwMDBRMND0YdCQMDBRkNEUYfCwMRBRsNE0YjDQMDAxMVBiUDAwMfF0YpDwUVFwMhAQYDAykDJRkGKwMFAwsBBgUDGwMpBwYFAxsDKwEGBQMFAy0b
Bi0DBQMvAQYDAxsDMQkEAwcXJzMGAwEFAQBOAykDCwUREQ0PHSUnHRcVDxEPNwsLEWJ1aWx0aW4AdmhsbwBjaGxvAHVucmVhbGl6ZWRfY29udmVyc2lvbl9j
YXN0AG1vZHVsZQBmdW5jX3YxAGFic192MQByZXR1cm5fdjEAcmFnZ2VkX2RvdABicm9hZGNhc3RfYWRkAGJyb2FkY2FzdF9tdWx0aXBseQBicm9hZGNhc3Rf
Y29tcGFyZQBjb25zdGFudF9saWtlAGxnYW1tYQB0b3BfawBlcmZfaW52AGRpZ2FtbWEALQBtYWluAAAIMxEFAQELLzEvMzUFKzsDAQM3BwF7PwMhAyc=
---
module {
  func.func @main(%arg0: tensor<11x5xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<3xi64>, %arg3: tensor<5xf32>, %arg4: tensor<?xf32>) -> (tensor<11x7xf32>, tensor<11x2xi32>, tensor<?xf32>) {
    %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) {precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGHEST>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
    %1 = "chlo.broadcast_add"(%arg0, %arg3) : (tensor<11x5xf32>, tensor<5xf32>) -> tensor<11x5xf32>
    %2 = "chlo.broadcast_multiply"(%1, %arg3) {broadcast_dimensions = array<i64: 1>} : (tensor<11x5xf32>, tensor<5xf32>) -> tensor<11x5xf32>
    %3 = "chlo.broadcast_compare"(%2, %arg3) {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<11x5xf32>, tensor<5xf32>) -> tensor<11x5xi1>
    %4 = "chlo.constant_like"(%arg0) {value = 2.5 : f32} : (tensor<11x5xf32>) -> tensor<11x5xf32>
    %5 = "chlo.lgamma"(%4) : (tensor<11x5xf32>) -> tensor<11x5xf32>
    %6, %7 = "chlo.top_k"(%5) {k = 2} : (tensor<11x5xf32>) -> (tensor<11x2xf32>, tensor<11x2xi32>)
    %8 = "chlo.erf_inv"(%arg4) : (tensor<?xf32>) -> tensor<?xf32>
    %9 = stablehlo.abs %8 : (tensor<?xf32>) -> tensor<?xf32>
    %10 = "chlo.digamma"(%9) : (tensor<?xf32>) -> tensor<?xf32>
    return %0, %7, %10 : tensor<11x7xf32>, tensor<11x2xi32>, tensor<?xf32>
  }
}
