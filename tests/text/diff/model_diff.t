A model and what quantization made of it.
$ python3 -c "open('s.bin', 'wb').write(bytes((i * i * 7 + i // 5) % 17 for i in range(1024)))"
+ model-convert $EXAMPLES/digits/digits.onnx -o d.qn && minmax-collect d.qn --input 'image=s.bin:u8[1,8,8]/16' --embed | quantize - --method min-max -o q.qn
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ model-diff d.qn q.qn --input 'image=s.bin:u8[1,8,8]/16' --threshold 10 | sed 's/.*  //'
> value
> image
> relu1
> pool1
> relu2: 30.31 dB at channel 23, 38.41 dB over all
> flat: 30.31 dB at channel 23, 38.41 dB over all
> scores (output)
$ model-diff d.qn q.qn --input 'image=s.bin:u8[1,8,8]/16' --threshold 90 --outputs-only
>   SQNR dB     cosine    max error    max |ref|  value
> [...] scores (output)
> first below 90 dB: scores ([...])
? 1
$ model-diff d.qn q.qn --input 'image=s.bin:u8[1,8,8]/16' --second-mode float --threshold 90 --json > diff.json; echo $?; python3 -c "
+ import json; d = json.load(open('diff.json')); print(sorted(d), d['samples'])"
> 1
> ['first_below', 'only_first', 'only_second', 'samples', 'values'] 16
$ model-diff d.qn
! model-diff: SECOND is required
? 2
$ model-diff d.qn q.qn
! model-diff: no samples
! hint: give --input-list, --input or --random
? 2
$ model-diff d.qn q.qn --first-mode integer --random 1
! model-diff: --first-mode: unknown "integer"
! hint: one of auto, float, fake, int
? 2

Values of TFLite files have channels last. They are moved where shapes say so; nothing is said where they do not. Inputs and outputs stay as they were.
$ model-convert $EXAMPLES/digits/digits.onnx -o f.tflite; model-diff $EXAMPLES/digits/digits.onnx f.tflite --random 1 --rows 3 --threshold 100 | sed -n 's/.*[0-9]  \(relu[12]\).*/\1/p; /moved/p'; model-diff f.tflite d.qn --random 1 --rows 3 --json | grep -c channels_moved
> relu1
> relu2
> channels moved to compare: relu1, pool1, relu2
> 3
Where both orders fit, a value between the borders is not compared.
$ cat > square.mlir <<'END'
+ func.func @square(%x: tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32> {
+   %w = "onnx.Constant"() {value = dense<0.5> : tensor<4x4x1x1xf32>} : () -> tensor<4x4x1x1xf32>
+   %a = "onnx.Conv"(%x, %w) {onnx_node_name = "a"} : (tensor<1x4x4x4xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x4x4xf32>
+   %b = "onnx.Tanh"(%a) {onnx_node_name = "b"} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
+   %y = "onnx.Conv"(%b, %w) {onnx_node_name = "c"} : (tensor<1x4x4x4xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x4x4xf32>
+   return %y : tensor<1x4x4x4xf32>
+ }
+ END
$ model-convert square.mlir -o square.onnx; model-convert square.onnx -o square.tflite; model-diff square.onnx square.tflite --random 1; model-diff square.tflite square.onnx --random 1 --json -q | grep -c mismatch
>   SQNR dB     cosine    max error    max |ref|  value
>     equal   1.000000            0     0.994811  x
>         -          -            -            -  a: shape [1,4,4,4]: channels may be dim 1 or the last on either side
>         -          -            -            -  b: shape [1,4,4,4]: channels may be dim 1 or the last on either side
> [...]  y (output)
> only in the second: x_nhwc, y_nhwc_inner
> 2
