# Modules that check themselves, one file a topic in checks/: as they are, and optimised, written and read back.
# as they are
# run: verify --suite %d/checks
---
---
8 passed, 0 failed, 0 skipped
====
# optimised
# run: verify --suite %d/checks --opt
---
---
8 passed, 0 failed, 0 skipped
====
# checks that must fail do
# run: verify --suite %d/checks-wrong
# exit: 1
---
---
FAIL assertion.mlir: stablehlo.custom_call: expected n >= 5, n is 4
SKIP devices.mlir: stablehlo.all_gather: it joins 2 devices, and there is one: run the module on as many as it was made for
SKIP ducc_axis.mlir: stablehlo.custom_call: a Fourier transform other than one over the last axes of row-major arrays
FAIL ducc_short.mlir: stablehlo.custom_call: its description of a Fourier transform is damaged or of another kind
FAIL ducc_size.mlir: stablehlo.custom_call: operand 1 has not the sizes that the description of the transform gives
SKIP infeed.mlir: stablehlo.infeed: it exchanges data with the host, and none is there: make the data an input or a result of the function
FAIL quantised.mlir: check.expect_eq_const: element 0 is 0, expected 0.5
FAIL quantised_axis.mlir: stablehlo.uniform_quantize: a type quantised along axis 0 with 2 scales for shape [1]
0 passed, 5 failed, 3 skipped
