Algorithms of quantize: what there is, what is asked for, what it did.
$ quantize --list-algorithms | grep -v '^ '
> cle                       cross-layer equalization: ranges of channels are balanced between consecutive layers, high biases moved on
> smoothquant               outliers of activations are moved into the weights that multiply them
> awq                       channels of weights that meet great activations are scaled up, what makes these down
> recalibrate               ranges of activations are measured again, layer by layer, with the layers before quantized
> seqmse                    scales of weights are searched by the error of each layer's products, layer by layer
> adaround                  rounding of each weight up or down is learned, layer by layer
> gptq                      weights are rounded one by one, the others of a product make up for the error
> analytic-bias-correction  biases make up for the mean error of rounded weights, by what BatchNormalization says of inputs
> fast-bias-correction      biases make up for the mean error of rounded weights, by the measured means of inputs
> bias-correction           biases make up for the mean error of each output, measured with the layers before it quantized
$ python3 -c "
+ import random
+ random.seed(7)
+ open('x.u8', 'wb').write(bytes(random.randrange(17) for _ in range(40 * 64)))"
$ ln -s $EXAMPLES/digits/digits.onnx d.onnx; minmax-collect d.onnx --input 'image=x.u8:u8[1,8,8]*0.0625-0' -o r.json; minmax-collect d.onnx --input 'image=x.u8:u8[1,8,8]*0.0625-0' --per-channel -o c.json

Names, and what is missing.
$ quantize d.onnx --ranges r.json --algorithms adarond -o q.qn
! quantize: unknown algorithm "adarond" (did you mean "adaround"?)
! hint: one of cle, smoothquant, awq, recalibrate, seqmse, adaround, gptq, analytic-bias-correction, fast-bias-correction, bias-correction
? 2
$ quantize d.onnx --ranges r.json --algorithms gptq,gptq -o q.qn
! quantize: algorithm "gptq" is named twice
? 2
$ quantize d.onnx --ranges r.json --algorithms gptq -o q.qn
! quantize: d.onnx: algorithm gptq needs samples
! hint: give --input-list or --input
? 2
$ quantize d.onnx --ranges r.json --input 'image=x.u8:u8[1,8,8]*0.0625-0' --algorithms cle --min-output-sqnr 30 -o q.qn
! quantize: a budget compares types as they are without algorithms: give one of both
? 2
$ quantize d.onnx --type q4_0 --algorithms cle -o q.gguf
! quantize: --algorithms is not for types of ggml
? 2

Equalization changes values: without samples their ranges are rescaled if they are known by channel, else asked for.
$ quantize d.onnx --ranges r.json --algorithms cle -o q.qn
! quantize: d.onnx: the algorithms change [...] values whose ranges by channel are not known: [...]
! hint: give samples (--input-list, --input) to measure them again, or ranges of minmax-collect --per-channel
? 2
$ quantize d.onnx --ranges c.json --algorithms cle -o c.qn && quantize d.onnx --ranges r.json --input 'image=x.u8:u8[1,8,8]*0.0625-0' --algorithms cle -v -o q.qn
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: algorithm cle: [...] dB on 30 rows, [...] dB without; [...] dB on 10 rows held back, [...] dB without
! quantize: cle: 3 of 3 layers changed
!   conv1_Conv: SQNR of its weight [...] dB, was [...] dB
!   conv2_Conv: SQNR of its weight [...] dB, was [...] dB
!   scores_Gemm: SQNR of its weight [...] dB, was [...] dB
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ for m in c q; do model-diff d.onnx $m.qn --input 'image=x.u8:u8[1,8,8]*0.0625-0' --outputs-only --threshold 25 >d || cat d; done

The order is the one that is asked for; the same bytes on any number of threads; samples alone are enough.
$ A='--algorithms cle,seqmse,gptq,bias-correction --fit-rows 1000'; for t in 1 3; do quantize d.onnx --input 'image=x.u8:u8[1,8,8]*0.0625-0' $A --threads $t --report $t.json -o $t.qn; done; cmp 1.qn 3.qn && cmp 1.json 3.json && python3 -c "
+ import json
+ for algorithm in json.load(open('1.json'))['algorithms']:
+     print(algorithm['name'], len(algorithm['layers']), all(l['after_db'] >= l['before_db'] for l in algorithm['layers'] if algorithm['name'] != 'cle'))"
> cle 3 True
> seqmse 3 True
> gptq 3 True
! quantize: algorithm cle: [...] dB on 30 rows, [...] dB without; [...] dB on 10 rows held back, [...] dB without
! quantize: algorithm gptq: [...] dB on 30 rows, [...] dB without; [...] dB on 10 rows held back, [...] dB without
! quantize: algorithm bias-correction is taken back: [...] dB on 30 rows, [...] dB without; [...] dB on 10 rows held back, [...] dB without
! quantize: seqmse: 0 of 3 layers changed
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: algorithm cle: [...] dB on 30 rows, [...] dB without; [...] dB on 10 rows held back, [...] dB without
! quantize: algorithm gptq: [...] dB on 30 rows, [...] dB without; [...] dB on 10 rows held back, [...] dB without
! quantize: algorithm bias-correction is taken back: [...] dB on 30 rows, [...] dB without; [...] dB on 10 rows held back, [...] dB without
! quantize: seqmse: 0 of 3 layers changed
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize d.onnx --input 'image=x.u8:u8[1,8,8]*0.0625-0' --type w4a16 --algorithms adaround --report r.html -o q.onnx && grep -c 'Algorithm adaround' r.html
> 1
! quantize: algorithm adaround: [...] dB on 30 rows, [...] dB without; [...] dB on 10 rows held back, [...] dB without
! quantize: coverage: 7 of 7 operators, 99.9 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized

Where there is nothing to do, that is what is printed.
$ quantize "$NETS/softmax.mlir" --type wo-i8-sym --algorithms cle -q -o q.qn; quantize "$NETS/softmax.mlir" --type wo-i8-sym --algorithms cle -o q.qn
! quantize: cle: nothing to do in this model
! quantize: --type wo-i8-sym found nothing to quantize
$ cat > six.mlir <<'END'
+ func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
+   %w = "onnx.Constant"() {value = dense<[[0.5, -1.0], [2.0, 0.25]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
+   %v = "onnx.Constant"() {value = dense<[[0.1, -1.0], [2.0, 0.75]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
+   %lo = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
+   %hi = "onnx.Constant"() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
+   %a = "onnx.MatMul"(%x, %w) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
+   %b = "onnx.Clip"(%a, %lo, %hi) {onnx_node_name = "six"} : (tensor<2x2xf32>, tensor<f32>, tensor<f32>) -> tensor<2x2xf32>
+   %y = "onnx.MatMul"(%b, %v) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
+   return %y : tensor<2x2xf32>
+ }
+ END
$ quantize six.mlir --type wo-i8-sym --algorithms cle -o q.qn
! quantize: cle: nothing to do in this model
! quantize: cle: 1 chain is not equalized: scaling would move the upper bound of six
! quantize: coverage: 2 of 3 operators, 80.0 % of the weights (32 of 40 bytes as float32) and 80.0 % of the multiply-accumulates are quantized

Rules name algorithms for their nodes, in place of those of the command line; samples are asked for all the same.
$ quantize d.onnx --ranges r.json --set-op-type Conv=i8,algorithms=cle+adarond -o q.qn
! quantize: op_types."Conv".algorithms: unknown algorithm "adarond" (did you mean "adaround"?)
! hint: one of cle, smoothquant, awq, recalibrate, seqmse, adaround, gptq, analytic-bias-correction, fast-bias-correction, bias-correction
? 3
$ quantize d.onnx --ranges r.json --set-op-type Conv=i8,algorithms=gptq -o q.qn
! quantize: d.onnx: algorithm gptq needs samples
! hint: give --input-list or --input
? 2
$ quantize d.onnx --ranges r.json --input 'image=x.u8:u8[1,8,8]*0.0625-0' --set-op-type Conv=i8,algorithms=gptq --min-output-sqnr 30 -o q.qn
! quantize: a budget compares types as they are without algorithms: give one of both
? 2
$ S='--ranges r.json --type w4a16 --input image=x.u8:u8[1,8,8]*0.0625-0'; quantize d.onnx $S --set-node-name conv2_Conv=w4a16,algorithms=gptq --report r.json.json -o q.qn && python3 -c "
+ import json
+ for a in json.load(open('r.json.json'))['algorithms']: print(a['name'], [l['name'] for l in a['layers']])"
> gptq ['conv2_Conv']
! quantize: coverage: 7 of 7 operators, 99.9 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ echo '{"kind": "rules", "version": 1, "global": {"type": "w4a16", "algorithms": ["gptq"]}, "node_names": {"conv2_Conv": {"type": "w4a16", "algorithms": "none"}}}' > rules.json
$ S='--ranges r.json --input image=x.u8:u8[1,8,8]*0.0625-0'; quantize d.onnx $S --rules rules.json --report r.json.json -o q.qn && python3 -c "
+ import json
+ for a in json.load(open('r.json.json'))['algorithms']: print(a['name'], [l['name'] for l in a['layers']])"
> gptq ['conv1_Conv', 'scores_Gemm']
! quantize: coverage: 7 of 7 operators, 99.9 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized

Ranges that are measured again, with what is before them quantized: the same on any number of threads.
$ A='--type w4a16 --ranges r.json --input image=x.u8:u8[1,8,8]*0.0625-0 --algorithms recalibrate'; for t in 1 3; do quantize d.onnx $A --threads $t --report $t.json -v -o $t.qn 2>$t.txt; done; cmp 1.qn 3.qn && cmp 1.json 3.json && sed 3q 1.txt
> quantize: algorithm recalibrate: [...] dB on 30 rows, [...] dB without; [...] dB on 10 rows held back, [...] dB without
> quantize: recalibrate: [...] layers changed
>   relu1_Relu: range of "relu1" 0 to [...], was 0 to [...]

Means of inputs that follow from normalizations: without samples, and refused where the file has none.
$ cat > norm.mlir <<'END'
+ func.func @main(%x: tensor<1x2x4x4xf32>) -> tensor<*xf32> {
+   %w = "onnx.Constant"() {value = dense<[[[[0.5]], [[-1.0]]], [[[2.0]], [[0.25]]]]> : tensor<2x2x1x1xf32>} : () -> tensor<2x2x1x1xf32>
+   %v = "onnx.Constant"() {value = dense<[[[[0.31]], [[-1.0]]], [[[2.0]], [[0.75]]]]> : tensor<2x2x1x1xf32>} : () -> tensor<2x2x1x1xf32>
+   %one = "onnx.Constant"() {value = dense<[1.0, 0.5]> : tensor<2xf32>} : () -> tensor<2xf32>
+   %b = "onnx.Constant"() {value = dense<[0.5, -0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
+   %a = "onnx.Conv"(%x, %w) {onnx_node_name = "first"} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<*xf32>
+   %n = "onnx.BatchNormalization"(%a, %one, %b, %b, %one) : (tensor<*xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<*xf32>
+   %r = "onnx.Relu"(%n) : (tensor<*xf32>) -> tensor<*xf32>
+   %y = "onnx.Conv"(%r, %v) {onnx_node_name = "second"} : (tensor<*xf32>, tensor<2x2x1x1xf32>) -> tensor<*xf32>
+   return %y : tensor<*xf32>
+ }
+ END
$ quantize norm.mlir --type wo-i4 --algorithms cle,analytic-bias-correction -v -o q.qn
! quantize: cle: 2 of 2 layers changed
!   [...]
!   [...]
! quantize: analytic-bias-correction: 1 of 2 layers changed
!   first: its input does not come from a BatchNormalization
!   second: biases move by at most 0.[...]
! quantize: coverage: 2 of 3 operators, 66.7 % of the weights (32 of 48 bytes as float32) and 80.0 % of the multiply-accumulates are quantized
$ quantize six.mlir --type wo-i8-sym --algorithms analytic-bias-correction -o q.qn
! quantize: six.mlir: algorithm analytic-bias-correction goes by BatchNormalization: no layer that is quantized reads the results of one, or they were folded into layers before this file was written
! hint: fast-bias-correction and bias-correction measure over samples
? 4

An Add behind a convolution becomes its bias, so that it can be corrected, and the rule that names it holds; with another type it stays apart.
$ cat > added.mlir <<'END'
+ func.func @net(%x: tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32> {
+   %w = "onnx.Constant"() {value = dense<[[[[0.51]], [[-1.37]]], [[[2.11]], [[0.29]]]]> : tensor<2x2x1x1xf32>} : () -> tensor<2x2x1x1xf32>
+   %b = "onnx.Constant"() {value = dense<[[[[0.4]], [[-0.7]]]]> : tensor<1x2x1x1xf32>} : () -> tensor<1x2x1x1xf32>
+   %c = "onnx.ConvTranspose"(%x, %w) {onnx_node_name = "up"} : (tensor<1x2x3x3xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x3x3xf32>
+   %y = "onnx.Add"(%c, %b) {onnx_node_name = "bias"} : (tensor<1x2x3x3xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x3x3xf32>
+   return %y : tensor<1x2x3x3xf32>
+ }
+ END
$ for rule in i8 none w8a16; do quantize added.mlir --random 1 --rows 4 --set-global i8,algorithms=bias-correction --set-node-name bias=$rule -q -o a.qn && model-info a.qn | grep -c Add; done
> 0
> 1
> 1
