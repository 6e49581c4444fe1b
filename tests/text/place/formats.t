A target whose models come as TFLite is asked about what such a file says: the same devices and the same time, whatever file the model is read from.

$ minmax-collect $EXAMPLES/digits/digits.onnx --random 1 --rows 4 -q -o r.json
$ for suffix in qn onnx tflite; do quantize $EXAMPLES/digits/digits.onnx --ranges r.json --type i8 -o q.$suffix; done; model-convert q.tflite -q -o q.circle
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ cat > report <<'END'
+ #!/bin/bash
+ place "$@" -q --report report.txt; grep -E '^(placed by|cpu|ethos-u|onert|htp) ' report.txt | sed 's/  */ /g'
+ END
$ chmod +x report
$ ./report q.qn --target ethos-u55-128 | tee qn.txt
> placed by QualifyingOps: 45.70 us a run, 20.40 us of it transfers and changes of encoding; the least there is, by costs that are an estimate
> cpu 0 0 0 ns 0 B 0 B
> ethos-u 9 1 25.29 us 1.2 KB 9.9 KB
$ for suffix in onnx tflite circle; do ./report q.$suffix --target ethos-u55-128 | cmp - qn.txt; done
$ ./report q.qn --target onert-cpu >qn.txt; for suffix in onnx tflite circle; do ./report q.$suffix --target onert-cpu | cmp - qn.txt; done

Shape arithmetic and a Gather that takes one slice are something else in the file: nothing of them is refused.

$ cat > shuffle.mlir <<'END'
+ func.func @shuffle(%x: tensor<?x8x4x4xf32>) -> tensor<?x4x4x4xf32> {
+   %first = "onnx.Constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
+   %rest = "onnx.Constant"() {value = dense<[4, 4, 4, 2]> : tensor<4xi64>} : () -> tensor<4xi64>
+   %w = "onnx.Constant"() {value = dense<0.5> : tensor<4x4x1x1xf32>} : () -> tensor<4x4x1x1xf32>
+   %shape = "onnx.Shape"(%x) {start = 0 : si64, end = 1 : si64, onnx_node_name = "shape"} : (tensor<?x8x4x4xf32>) -> tensor<1xi64>
+   %all = "onnx.Concat"(%shape, %rest) {axis = 0 : si64, onnx_node_name = "all"} : (tensor<1xi64>, tensor<4xi64>) -> tensor<5xi64>
+   %apart = "onnx.Reshape"(%x, %all) {onnx_node_name = "apart"} : (tensor<?x8x4x4xf32>, tensor<5xi64>) -> tensor<?x4x4x4x2xf32>
+   %part = "onnx.Gather"(%apart, %first) {axis = 4 : si64, onnx_node_name = "part"} : (tensor<?x4x4x4x2xf32>, tensor<i64>) -> tensor<?x4x4x4xf32>
+   %y = "onnx.Conv"(%part, %w) {onnx_node_name = "conv"} : (tensor<?x4x4x4xf32>, tensor<4x4x1x1xf32>) -> tensor<?x4x4x4xf32>
+   onnx.Return %y : tensor<?x4x4x4xf32>
+ }
+ END
$ minmax-collect shuffle.mlir --random 1 --rows 2 -q -o r.json
$ quantize shuffle.mlir --ranges r.json --type i8 -q -o s.qn
$ place s.qn --target ethos-u55-128 --heuristic QualifyingOps --save-placement - | grep -A2 '"device":' | cut -d'"' -f4 | xargs -n 4 echo | cut -d' ' -f 1-3
> ethos-u onnx.Shape shape
> ethos-u onnx.Concat all
> ethos-u onnx.Reshape apart
> ethos-u onnx.Gather part
> ethos-u onnx.Conv conv
! place: input "x" is float32[?,8,4,4]: taken with a batch of 1 (--shape sets others)
$ place s.qn --target ethos-u55-128 --heuristic QualifyingOps -o placed.qn -q; place placed.qn --target ethos-u55-128 --heuristic QualifyingOps --strict -q -o again.qn && cmp placed.qn again.qn

Where no format is the target's, what is computed from fixed shapes alone is not asked about, either.

$ place s.qn --target htp --heuristic QualifyingOps --save-placement - | grep -A2 '"device":' | cut -d'"' -f4 | xargs -n 4 echo | cut -d' ' -f 1-3
> cpu onnx.Shape shape
> htp onnx.Concat all
> htp onnx.Reshape apart
> htp onnx.Gather part
> htp onnx.Conv conv
! place: input "x" is float32[?,8,4,4]: taken with a batch of 1 (--shape sets others)

What stands for a node can be asked for and explained by the node's own name.

$ echo '{"device_placement": [{"device": "cpu", "node_type": ".*", "onnx_node_name": "conv"}]}' > cpu.json
$ place s.qn --target ethos-u55-128 --load-placement cpu.json --explain conv
! place: input "x" is float32[?,8,4,4]: taken with a batch of 1 (--shape sets others)
! place: node "conv" (onnx.Conv) runs on cpu: asked for by cpu.json: device_placement[0]
!   cpu            6.28 us, transfers in 10.13 us, out 10.13 us
!   ethos-u        2.04 us, moving it there alone: -24.50 us
!   times are an estimate: 128 MACs a cycle at 500 MHz, of which 60 % (int8) or 30 % (int16) are used

Operators that no such file can say: the model is asked about as it is.

$ echo '%1 = "onnx.Det"(%x) {onnx_node_name = "d"} : (tensor<1x3x3xf32>) -> tensor<1xf32>' | place - --target ethos-u55-128 --as float -o d.qn
! place: no file of format tflite can say this model, so devices are asked about it as it is: node "d" (Det): tflite has no such operator
! place: 1 of 1 nodes run on cpu, as no other device can run them; see -v for which and why
