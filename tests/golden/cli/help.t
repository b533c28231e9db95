# --help of every verb, the overview and the version.
# run: --help
# file: input.mlir
---
---
hone makes an exported neural network ready for inference.

  hone opt model.onnx -o out.onnx    optimise, prove, write

  opt         optimise a model, prove that results are unchanged, write it
  convert     read a model and write it in another format, changing nothing
  info        what a model holds: interface, opsets, nodes by kind, parameters
  check       is the model valid, and what in it stands in the way of inference
  verify      compare two models, a model and its optimised form, or stored results
  run         run a model on data
  compile     make a file that runs at once
  bench       measure how long a run takes
  passes      passes, pipelines and rewrite rules
  explain     why a node was, or was not, rewritten
  import-onnx ONNX to MLIR text, as iree-import-onnx does

`hone VERB --help` explains each. Exit codes: 0 done, 1 a negative answer, 2 wrong usage, 3 bad input,
4 unsupported, 5 the proof failed, 6 out of memory or a limit, 7 file trouble, 70 a bug of hone.
====
# run: help
# file: input.mlir
---
---
hone makes an exported neural network ready for inference.

  hone opt model.onnx -o out.onnx    optimise, prove, write

  opt         optimise a model, prove that results are unchanged, write it
  convert     read a model and write it in another format, changing nothing
  info        what a model holds: interface, opsets, nodes by kind, parameters
  check       is the model valid, and what in it stands in the way of inference
  verify      compare two models, a model and its optimised form, or stored results
  run         run a model on data
  compile     make a file that runs at once
  bench       measure how long a run takes
  passes      passes, pipelines and rewrite rules
  explain     why a node was, or was not, rewritten
  import-onnx ONNX to MLIR text, as iree-import-onnx does

`hone VERB --help` explains each. Exit codes: 0 done, 1 a negative answer, 2 wrong usage, 3 bad input,
4 unsupported, 5 the proof failed, 6 out of memory or a limit, 7 file trouble, 70 a bug of hone.
====
# run: opt --help
# file: input.mlir
---
---
hone opt MODEL [-o OUTPUT]

optimise a model, prove that results are unchanged, write it

  -o, --output FILE                where the result goes; - is stdout; without it only the report is made
  -t, --to FORMAT                  format of the result (default: by the name of the output, else that of the input)
      --no-verify                  skip the proof that results are unchanged
      --verify-seconds S           time budget of the proof (default 60)
      --check-each                 prove after every pass and name the first one that changes results
      --opset N                    write ONNX for this opset (default: that of the model)
      --external-data              weights go to FILE.data beside the model (automatic above 2 GB)
      --value-info                 write the inferred types of all values
      --locations                  text form with loc(...)
      --generic                    text form with every op in MLIR's generic syntax
      --stablehlo-version X.Y.Z    version of bytecode, 0.9.0 to 1.20.0 (default: 1.0.0, or the first later one that has all of the module)
      --print-after PASS           text form on stderr after a pass, or after all that change something
      --data-dir DIR               where external data is looked up (default: beside the model)
      --allow-external-dir         external data may lie anywhere
      --parameters [SCOPE=]FILE    parameter archive that a torch-onnx text names (default: beside it)
  -O, --level N                    1 exact rewrites only, 2 (default) also rounding, 3 also costlier searches
      --passes TEXT                pipeline to run instead of the default (hone passes lists them)
      --disable NAMES              rules or topics to leave out, separated by commas
      --only NAMES                 no rules but these
      --allow CLASS                also rules that may change results on special values: domain, statistical
      --rewrite-limit N            stop after N rewrites (to find the one that does harm)
      --dim NAME=N                 size of a symbolic dimension; may be given often
      --shape INPUT=D,D,..         shape of an input; may be given often
      --max-growth BYTES           how much a folded constant may add to the file (default 4096)
      --freeze-inputs              inputs that have a default value (initializers listed as inputs) become constants
      --freeze-batch-norm          batch norms of training mode take running statistics, which changes results
      --expand-constants           write constants of one repeated value as data, however large
      --no-inline                  keep functions and the calls of them
  -j, --threads N                  processors to use (default: all)
      --seed N                     seed of the data that proofs use
      --weights FILE               weights of arguments by name: .safetensors, .npz, .npy or a folder; may be given often
      --bind ARG=@FILE             one argument (name, argN or number) from a file, FILE:ENTRY, or =NUMBER; may be given often
      --keep-arguments             weights stay arguments, in OUTPUT.safetensors (in a torch_xla directory they always do)
  -h, --help                       this text
      --json                       results as JSON on stdout
  -q, --quiet                      no report, only errors and warnings
      --no-color                   plain text on a terminal too

Folds constants and batch norms, works out shapes, simplifies to a fixed point. Every rewritten region is
replayed before and after in double precision on seeded data; if one differs nothing is written (exit 5).
====
# run: convert --help
# file: input.mlir
---
---
hone convert MODEL -o OUTPUT

read a model and write it in another format, changing nothing

  -o, --output FILE                where the result goes; - is stdout
  -t, --to FORMAT                  format of the result (default: by the name of the output, else that of the input)
      --opset N                    write for this ONNX opset, up or down; nodes change only where operators did
      --external-data              weights go to FILE.data beside the model (automatic above 2 GB)
      --locations                  text form with loc(...)
      --generic                    text form with every op in MLIR's generic syntax
      --stablehlo-version X.Y.Z    version of bytecode, 0.9.0 to 1.20.0 (default: 1.0.0, or the first later one that has all of the module)
      --data-dir DIR               where external data is looked up (default: beside the model)
      --allow-external-dir         external data may lie anywhere
      --parameters [SCOPE=]FILE    parameter archive that a torch-onnx text names (default: beside it)
      --weights FILE               weights of arguments by name: .safetensors, .npz, .npy or a folder; may be given often
      --bind ARG=@FILE             one argument (name, argN or number) from a file, FILE:ENTRY, or =NUMBER; may be given often
      --keep-arguments             weights stay arguments, in OUTPUT.safetensors (in a torch_xla directory they always do)
  -h, --help                       this text
      --json                       results as JSON on stdout
  -q, --quiet                      no report, only errors and warnings
      --no-color                   plain text on a terminal too
====
# run: info --help
# file: input.mlir
---
---
hone info MODEL

what a model holds: interface, opsets, nodes by kind, parameters

      --shapes                     infer shapes first, so that outputs and sizes are as precise as can be
      --nodes                      list every node with the types of its results
      --ops                        the ops that hone knows, with no model
      --data-dir DIR               where external data is looked up (default: beside the model)
      --allow-external-dir         external data may lie anywhere
      --dim NAME=N                 size of a symbolic dimension; may be given often
      --shape INPUT=D,D,..         shape of an input; may be given often
      --weights FILE               weights of arguments by name: .safetensors, .npz, .npy or a folder; may be given often
      --bind ARG=@FILE             one argument (name, argN or number) from a file, FILE:ENTRY, or =NUMBER; may be given often
  -h, --help                       this text
      --json                       results as JSON on stdout
  -q, --quiet                      no report, only errors and warnings
      --no-color                   plain text on a terminal too
====
# run: check --help
# file: input.mlir
---
---
hone check MODEL

is the model valid, and what in it stands in the way of inference

      --data-dir DIR               where external data is looked up (default: beside the model)
      --allow-external-dir         external data may lie anywhere
      --weights FILE               weights of arguments by name: .safetensors, .npz, .npy or a folder; may be given often
      --bind ARG=@FILE             one argument (name, argN or number) from a file, FILE:ENTRY, or =NUMBER; may be given often
  -h, --help                       this text
      --json                       results as JSON on stdout
  -q, --quiet                      no report, only errors and warnings
      --no-color                   plain text on a terminal too
====
# run: verify --help
# file: input.mlir
---
---
hone verify MODEL [OTHER] | MODEL --data DIR | --suite DIR

compare two models, a model and its optimised form, or stored results

      --data DIR                   compare with the inputs and outputs stored there (test_data_set_N, .pb or .npy)
      --suite                      the argument is a directory of cases; run each
      --opt                        with --suite or --data: optimise, write and read the model back first
      --engine NAME                with --suite: evaluator (default); plan: optimised and compiled; reference: compiled, no kernels
      --isa NAME                   with --engine plan: instruction set of the kernels (v2, v3, v4; default: the best)
      --run-threads N              with --engine plan: threads of one run (default 1)
      --convert                    with --suite: convert to the newest ONNX opset and back first, written and read both times
      --structure                  compare what the models say, not what they compute; of one model or a suite: does it survive writing
      --filter TEXT                with --suite: only cases whose name holds TEXT
      --exceptions FILE            with --suite: lines of a case name, atol=X or rtol=X or nothing (leave it out), a reason
      --bytecode                   with --suite: MLIR modules are written as bytecode and read back first
      --refine                     with --suite: MLIR modules of dynamic sizes must agree with themselves after sizes are bound
  -i, --input [NAME=]FILE          data of an input (.npy, .npz, .pb); others are seeded
      --rounds N                   sets of seeded inputs (default 3)
      --rtol X                     relative tolerance granted in any case (default 0; with stored data 1e-3)
      --atol X                     absolute tolerance granted in any case (default 0; with stored data 1e-7)
      --data-dir DIR               where external data is looked up (default: beside the model)
      --allow-external-dir         external data may lie anywhere
  -O, --level N                    1 exact rewrites only, 2 (default) also rounding, 3 also costlier searches
      --passes TEXT                pipeline to run instead of the default (hone passes lists them)
      --disable NAMES              rules or topics to leave out, separated by commas
      --only NAMES                 no rules but these
      --allow CLASS                also rules that may change results on special values: domain, statistical
      --rewrite-limit N            stop after N rewrites (to find the one that does harm)
      --dim NAME=N                 size of a symbolic dimension; may be given often
      --shape INPUT=D,D,..         shape of an input; may be given often
      --max-growth BYTES           how much a folded constant may add to the file (default 4096)
      --freeze-inputs              inputs that have a default value (initializers listed as inputs) become constants
      --freeze-batch-norm          batch norms of training mode take running statistics, which changes results
      --expand-constants           write constants of one repeated value as data, however large
      --no-inline                  keep functions and the calls of them
  -j, --threads N                  processors to use (default: all)
      --seed N                     seed of the data that proofs use
      --weights FILE               weights of arguments by name: .safetensors, .npz, .npy or a folder; may be given often
      --bind ARG=@FILE             one argument (name, argN or number) from a file, FILE:ENTRY, or =NUMBER; may be given often
  -h, --help                       this text
      --json                       results as JSON on stdout
  -q, --quiet                      no report, only errors and warnings
      --no-color                   plain text on a terminal too

Two models run on the same seeded inputs; they are equal when they differ by no more than a small multiple
of the first one's own rounding error against double (in which a float whose bits are read is rounded to its type).
Exit 1 when they differ.
====
# run: run --help
# file: input.mlir
---
---
hone run MODEL [-i FILE]... [-o DIR]

run a model on data

  -i, --input [NAME=]FILE          data of an input (.npy, .npz, .pb); inputs without are seeded
  -o, --output-dir DIR             write every output there as NAME.npy, text as NAME.pb
      --print N                    show up to N elements of each output (default 8)
      --data-dir DIR               where external data is looked up (default: beside the model)
      --allow-external-dir         external data may lie anywhere
      --dim NAME=N                 size of a symbolic dimension; may be given often
      --shape INPUT=D,D,..         shape of an input; may be given often
  -j, --threads N                  processors to use (default: all)
      --seed N                     seed of the inputs that are not given
      --reference                  run the model as it is by the evaluator: slow, plain loops
      --check                      run both ways and compare; exit 1 when results differ by more than rounding
      --profile                    show each step of the plan with its time
      --trace FILE                 write the steps and their times as a Chrome trace (JSON)
      --isa NAME                   instruction set of the kernels: v2, v3, v4 (default: the best there is)
      --weights FILE               weights of arguments by name: .safetensors, .npz, .npy or a folder; may be given often
      --bind ARG=@FILE             one argument (name, argN or number) from a file, FILE:ENTRY, or =NUMBER; may be given often
  -h, --help                       this text
      --json                       results as JSON on stdout
  -q, --quiet                      no report, only errors and warnings
      --no-color                   plain text on a terminal too
====
# run: passes --help
# file: input.mlir
---
---
hone passes [--rules]

passes, pipelines and rewrite rules

      --rules                      every rewrite rule with its picture
  -h, --help                       this text
      --json                       results as JSON on stdout
  -q, --quiet                      no report, only errors and warnings
      --no-color                   plain text on a terminal too
====
# run: explain --help
# file: input.mlir
---
---
hone explain MODEL NODE-OR-KIND

why a node was, or was not, rewritten

      --data-dir DIR               where external data is looked up (default: beside the model)
      --allow-external-dir         external data may lie anywhere
  -O, --level N                    1 exact rewrites only, 2 (default) also rounding, 3 also costlier searches
      --passes TEXT                pipeline to run instead of the default (hone passes lists them)
      --disable NAMES              rules or topics to leave out, separated by commas
      --only NAMES                 no rules but these
      --allow CLASS                also rules that may change results on special values: domain, statistical
      --rewrite-limit N            stop after N rewrites (to find the one that does harm)
      --dim NAME=N                 size of a symbolic dimension; may be given often
      --shape INPUT=D,D,..         shape of an input; may be given often
      --max-growth BYTES           how much a folded constant may add to the file (default 4096)
      --freeze-inputs              inputs that have a default value (initializers listed as inputs) become constants
      --freeze-batch-norm          batch norms of training mode take running statistics, which changes results
      --expand-constants           write constants of one repeated value as data, however large
      --no-inline                  keep functions and the calls of them
  -j, --threads N                  processors to use (default: all)
      --seed N                     seed of the data that proofs use
      --weights FILE               weights of arguments by name: .safetensors, .npz, .npy or a folder; may be given often
      --bind ARG=@FILE             one argument (name, argN or number) from a file, FILE:ENTRY, or =NUMBER; may be given often
  -h, --help                       this text
      --json                       results as JSON on stdout
  -q, --quiet                      no report, only errors and warnings
      --no-color                   plain text on a terminal too

NODE-OR-KIND is the name of a node or of a value it gives, or an op kind such as BatchNormalization.
Each line names a rule and the first condition that failed.
====
# run: help opt | head -n 1
# file: input.mlir
---
---
hone opt MODEL [-o OUTPUT]
====
# run: 
# file: input.mlir
# stderr: hone opt model.onnx -o out.onnx
# exit: 2
---
---
