# Modules that check themselves, one file a topic in checks/: as they are, and optimised, written and read back.
# as they are
# run: verify --suite %d/checks
---
---
1 passed, 0 failed, 0 skipped
====
# optimised
# run: verify --suite %d/checks --opt
---
---
1 passed, 0 failed, 0 skipped
====
# checks that must fail do
# run: verify --suite %d/checks-wrong
# exit: 1
---
---
FAIL quantised.mlir: check.expect_eq_const: element 0 is 0, expected 0.5
FAIL quantised_axis.mlir: stablehlo.uniform_quantize: a type quantised along axis 0 with 2 scales for shape [1]
0 passed, 2 failed, 0 skipped
