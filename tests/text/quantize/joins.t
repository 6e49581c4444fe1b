The head of a detector joins boxes up to 600 with scores up to 1. One grid would leave nothing of the scores: at an output they stay apart.
$ cp $NETS/head.mlir net.mlir; minmax-collect net.mlir --random 1 --rows 20 -o r.json 2> /dev/null
$ quantize net.mlir --ranges r.json -o q.qn -v
! quantize: 2 of 4 operators stay float: 0.0 % of the weights (0 of 4 bytes as float32) and 66.7 % of the multiply-accumulates are quantized
!   boxes (Mul): only operators that stay float read its result
!   join (Concat): joins "scores" (0.2692 to 0.73) into a range of 0 to 596.8, of which it would keep 0.0 dB
$ check net.mlir q.qn --random 2 --rows 20 --top 0 | sed -n 2p | cut -c1-28
>   output "y": 47.08 dB at "b

Where nothing may stay float, and where what mixes the parts reads the join, the rule that keeps them apart is said; it does.
$ quantize net.mlir --ranges r.json --full-integer -o f.tflite
! quantize: node "join" (Concat) joins "scores" (0.2692 to 0.73) into a range of 0 to 596.8, of which it would keep 0.0 dB; --set-node-name 'join=none' keeps them apart
! quantize: coverage: 4 of 4 operators, 100.0 % of the weights (4 of 4 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ sed 's/%y = "onnx.Concat"/%all = "onnx.Concat"/; s/  return %y/  %top = "onnx.Relu"(%all) {onnx_node_name = "last"} : (tensor<1x8x8xf32>) -> tensor<1x8x8xf32>\n  return %top/; s/return %y/return %top/' net.mlir > carried.mlir
$ minmax-collect carried.mlir --random 1 --rows 20 -o i.json 2> /dev/null; quantize carried.mlir --ranges i.json -o i.qn -v
! quantize: 3 of 5 operators stay float: 0.0 % of the weights (0 of 4 bytes as float32) and 40.0 % of the multiply-accumulates are quantized
!   boxes (Mul): only operators that stay float read its result
!   join (Concat): joins "scores" (0.2692 to 0.73) into a range of 0 to 596.8, of which it would keep 0.0 dB
!   last (Relu): carries joined parts that one grid cannot hold
$ sed 's/%y = "onnx.Concat"/%all = "onnx.Concat"/; s/  return %y.*/  %w = "onnx.Constant"() {value = dense<0.25> : tensor<8x3xf32>} : () -> tensor<8x3xf32>\n  %y = "onnx.MatMul"(%all, %w) {onnx_node_name = "mix"} : (tensor<1x8x8xf32>, tensor<8x3xf32>) -> tensor<1x8x3xf32>\n  return %y : tensor<1x8x3xf32>/; s/tensor<1x8x8xf32> {/tensor<1x8x3xf32> {/' net.mlir > inner.mlir
$ minmax-collect inner.mlir --random 1 --rows 20 -o i.json 2> /dev/null; quantize inner.mlir --ranges i.json -o i.qn; check inner.mlir i.qn --random 2 --rows 20 --top 0 | sed -n 2p
>   output "y": 38.12 dB; sample 5 has 28.53 dB
! quantize: node "join" (Concat) joins "scores" (0.2692 to 0.73) into a range of 0 to 596.8, of which it would keep 0.0 dB; --set-node-name 'join=none' --set-node-name 'mix=none' keeps them apart
! quantize: coverage: 5 of 5 operators, 100.0 % of the weights (100 of 100 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize inner.mlir --ranges i.json --set-op-type Concat=none -o i.qn
! quantize: node "join" (Concat) joins "scores" (0.2692 to 0.73) into a range of 0 to 596.8, of which it would keep 0.0 dB; --set-node-name 'mix=none' keeps them apart
! quantize: 2 of 5 operators stay float: 96.0 % of the weights (96 of 100 bytes as float32) and 88.9 % of the multiply-accumulates are quantized; see -v or --report for which and why
$ quantize inner.mlir --ranges i.json --set-node-name 'join=none' --set-node-name 'mix=none' -o i.qn -q; check inner.mlir i.qn --random 2 --rows 20 --top 0 | sed -n 2p
>   output "y": 51.14 dB; sample 6 has 46.76 dB
$ quantize net.mlir --ranges r.json --set-op-type Concat=i8 -o q.qn
! quantize: node "join" (Concat) joins "scores" (0.2692 to 0.73) into a range of 0 to 596.8, of which it would keep 0.0 dB; --set-node-name 'join=none' keeps them apart
! quantize: coverage: 4 of 4 operators, 100.0 % of the weights (4 of 4 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

So does a Pad with numbers that its operand does not have; TFLite has one scale for both.
$ cp $NETS/padded.mlir .
$ minmax-collect padded.mlir --random 1 --rows 20 -q -o p.json; quantize padded.mlir --ranges p.json -o p.tflite -v; check padded.mlir p.tflite --random 2 --rows 20 --top 0 | sed -n 2p
>   output "y": 52.23 dB at "s" (within the padding), 112.74 dB over all; sample 16 has 49.66 dB
! quantize: 1 of 2 operators stay float: 0.0 % of the weights (0 of 4 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
!   pad (Pad): joins "s" (0.2719 to 0.7296) into a range of 0.2719 to 500, of which it would keep 0.0 dB
