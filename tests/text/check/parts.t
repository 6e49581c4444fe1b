The head of a detector: boxes up to 600 beside scores up to 1. Its figure is that of the scores, which a sum over both would hide.
$ cp $NETS/head.mlir net.mlir; minmax-collect net.mlir --random 1 --rows 20 -o r.json 2> /dev/null; quantize net.mlir --ranges r.json --set-op-type Concat=i8 -o q.qn
! quantize: node "join" (Concat) joins "scores" (0.2692 to 0.73) into a range of 0 to 596.8, of which it would keep 0.0 dB; --set-node-name 'join=none' keeps them apart
! quantize: coverage: 4 of 4 operators, 100.0 % of the weights (4 of 4 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ check net.mlir q.qn --random 2 --rows 20 --top 0 --min-sqnr 30 | sed -n '1,2p;/missed/p'
> q.qn:
>   output "y": 0.00 dB at "scores" (4 to 7 of axis 1), 46.16 dB over all; sample 0 has 0.00 dB
>   missed: output "y" has 0.00 dB at "scores" (4 to 7 of axis 1), 46.16 dB over all, wanted at least 30 dB
? 1
$ check net.mlir q.qn --random 2 --rows 20 --json | grep -E 'agreement|sqnr|"name": "(\\|sample)'
>         "agreement": null,
>             "sqnr": 0.0,
>             "whole_sqnr": 46.1647017[...],
>               "name": "\"scores\" (4 to 7 of axis 1)",
>               "sqnr": 0.0
>               "name": "sample 0",
>               "sqnr": 0.0
$ model-diff net.mlir q.qn --random 2 --rows 20 --outputs-only --threshold 30
>   SQNR dB     cosine    max error    max |ref|  value
>      0.00   0.999989      3.48633      598.955  y (output): 0.00 dB at "scores" (4 to 7 of axis 1), 46.16 dB over all
> first below 30 dB: y (0.00)
? 1
$ check net.mlir q.qn --random 2 --rows 20 --top 0 --min-agreement 90 | grep missed
>   missed: agreement is not known: the output with the scores is not [batch, classes]
? 1
$ quantize net.mlir --ranges r.json --random 2 --rows 20 --min-output-sqnr 30 --set-op-type Concat=i8 -o b.qn
! quantize: 4 units changed (4 w8a16): 40.00 dB, 8 bytes of constants; 10 evaluations, 3 instrumented runs; 5 rows held back: 40.33 dB, 39.43 to 41.03 by row
! quantize: coverage: 4 of 4 operators, 100.0 % of the weights (4 of 4 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ check net.mlir b.qn --random 3 --rows 20 --top 0 | sed -n 2p
>   output "y": 40.12 dB at "scores" (4 to 7 of axis 1), 85.95 dB over all; sample 1 has 39.21 dB

Samples on another scale than the ranges: pixels up to 255 beside ranges of -1 to 1, and the other way round.
$ printf '\177\0\201\177%.0s' 1 2 3 4 5 6 7 8 > s.i8
$ check net.mlir q.qn --input 'x=s.i8:i8[1,4,8]' --top 0 | grep samples
>   input "x": the samples lie in -127 to 127, its encoding is for -1.001 to 0.9927
> 1 samples, 3 evaluations, 1 instrumented run over them
$ check net.mlir q.qn --input 'x=s.i8:i8[1,4,8]/10000' --top 0 --json | grep -A1 contra
>         "contradictions": [
>           "input \"x\": the samples lie in -0.0127 to 0.0127, its encoding is for -1.001 to 0.9927"
$ quantize net.mlir --ranges r.json --input 'x=s.i8:i8[1,4,8]' --min-output-sqnr -200 -q -o b.qn; quantize net.mlir --ranges r.json --input 'x=s.i8:i8[1,4,8]' --min-output-sqnr -200 -o b.qn 2>&1 | grep samples
> quantize: input "x": the samples lie in -127 to 127, its encoding is for -1.001 to 0.9927
$ run q.qn --input 'x=s.i8:i8[1,4,8]' -o out; run q.qn --random 1 -o out
! run: q.qn: input "x": the samples lie in -127 to 127, its encoding is for -1.001 to 0.9927

Channels of a product of matrices, also where a Reshape has moved them, and what a Pad lies around: a sum over all would hide them.
$ cat > product.mlir <<'END'
+ func.func @product(%x: tensor<1x6x2xf32>) -> tensor<1x12xf32> {
+   %w = "onnx.Constant"() {value = dense<[[400.0, 0.4], [-300.0, 0.3]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
+   %d = "onnx.Constant"() {value = dense<[1, 12]> : tensor<2xi64>} : () -> tensor<2xi64>
+   %m = "onnx.MatMul"(%x, %w) {onnx_node_name = "product"} : (tensor<1x6x2xf32>, tensor<2x2xf32>) -> tensor<1x6x2xf32>
+   %y = "onnx.Reshape"(%m, %d) {onnx_node_name = "flat"} : (tensor<1x6x2xf32>, tensor<2xi64>) -> tensor<1x12xf32>
+   return %y : tensor<1x12xf32>
+ }
+ END
+ cp $NETS/padded.mlir .
$ for net in product padded; do minmax-collect $net.mlir --random 1 --rows 20 -q -o r.json; quantize $net.mlir --ranges r.json --full-integer -q -o q.qn; check $net.mlir q.qn --random 2 --rows 20 --top 0 | sed -n 2p; done
>   output "y": 0.00 dB at channel 1, 43.40 dB over all; sample 0 has 0.00 dB
>   output "y": 0.00 dB at "s" (within the padding), 60.51 dB over all; sample 0 has 0.00 dB
$ minmax-collect product.mlir --random 1 --rows 20 -q -o r.json; quantize product.mlir --ranges r.json --random 2 --rows 20 --min-output-sqnr 30 -o b.qn
! quantize: 2 units changed (1 float, 1 i16-sym): 33.84 dB, agreement 100.00 % (15 of 15), 32 bytes of constants, 100.00 % of the multiply-accumulates float; 12 evaluations, 3 instrumented runs; 5 rows held back: agreement 100.00 % (5 of 5), 32.80 dB, 29.47 to 36.01 by row
! quantize: 1 of 2 operators stay float: 0.0 % of the weights (0 of 16 bytes as float32) and 0.0 % of the multiply-accumulates are quantized; see -v or --report for which and why
