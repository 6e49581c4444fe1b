The head of a detector joins boxes up to 600 with scores up to 1. One grid would leave nothing of the scores: at an output they stay apart.
$ cp $NETS/head.mlir net.mlir; minmax-collect net.mlir --random 1 --rows 20 -o r.json 2> /dev/null
$ quantize net.mlir --ranges r.json -o q.qn -v
! quantize: 2 of 4 operators stay float: 0.0 % of the weights (0 of 4 bytes as float32) and 66.7 % of the multiply-accumulates are quantized
!   boxes (Mul): only operators that stay float read its result
!   join (Concat): joins "scores" (0.2692 to 0.73) into a range of 0 to 596.8, of which it would keep 0.0 dB
$ check net.mlir q.qn --random 2 --rows 20 --top 0 | sed -n 2p | cut -c1-28
>   output "y": 47.08 dB at "b

Where nothing may stay float, and where the join is not at an output, the rule that helps is said.
$ quantize net.mlir --ranges r.json --full-integer -o f.tflite
! quantize: node "join" (Concat) joins "scores" (0.2692 to 0.73) into a range of 0 to 596.8, of which it would keep 0.0 dB
! quantize: --set-op-type Concat=none, or --set-node-name NAME=none, keeps what they join apart
$ sed 's/%y = "onnx.Concat"/%all = "onnx.Concat"/; s/  return %y/  %y = "onnx.Relu"(%all) {onnx_node_name = "last"} : (tensor<1x8x8xf32>) -> tensor<1x8x8xf32>\n  return %y/' net.mlir > inner.mlir
$ minmax-collect inner.mlir --random 1 --rows 20 -o i.json 2> /dev/null; quantize inner.mlir --ranges i.json -o i.qn
! quantize: node "join" (Concat) joins "scores" (0.2692 to 0.73) into a range of 0 to 596.8, of which it would keep 0.0 dB
! quantize: --set-op-type Concat=none, or --set-node-name NAME=none, keeps what they join apart
$ quantize inner.mlir --ranges i.json --set-op-type Concat=none -o i.qn; quantize net.mlir --ranges r.json --set-op-type Concat=i8 -o q.qn
! quantize: 2 of 5 operators stay float: 0.0 % of the weights (0 of 4 bytes as float32) and 80.0 % of the multiply-accumulates are quantized; see -v or --report for which and why
