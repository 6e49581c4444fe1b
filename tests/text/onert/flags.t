onert_run: flags of onert's tool, long and short, on a small Circle model.
$ cat >net.mlir <<'END'
+ func.func @net(%x: tensor<1x4xf32>) -> (tensor<1x3xf32>) {
+   %w = "onnx.Constant"() {value = dense<[[1.0, 0.5, -1.0], [0.25, -2.0, 1.0], [0.5, 0.75, 1.5], [-1.0, 1.0, 0.125]]> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
+   %a = "onnx.MatMul"(%x, %w) {onnx_node_name = "product"} : (tensor<1x4xf32>, tensor<4x3xf32>) -> tensor<1x3xf32>
+   %y = "onnx.Relu"(%a) {onnx_node_name = "relu"} : (tensor<1x3xf32>) -> tensor<1x3xf32>
+   return %y : tensor<1x3xf32>
+ }
+ END
$ model-convert net.mlir -o test.circle && onert_run test.circle
> Model Filename test.circle
> ===================================
> MODEL_LOAD   takes [...] ms
> PREPARE      takes [...] ms
> EXECUTE      takes [...] ms
> - MEAN     :  [...] ms
> - MAX      :  [...] ms
> - MIN      :  [...] ms
> - GEOMEAN  :  [...] ms
> ===================================

Ranges of random inputs are told on standard error, in the report and in the CSV file; both spellings of the flag are taken.
$ onert_run -q uint8 --qpath test.q.circle --minmax_run 10 -p -w 1 -r 2 --t 5 -v 1 test.circle
> Model Filename test.circle
> ... warmup 1 takes [...] ms
> ... run 1 takes [...] ms
> ... run 2 takes [...] ms
> ===================================
> warning: ranges come from 10 runs on random inputs: the quantized model will not be accurate
> MODEL_LOAD   takes [...] ms
> PREPARE      takes [...] ms
> EXECUTE      takes [...] ms
> - MEAN     :  [...] ms
> - MAX      :  [...] ms
> - MIN      :  [...] ms
> - GEOMEAN  :  [...] ms
> ===================================
! onert_run: warning: ranges come from 10 runs on random inputs: the quantized model will not be accurate
! hint: quern minmax-collect and quern compile collect ranges on samples
$ grep -c 'random inputs' onert_run-test-cpu.csv && head -1 onert_run-test-cpu.csv | tr , '\n' | wc -l
> 1
> 20
$ cp test.q.circle first.circle && onert_run --quantize uint8 --qpath test.q.circle --minmax_runs 10 test.circle >/dev/null 2>&1 && cmp first.circle test.q.circle
$ onert_run -q uint8 -m test.circle
> Model Filename test.circle
! onert_run: test.circle: type uint8 needs ranges, and no run was recorded
! hint: --minmax_runs N records ranges
? 2
$ onert_run -q uint8 test.q.circle
> Model Filename test.q.circle
! onert_run: test.q.circle: quantized already
? 2
$ onert_run -q uint8 --minmax_runs 1000000000 --qpath x.nothing test.circle
! onert_run: x.nothing: the suffix names no format
! hint: the suffix is the format: .onnx, .tflite, .circle, .qn or .mlir
? 2
$ onert_run -q uint8 --minmax_runs 1000000000 -c nothing-gen test.circle
! onert_run: unknown plugin "nothing-gen"
! hint: quern codegen --list-plugins names them; libnothing-gen.so is looked for in [...]
? 2
$ onert_run --num_run=3 test.circle
! onert_run: unknown option "--num_run" (did you mean "--num_runs"?)
! hint: onert_run --help lists the options
? 2
$ onert_run --minmax_runs 1 --minmax_runs 2 test.circle
! onert_run: --minmax_runs: given twice
! hint: onert_run --help lists the options
? 2
$ onert_run -- quantize uint8 --qpath test.q.circle --minmax_run 10 test.circle
! onert_run: unexpected "-- quantize"
! hint: without the space: --quantize
? 2
$ onert_run --quantize int9 test.circle 2>&1 | tail -2
> onert_run: unknown type "int9"
> hint: uint8, int16, int8_wo, int16_wo, or a type of quern quantize --list-types
? 2

Inputs and outputs: raw files by number, .npy, .npz, folders; codes unless numbers are wanted.
$ onert_run test.circle --dump_input:raw in --dump out --dump:raw o >/dev/null && onert_run test.circle -l in.0 -d o.npy >/dev/null && onert_run test.circle --load:raw in -d o.npz >/dev/null && cmp o.0 out/Result_0/y.raw && tail -c 12 o.npy | cmp - o.0 && model-diff out o.npz | tail -1
>     equal [...] y (output)
$ mkdir folder && cp in.0 folder/x.raw && onert_run test.circle -l folder --dump:raw p --num_runs 2 >/dev/null && cmp o.0 p.0
$ onert_run test.q.circle -l in.0 --force_float --dump:raw f >/dev/null && onert_run test.q.circle --dump_input:raw c --dump:raw d >/dev/null && stat -c '%n %s' f.0 c.0 d.0
> f.0 12
> c.0 4
> d.0 3
$ onert_run test.circle --load:raw c
> Model Filename test.circle
! onert_run: input "x": the buffer has 4 bytes, float32[1,4] needs 16
? 3
$ onert_run test.circle --dump o.npy -r 2
! onert_run: random inputs differ in each of 2 runs: which one should be written?
! hint: --fixed_input
? 2
$ onert_run test.circle --dump a.npy -r 2 --fixed_input --output_shape '[0, [3]]' >/dev/null && grep -ao 'shape.*)' a.npy
> shape': (3,)
$ onert_run test.circle --output_sizes '[0, 12]' >/dev/null; onert_run test.circle --output_sizes '[0, 8]' | tail -1
> Model Filename test.circle
! onert_run: output "y": the buffer has 8 bytes, float32[1,3] needs 12
? 3

What is not there is refused.
$ onert_run test.circle --load in.h5
> Model Filename test.circle
! onert_run: in.h5: No such file or directory
? 5
$ onert_run test.circle -g
! onert_run: --gpumem_poll: no back end here has memory of a GPU to look at
? 4
$ onert_run test.circle --shape_run '[0, 4]'
! onert_run: --shape_run: [1]: is a number, need an array
! hint: as in '[0, [1, 20], 2, []]', or of sizes '[0, 40, 2, 80]'
? 2
$ MINMAX_DUMP=1 onert_run test.circle | wc -l
> 10
! onert_run: the variable MINMAX_DUMP has no effect
$ OP_BACKEND_Conv2D=acl_cl onert_run test.circle | wc -l
> 10
! onert_run: the variable OP_BACKEND_Conv2D has no effect
$ NUM_THREADS=0 onert_run test.circle
> Model Filename test.circle
! onert_run: environment: NUM_THREADS=0: need a number of threads
? 3

Open dims are 1 unless a shape is given.
$ sed 's/x: tensor<1x4xf32>/x: tensor<?x4xf32>/; s/%x, %w\(.*\)tensor<1x4xf32>/%x, %w\1tensor<?x4xf32>/; s/tensor<1x3xf32>/tensor<?x3xf32>/g' net.mlir >open.mlir
$ for s in '' '--shape_prepare [0,[2,4]]' '--shape_run [0,[5,4]]'; do onert_run open.mlir $s --dump:raw s >/dev/null && stat -c %s s.0; done
> 12
> 24
> 60
