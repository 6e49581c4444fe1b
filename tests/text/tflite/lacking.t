Operators that TFLite and Circle lack are written with those that they have. `op OPERATOR ATTRIBUTES SHAPE [TYPE VALUE]...`: a net of one operator.
$ cat >op <<'END'
+ operator=$1 attributes=$2 in=%x types="tensor<$3>" constants= i=0 shape=$3; shift 3
+ while [ $# -gt 0 ]; do
+   i=$((i+1)); in="$in, %c$i"
+   case $1 in
+   none) types="$types, none"; constants="$constants%c$i = \"onnx.NoValue\"() : () -> none
+ " ;;
+   *) types="$types, tensor<$1>"; constants="$constants%c$i = \"onnx.Constant\"() {value = dense<$2> : tensor<$1>} : () -> tensor<$1>
+ " ;;
+   esac
+   shift 2
+ done
+ cat >net.mlir <<MODEL
+ func.func @main(%x: tensor<$shape>) -> tensor<*xf32> {
+ $constants%y = "onnx.$operator"($in) {$attributes} : ($types) -> tensor<*xf32>
+ return %y : tensor<*xf32>
+ }
+ MODEL
+ for format in ${FORMATS:-tflite circle}; do
+   model-convert -q net.mlir -o net.$format && model-diff net.mlir net.$format --random 1 --threshold ${AT_LEAST:-100} >diff.txt && echo $operator fits || tail -n 2 diff.txt
+ done
+ END
$ for name in Softplus Softsign Mish Selu Erf; do sh op $name '' 1x4x50xf32; done
> Softplus fits
> Softplus fits
> Softsign fits
> Softsign fits
> Mish fits
> Mish fits
> Selu fits
> Selu fits
> Erf fits
> Erf fits
$ sh op Elu 'alpha = 0.3 : f32' 1x4x50xf32; sh op Celu 'alpha = 2.0 : f32' 1x4x50xf32
> Elu fits
> Elu fits
> Celu fits
> Celu fits
$ for name in ReduceL1 ReduceLogSumExp; do sh op $name 'keepdims = 0 : si64' 2x4x5xf32 2xi64 '[1, 2]'; sh op $name '' 2x4x5xf32; done; sh op ReduceL1 '' 2x4x5xf32 1xi64 '[1]'
> ReduceL1 fits
> ReduceL1 fits
> ReduceL1 fits
> ReduceL1 fits
> ReduceLogSumExp fits
> ReduceLogSumExp fits
> ReduceLogSumExp fits
> ReduceLogSumExp fits
> ReduceL1 fits
> ReduceL1 fits
$ sh op InstanceNormalization '' 2x3x4x5xf32 3xf32 '[1.0, 0.5, -2.0]' 3xf32 '[0.0, 0.5, -1.0]'; sh op InstanceNormalization '' 2x3x9xf32 3xf32 '[1.0, 0.5, -2.0]' 3xf32 '[0.0, 0.5, -1.0]'
> InstanceNormalization fits
> InstanceNormalization fits
> InstanceNormalization fits
> InstanceNormalization fits
$ sh op GroupNormalization 'num_groups = 2 : si64' 2x4x3x5xf32 4xf32 '[1.0, 0.5, -2.0, 1.0]' 4xf32 '[0.0, 0.5, -1.0, 2.0]'
> GroupNormalization fits
> GroupNormalization fits

What is not a number is not itself; what is infinite has no size; edges of an activation choose.
$ cat >special.mlir <<'END'
+ func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi1>) {
+   %zero = "onnx.Constant"() {value = dense<[0.0, 1.0, 0.0]> : tensor<3xf32>} : () -> tensor<3xf32>
+   %q = "onnx.Div"(%x, %zero) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
+   %e = "onnx.Mul"(%q, %zero) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
+   %a = "onnx.IsNaN"(%e) : (tensor<2x3xf32>) -> tensor<2x3xi1>
+   %b = "onnx.IsInf"(%q) : (tensor<2x3xf32>) -> tensor<2x3xi1>
+   %c = "onnx.IsInf"(%q) {detect_negative = 0 : si64} : (tensor<2x3xf32>) -> tensor<2x3xi1>
+   return %a, %b, %c : tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi1>
+ }
+ END
$ for suffix in tflite circle; do model-convert special.mlir -o special.$suffix && model-diff special.mlir special.$suffix --random 1 --outputs-only | tail -n 3; done; model-info special.tflite | sed -n '/^operators/,/^parameters/p'
>     equal   1.000000            0            1  a (output)
>     equal   1.000000            0            1  b (output)
>     equal   1.000000            0            1  c (output)
>     equal   1.000000            0            1  a (output)
>     equal   1.000000            0            1  b (output)
>     equal   1.000000            0            1  c (output)
> operators   Abs                                  1
>             Div                                  1
>             Equal                                3
>             Mul                                  1
>             Not                                  1
> parameters  4 (16 bytes)
$ sh op Atan '' 1x4x50xf32; sh op ThresholdedRelu 'alpha = 0.3 : f32' 1x4x50xf32; sh op Shrink 'lambd = 0.25 : f32, bias = 0.1 : f32' 1x4x50xf32; sh op Hardmax 'axis = 1 : si64' 2x4x5xf32
> Atan fits
> Atan fits
> ThresholdedRelu fits
> ThresholdedRelu fits
> Shrink fits
> Shrink fits
> Hardmax fits
> Hardmax fits
$ sh op Mean '' 2x3xf32 3xf32 '[1.0, 2.0, 3.0]' 2x1xf32 '[[0.5], [-0.5]]' && model-info net.tflite | sed -n '/^operators/,/^parameters/p'; sh op Mean '' 2x3xf32; sh op Max '' 3xf32 2x1xf32 '[[0.5], [-0.5]]' 1x3xf32 '[[0.1, 0.2, -0.3]]'
> Mean fits
> Mean fits
> operators   Add                                  2
>             Mul                                  1
> parameters  6 (24 bytes)
> Mean fits
> Mean fits
> Max fits
> Max fits
$ sh op Trilu '' 2x3x4xf32; sh op Trilu 'upper = 0 : si64' 4x4xf32 i64 1; sh op Trilu 'upper = 0 : si64' 3x5xf32 i64 -1
> Trilu fits
> Trilu fits
> Trilu fits
> Trilu fits
> Trilu fits
> Trilu fits
$ for more in 'p = 1 : si64' 'p = 2 : si64' 'p = 3 : si64' 'pads = [1, 0, 1, 1]' 'strides = [2, 2], ceil_mode = 1 : si64' 'dilations = [2, 1]'; do sh op LpPool "kernel_shape = [2, 3], $more" 1x2x5x8xf32; done; sh op LpPool 'kernel_shape = [2]' 1x2x5xf32 && model-info net.tflite | sed -n '/^operators/,/^parameters/p'
> LpPool fits
> LpPool fits
> LpPool fits
> LpPool fits
> LpPool fits
> LpPool fits
> LpPool fits
> LpPool fits
> LpPool fits
> LpPool fits
> LpPool fits
> LpPool fits
> LpPool fits
> LpPool fits
> operators   AveragePool                          1
>             Mul                                  2
>             Reshape                              2
>             Sqrt                                 1
>             Transpose                            2
> parameters  8 (60 bytes)

Attention in one piece is taken apart on the way to the file, also where only its weights are codes.
$ cat >heads.mlir <<'END'
+ func.func @main(%q: tensor<1x5x8xf32>, %k: tensor<1x6x8xf32>, %v: tensor<1x6x8xf32>) -> tensor<1x5x8xf32> {
+   %w = "onnx.Constant"() {value = dense<0.125> : tensor<8x8xf32>} : () -> tensor<8x8xf32>
+   %p = "onnx.MatMul"(%q, %w) : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
+   %a = "com.microsoft.MultiHeadAttention"(%p, %k, %v) {num_heads = 2 : si64} : (tensor<1x5x8xf32>, tensor<1x6x8xf32>, tensor<1x6x8xf32>) -> tensor<1x5x8xf32>
+   %y = "onnx.Attention"(%a, %k, %v) {q_num_heads = 2 : si64, kv_num_heads = 2 : si64, is_causal = 1 : si64} : (tensor<1x5x8xf32>, tensor<1x6x8xf32>, tensor<1x6x8xf32>) -> tensor<1x5x8xf32>
+   return %y : tensor<1x5x8xf32>
+ }
+ END
$ for suffix in tflite circle; do model-convert heads.mlir -o heads.$suffix && model-diff heads.mlir heads.$suffix --random 1 --threshold 100 >diff.txt && model-info heads.$suffix | grep -cE 'Softmax|Attention'; for type in wo-i8-sym dynamic-i8 f16; do quantize heads.mlir --type $type -q -o h.$suffix && model-diff heads.mlir h.$suffix --random 1 --outputs-only --threshold 40 >diff.txt && echo $type fits; done; done
> 1
> wo-i8-sym fits
> dynamic-i8 fits
> f16 fits
> 1
> wo-i8-sym fits
> dynamic-i8 fits
> f16 fits
$ cat >packed.mlir <<'END'
+ func.func @main(%x: tensor<1x5x8xf32>) -> tensor<1x5x8xf32> {
+   %w = "onnx.Constant"() {value = dense<0.125> : tensor<8x24xf32>} : () -> tensor<8x24xf32>
+   %y = "com.microsoft.Attention"(%x, %w) {num_heads = 2 : si64} : (tensor<1x5x8xf32>, tensor<8x24xf32>) -> tensor<1x5x8xf32>
+   return %y : tensor<1x5x8xf32>
+ }
+ END
$ for suffix in tflite circle; do model-convert packed.mlir -o packed.$suffix && model-diff packed.mlir packed.$suffix --random 1 --threshold 100 >diff.txt && echo fits; done
> fits
> fits

Resize by whole factors says the same in several ways; other places are looked up, weights multiplied.
$ sh op Resize 'mode = "nearest"' 1x2x4x5xf32 none x none x 4xi64 '[1, 2, 8, 15]' && model-info net.tflite | grep -c Gather; sh op Resize 'mode = "nearest", nearest_mode = "ceil"' 1x2x4x5xf32 none x none x 4xi64 '[1, 2, 9, 3]'
> Resize fits
> Resize fits
> 0
> Resize fits
> Resize fits
$ for mode in cubic linear; do sh op Resize "mode = \"$mode\", antialias = 1 : si64" 1x2x8x9xf32 none x none x 4xi64 '[1, 2, 5, 4]'; done; sh op Resize 'mode = "cubic"' 1x2x8x9xf32 none x none x 4xi64 '[1, 2, 16, 18]'; sh op Resize 'mode = "nearest"' 1x2x5xf32 none x none x 3xi64 '[1, 2, 10]'
> Resize fits
> Resize fits
> Resize fits
> Resize fits
> Resize fits
> Resize fits
> Resize fits
> Resize fits

Channels of PixelShuffle change places in the constants of the convolution before it.
$ sh op DepthToSpace 'blocksize = 2 : si64, mode = "CRD"' 1x8x3x4xf32; for mode in edge wrap; do sh op Pad "mode = \"$mode\"" 1x2x4x5xf32 8xi64 '[0, 1, 2, 0, 0, 0, 1, 3]'; done
> DepthToSpace fits
> DepthToSpace fits
> Pad fits
> Pad fits
> Pad fits
> Pad fits
$ cat >shuffle.mlir <<'END'
+ func.func @main(%x: tensor<1x1x3x4xf32>) -> tensor<1x2x6x8xf32> {
+   %w = "onnx.Constant"() {value = dense<[[[[1.0]]], [[[2.0]]], [[[3.0]]], [[[4.0]]], [[[5.0]]], [[[6.0]]], [[[7.0]]], [[[8.0]]]]> : tensor<8x1x1x1xf32>} : () -> tensor<8x1x1x1xf32>
+   %b = "onnx.Constant"() {value = dense<[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]> : tensor<8xf32>} : () -> tensor<8xf32>
+   %c = "onnx.Conv"(%x, %w, %b) : (tensor<1x1x3x4xf32>, tensor<8x1x1x1xf32>, tensor<8xf32>) -> tensor<1x8x3x4xf32>
+   %r = "onnx.Relu"(%c) : (tensor<1x8x3x4xf32>) -> tensor<1x8x3x4xf32>
+   %y = "onnx.DepthToSpace"(%r) {blocksize = 2 : si64, mode = "CRD"} : (tensor<1x8x3x4xf32>) -> tensor<1x2x6x8xf32>
+   return %y : tensor<1x2x6x8xf32>
+ }
+ END
$ model-convert shuffle.mlir -o shuffle.tflite && model-diff shuffle.mlir shuffle.tflite --random 1 --outputs-only | tail -n 1; model-info shuffle.tflite | sed -n '/^operators/,/^parameters/p'
>     equal   1.000000            0      8.34827  y (output)
> operators   Conv                                 1
>             Relu                                 1
>             Reshape                              3
>             Transpose                            2
> parameters  30 (176 bytes)
$ minmax-collect -q shuffle.mlir --random 1 --rows 20 -o r.json && quantize -q shuffle.mlir --ranges r.json --type i8 -o shuffle8.tflite && model-diff shuffle.mlir shuffle8.tflite --random 2 --outputs-only --second-mode int --threshold 35 >diff.txt && model-info shuffle8.tflite | sed -n '/^operators/,/^parameters/p'
> operators   Conv                                 1
>             Relu                                 1
>             Reshape                              3
>             Transpose                            2
> parameters  30 (152 bytes)

$ sh op GatherElements 'axis = 1 : si64' 3x4xf32 3x2xi64 '[[0, -1], [2, 1], [1, 1]]'; sh op MaxPool 'kernel_shape = [2, 3], dilations = [2, 2], pads = [1, 1, 0, 1]' 1x2x7x8xf32; sh op AveragePool 'kernel_shape = [2, 2], dilations = [2, 2], pads = [1, 1, 1, 1]' 1x2x7x8xf32
> GatherElements fits
> GatherElements fits
> MaxPool fits
> MaxPool fits
> AveragePool fits
> AveragePool fits
$ sh op ScatterND '' 3x4xf32 2x1xi64 '[[2], [-3]]' 2x4xf32 '[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]'; sh op ScatterND '' 3x4xf32 2x2xi64 '[[2, -1], [0, 1]]' 2xf32 '[0.5, -0.5]'; sh op ScatterElements 'axis = 1 : si64' 3x4xf32 2x2xi64 '[[0, -1], [2, 1]]' 2x2xf32 '[[0.5, 0.75], [-0.5, 0.25]]'
> ScatterND fits
> ScatterND fits
> ScatterND fits
> ScatterND fits
> ScatterElements fits
> ScatterElements fits
$ sh op AveragePool 'kernel_shape = [3, 3], pads = [0, 1, 2, 1]' 1x2x7x8xf32; sh op AveragePool 'kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1], ceil_mode = 1 : si64, count_include_pad = 1 : si64' 1x2x6x8xf32; sh op MaxPool 'kernel_shape = [2, 2, 2]' 1x2x4x4x5xf32
> AveragePool fits
> AveragePool fits
> AveragePool fits
> AveragePool fits
> MaxPool fits
> MaxPool fits

On codes they are written at constant places as they are, or as real numbers between codes.
$ cat >places.mlir <<'END'
+ func.func @main(%x: tensor<4x3xf32>, %u: tensor<2x3xf32>) -> tensor<4x3xf32> {
+   %i = "onnx.Constant"() {value = dense<[[2], [-4]]> : tensor<2x1xi64>} : () -> tensor<2x1xi64>
+   %w = "onnx.Constant"() {value = dense<0.5> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
+   %k = "onnx.Constant"() {value = dense<[[1, 0, 2], [3, 3, 0]]> : tensor<2x3xi64>} : () -> tensor<2x3xi64>
+   %a = "onnx.Add"(%x, %w) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
+   %s = "onnx.ScatterND"(%a, %i, %u) {onnx_node_name = "s"} : (tensor<4x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<4x3xf32>
+   %t = "onnx.ScatterElements"(%s, %k, %u) {axis = 0 : si64, onnx_node_name = "t"} : (tensor<4x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<4x3xf32>
+   %l = "onnx.Trilu"(%t) {onnx_node_name = "l"} : (tensor<4x3xf32>) -> tensor<4x3xf32>
+   %y = "onnx.Add"(%l, %w) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
+   return %y : tensor<4x3xf32>
+ }
+ END
$ minmax-collect -q places.mlir --random 1 --rows 20 -o rp.json; for type in i8 u8-asym w8a16; do for suffix in tflite circle; do quantize -q places.mlir --ranges rp.json --type $type -o p.$suffix 2>/dev/null && model-diff places.mlir p.$suffix --random 2 --outputs-only --second-mode int --threshold 38 >diff.txt && echo $type fits; done; done
> i8 fits
> i8 fits
> u8-asym fits
> u8-asym fits
> w8a16 fits
> w8a16 fits

Products.
$ sh op Gemm 'alpha = 0.5 : f32, beta = 2.0 : f32' 2x3xf32 3x2xf32 '[[1.0, 2.0], [3.0, -4.0], [0.5, 0.25]]' f32 0.7; model-info net.tflite | sed -n '/^operators/,/^parameters/p'; sh op Gemm 'alpha = 0.5 : f32' 2x3xf32 3x2xf32 '[[1.0, 2.0], [3.0, -4.0], [0.5, 0.25]]' 2x1xf32 '[[0.5], [1.0]]'
> Gemm fits
> Gemm fits
> operators   Gemm                                 1
> parameters  8 (32 bytes)
> Gemm fits
> Gemm fits
$ sh op MatMul '' 3xf32 3x2xf32 '[[1.0, 2.0], [3.0, -4.0], [0.5, 0.25]]'; sh op MatMul '' 2x3xf32 3xf32 '[1.0, 2.0, -3.0]'; sh op Einsum 'equation = "bij,jk->bki"' 2x4x3xf32 3x2xf32 '[[1.0, 2.0], [3.0, -4.0], [0.5, 0.25]]'; sh op Einsum 'equation = "bij->ib"' 2x4x3xf32
> MatMul fits
> MatMul fits
> MatMul fits
> MatMul fits
> Einsum fits
> Einsum fits
> Einsum fits
> Einsum fits
$ for equation in 'bij->jb' 'ij...->...j' '...->...' 'kji'; do sh op Einsum "equation = \"$equation\"" 2x4x3xf32; done; for equation in 'bii->bi' '...ii->...i' 'bii->b' 'iib'; do sh op Einsum "equation = \"$equation\"" 3x3x3xf32; done
> Einsum fits
> Einsum fits
> Einsum fits
> Einsum fits
> Einsum fits
> Einsum fits
> Einsum fits
> Einsum fits
> Einsum fits
> Einsum fits
> Einsum fits
> Einsum fits
> Einsum fits
> Einsum fits
> Einsum fits
> Einsum fits
$ sh op Einsum 'equation = "...ij,...jk->...ik"' 2x1x3x2xf32 1x2x2x1xf32 '[[[[1.0], [2.0]], [[-1.0], [0.5]]]]'; sh op Einsum 'equation = "ii,ik->k"' 2x2xf32 2x3xf32 '[[1.0, 2.0, 3.0], [-4.0, 0.5, 0.25]]'
> Einsum fits
> Einsum fits
> Einsum fits
> Einsum fits
$ w='[[[[1.0, 2.0], [3.0, -4.0]]], [[[0.5, 0.25], [-1.0, 2.0]]]]'; for more in 'group = 2 : si64' 'pads = [1, 0, 0, 1]' 'pads = [0, 1, 1, 0], output_padding = [1, 1]' 'auto_pad = "SAME_LOWER"'; do sh op ConvTranspose "$more, strides = [2, 2]" 1x2x4x5xf32 2x1x2x2xf32 "$w" $(test "${more#g}" = "$more" && echo 1xf32 || echo 2xf32) 0.5; done; sh op ConvTranspose 'dilations = [2, 2]' 1x2x4x5xf32 2x1x2x2xf32 "$w"; sh op ConvTranspose 'strides = [2], pads = [1, 0]' 1x1x5xf32 1x1x3xf32 '[[[1.0, 2.0, -1.0]]]'
> ConvTranspose fits
> ConvTranspose fits
> ConvTranspose fits
> ConvTranspose fits
> ConvTranspose fits
> ConvTranspose fits
> ConvTranspose fits
> ConvTranspose fits
> ConvTranspose fits
> ConvTranspose fits
> ConvTranspose fits
> ConvTranspose fits

Weights in codes stay the float weights that they stand for where parts of them are taken.
$ w='[[[[1.0, 2.0], [3.0, -4.0]]], [[[0.5, 0.25], [-1.0, 2.0]]]]'; sh op ConvTranspose 'group = 2 : si64, strides = [2, 2]' 1x2x4x5xf32 2x1x2x2xf32 "$w" 2xf32 0.5
+ for type in wo-i8 wo-i8-sym wo-i16 f16; do for suffix in tflite circle; do quantize net.mlir --type $type -q -o w.$suffix && model-info w.$suffix | grep -c ConvTranspose; done; done
> ConvTranspose fits
> ConvTranspose fits
> 1
> 1
> 1
> 1
> 1
> 1
> 1
> 1

A recurrent layer of both directions is two, a last state the last of the sequence; lengths, first states and last cells are a matter of the steps.
$ cat >lstm <<'END'
+ # DIRECTION RESULTS LENGTHS
+ case $1 in bidirectional) d=2 ;; *) d=1 ;; esac
+ w="[[1.0, 0.5], [0.25, -1.0], [0.5, 0.75], [-0.5, 1.0]]" r="[[0.5], [1.0], [-0.25], [0.75]]"
+ case $d in 2) w="[$w, $w]" r="[$r, $r]" ;; *) w="[$w]" r="[$r]" ;; esac
+ case $3 in '') l='"onnx.NoValue"() : () -> none' lt=none ;; *) l="\"onnx.Constant\"() {value = dense<$3> : tensor<2xi32>} : () -> tensor<2xi32>" lt='tensor<2xi32>' ;; esac
+ cat >net.mlir <<MODEL
+ func.func @main(%x: tensor<5x2x2xf32>) -> ($(echo $2 | sed 's/%[a-z]*/tensor<*xf32>/g')) {
+   %w = "onnx.Constant"() {value = dense<$w> : tensor<${d}x4x2xf32>} : () -> tensor<${d}x4x2xf32>
+   %r = "onnx.Constant"() {value = dense<$r> : tensor<${d}x4x1xf32>} : () -> tensor<${d}x4x1xf32>
+   %none = "onnx.NoValue"() : () -> none
+   %l = $l
+   %y, %h, %c = "onnx.LSTM"(%x, %w, %r, %none, %l) {direction = "$1", hidden_size = 1 : si64} : (tensor<5x2x2xf32>, tensor<${d}x4x2xf32>, tensor<${d}x4x1xf32>, none, $lt) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
+   return $2 : $(echo $2 | sed 's/%[a-z]*/tensor<*xf32>/g')
+ }
+ MODEL
+ model-convert -q net.mlir -o net.tflite && model-diff net.mlir net.tflite --random 1 --threshold 100 >diff.txt && model-info net.tflite | grep -E 'LSTM|MatMul|Gemm'
+ END
$ sh lstm forward '%y, %h'; sh lstm reverse '%h'; sh lstm bidirectional '%y, %h'; sh lstm bidirectional '%y, %h' '[5, 5]'
>             LSTM                                 1
>             LSTM                                 1
>             LSTM                                 2
>             LSTM                                 2
$ sh lstm bidirectional '%y, %c'; sh lstm bidirectional '%y, %h, %c' '[5, 3]'; sh lstm reverse '%h' '[2, 4]'
>             Gemm                                18
>             Gemm                                18
>             Gemm                                10
$ sh lstm forward '%y, %c' >/dev/null; sed 's/5x2x2xf32/?x2x2xf32/g' net.mlir >open.mlir && model-convert open.mlir -o open.tflite
! model-convert: node "LSTM_0" (LSTM): its last state is wanted
! hint: step by step it could be written, with a known number of steps and of rows (--shape fixes them), and no gate clipped
? 4
$ sed 's/5x2x2xf32/?x2x2xf32/g' net.mlir >open.mlir && model-convert open.mlir --shape x=5,2,2 -o open.tflite

Weights that are codes stay so, step by step, too.
$ sh lstm bidirectional '%y, %c' >/dev/null; for type in wo-i8-sym f16; do quantize net.mlir --type $type -q -o coded.qn && model-convert coded.qn -q -o coded.tflite && model-info coded.tflite --text | grep -o 'LSTM_0_[wr].*storage = [a-z0-9]*' | sed 's/.*= //' | sort | uniq -c; done
>       4 i8
>       4 f16

What needs fixed sizes says so.
$ cat >open.mlir <<'END'
+ func.func @main(%x: tensor<1x4x?x?xf32>) -> tensor<1x4x?x?xf32> {
+   %s = "onnx.Constant"() {value = dense<1.0> : tensor<4xf32>} : () -> tensor<4xf32>
+   %y = "onnx.GroupNormalization"(%x, %s, %s) {num_groups = 2 : si64, onnx_node_name = "norm"} : (tensor<1x4x?x?xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x?x?xf32>
+   return %y : tensor<1x4x?x?xf32>
+ }
+ END
$ model-convert open.mlir -o open.tflite
! model-convert: node "norm" (GroupNormalization): tflite has no such operator
! hint: its data have open sizes, and some operators can be written of fixed ones only: model-convert --shape fixes them
? 4
$ model-convert open.mlir --shape x=1,4,6,8 -o open.tflite

A constant of a computed shape is filled by it.
$ cat >filled.mlir <<'END'
+ func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
+   %s = "onnx.Shape"(%x) : (tensor<?x?xf32>) -> tensor<2xi64>
+   %c = "onnx.ConstantOfShape"(%s) {value = dense<[2.5]> : tensor<1xf32>} : (tensor<2xi64>) -> tensor<?x?xf32>
+   %y = "onnx.Add"(%x, %c) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
+   return %y : tensor<?x?xf32>
+ }
+ END
$ model-convert filled.mlir -o filled.tflite && model-convert filled.tflite -o filled2.tflite && cmp filled.tflite filled2.tflite && model-diff filled.mlir filled.tflite --shape x=3,4 --random 1 --threshold 100 | tail -n 1
>     equal   1.000000            0      3.44353  y (output)

The remainder with the sign of the first operand is that of sizes, which gets the sign; an exclusive or of truths is what differs.

$ cat > rest.mlir <<'END'
+ func.func @net(%a: tensor<4x6xf32>, %b: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi1>) {
+   %y = "onnx.Mod"(%a, %b) {fmod = 1 : si64, onnx_node_name = "y"} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
+   %l = "onnx.Less"(%a, %b) {onnx_node_name = "l"} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
+   %g = "onnx.Less"(%y, %b) {onnx_node_name = "g"} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
+   %z = "onnx.Xor"(%l, %g) {onnx_node_name = "z"} : (tensor<4x6xi1>, tensor<4x6xi1>) -> tensor<4x6xi1>
+   return %y, %z : tensor<4x6xf32>, tensor<4x6xi1>
+ }
+ END
$ model-convert rest.mlir -q -o rest.tflite; model-diff rest.mlir rest.tflite --random 3 --rows 20 --outputs-only
>   SQNR dB     cosine    max error    max |ref|  value
>     equal   1.000000            0     0.947586  y (output)
>     equal   1.000000            0            1  z (output)
$ model-convert rest.tflite -q -o again.tflite; model-convert again.tflite -q -o third.tflite; cmp again.tflite third.tflite; model-convert rest.mlir -q -o rest.circle; model-diff rest.mlir rest.circle --random 3 --rows 20 --outputs-only
>   SQNR dB     cosine    max error    max |ref|  value
>     equal   1.000000            0     0.947586  y (output)
>     equal   1.000000            0            1  z (output)

Of whole numbers the size of the least one is negative: its remainder is not the format's.

$ cat > whole.mlir <<'END'
+ func.func @net(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
+   %p = "onnx.Abs"(%a) : (tensor<4xi32>) -> tensor<4xi32>
+   %q = "onnx.Abs"(%b) : (tensor<4xi32>) -> tensor<4xi32>
+   %y = "onnx.Mod"(%p, %q) {fmod = 1 : si64, onnx_node_name = "y"} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
+   return %y : tensor<4xi32>
+ }
+ END
$ model-convert whole.mlir -q -o whole.tflite
! model-convert: node "y" (Mod): fmod
? 4
