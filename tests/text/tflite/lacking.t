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

Resize by whole factors says the same in several ways; other places are looked up, weights multiplied.
$ sh op Resize 'mode = "nearest"' 1x2x4x5xf32 none x none x 4xi64 '[1, 2, 8, 15]' && model-info net.tflite | grep -c Gather; sh op Resize 'mode = "nearest", nearest_mode = "ceil"' 1x2x4x5xf32 none x none x 4xi64 '[1, 2, 9, 3]'
> Resize fits
> Resize fits
> 0
> Resize fits
> Resize fits
$ for mode in cubic linear; do FORMATS=tflite sh op Resize "mode = \"$mode\", antialias = 1 : si64" 1x2x8x9xf32 none x none x 4xi64 '[1, 2, 5, 4]'; done; FORMATS=tflite sh op Resize 'mode = "cubic"' 1x2x8x9xf32 none x none x 4xi64 '[1, 2, 16, 18]'; sh op Resize 'mode = "nearest"' 1x2x5xf32 none x none x 3xi64 '[1, 2, 10]'
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
>             Gemm                                20
>             Gemm                                20
>             Gemm                                10
$ sh lstm forward '%y, %c' >/dev/null; sed 's/5x2x2xf32/?x2x2xf32/g' net.mlir >open.mlir && model-convert open.mlir -o open.tflite
! model-convert: node "LSTM_0" (LSTM): its last state is wanted
! hint: step by step it could be written, with a known number of steps and of rows (--shape fixes them), and no gate clipped
? 4
$ sed 's/5x2x2xf32/?x2x2xf32/g' net.mlir >open.mlir && model-convert open.mlir --shape x=5,2,2 -o open.tflite

Weights that are codes stay so, step by step, too.
$ sh lstm bidirectional '%y, %c' >/dev/null; for type in wo-i8-sym f16; do quantize net.mlir --type $type -q -o coded.qn && model-convert coded.qn -q -o coded.tflite && model-info coded.tflite --text | grep -o 'LSTM_0_[wr].*storage = [a-z0-9]*' | sed 's/.*= //' | sort | uniq -c; done
>      24 i8
>      24 f16

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
