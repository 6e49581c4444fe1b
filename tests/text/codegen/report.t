What generated C takes, as a table and as JSON.

$ minmax-collect $EXAMPLES/digits/digits.onnx --random 1 --rows 4 -q -o r.json && quantize $EXAMPLES/digits/digits.onnx --ranges r.json --type i8 -q -o d8.tflite
$ codegen d8.tflite -q -p c --preference size -o c --report -
> model         d8: integer, needs no library
> flash         10944 bytes of constants; code comes to it, whose size is the compiler's
> RAM           1354 bytes: arena 1280, inputs 64, outputs 10; states are inputs and outputs
> stack         664 bytes estimated for 32-bit processors: the deepest calls, all they declare in memory
>               d8_invoke_in                                                         80
>               d8_run_in                                                            80
>               d8_steps                                                             92
>               conv_fixed_i8_i8_i8_i32                                             164
>               code_of_sum                                                          84
>               scaled                                                               84
>               high_product                                                         80
> in float      0 of 7 layers
> MACs          90624
> 
> layer                  operator         type     in    output         parameters         MACs  share
> image_nhwc             Reshape          int8           [1,8,8,1]               0            0  0.0 %
> relu1/Conv             Conv + Relu      int8           [1,8,8,16]            428        10240 11.3 %
> pool1                  MaxPool          int8           [1,4,4,16]            116         1024  1.1 %
> relu2/Conv             Conv + Relu      int8           [1,4,4,32]           5036        74240 81.9 %
> relu2_nchw             Transpose        int8           [1,32,4,4]            132            0  0.0 %
> flat                   Reshape          int8           [1,512]                 0            0  0.0 %
> scores                 Gemm             int8           [1,10]               5232         5120  5.6 %

The layers' constants are all constants, their shares all multiply-accumulates, the arena is the header's.

$ codegen d8.tflite -q -p c -o c --report r.json && cat > sums.py <<'END'
+ import json
+ report = json.load(open("r.json"))
+ layers = report["layers"]
+ print(report["kind"], report["version"], report["name"], report["integer"])
+ print(sum(layer["parameters"] for layer in layers) == report["flash"]["constants"], sum(layer["macs"] for layer in layers) == report["macs"], round(sum(layer["share"] for layer in layers), 9))
+ print(sum(call["bytes"] for call in report["stack"]["calls"]) == report["stack"]["bytes"], f"#define D8_ARENA_BYTES {report['ram']['arena']}\n" in open("c/d8.h").read())
+ END
$ python3 sums.py
> codegen-report 1 d8 True
> True True 1.0
> True True

A table is at most 100 columns wide, whatever the names are.

$ cat > long.mlir <<'END'
+ %0 = "onnx.Softplus"(%x) {onnx_node_name = "a name/that has many parts/and blanks/and some more of them/until it is longer than a column/Softplus_17"} : (tensor<1x16x128x128x2xf32>) -> tensor<1x16x128x128x2xf32>
+ END
$ codegen long.mlir -q -p c -o c --report long.txt && awk 'length > 100' long.txt; tail -n 1 long.txt
> stack         320 bytes estimated for 32-bit processors: the deepest calls, all they declare in memory
> a name/.../Softplus_17 Softplus         float32  float [1,1...,128,2]          0       524288 10...%

Bodies of loops count once, for an iteration; their layers have their path.

$ cat > rounds.mlir <<'END'
+ func.func @rounds(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
+   %none = "onnx.NoValue"() : () -> none
+   %y = "onnx.Loop"(%n, %none, %x) ({
+   ^body(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<4xf32>):
+     %m = "onnx.Neg"(%v) {onnx_node_name = "turn"} : (tensor<4xf32>) -> tensor<4xf32>
+     onnx.Yield %c, %m : tensor<i1>, tensor<4xf32>
+   }) {onnx_node_name = "open"} : (tensor<i64>, none, tensor<4xf32>) -> tensor<4xf32>
+   return %y : tensor<4xf32>
+ }
+ END
$ codegen rounds.mlir -q -p c -o c --report - | tail -n 3
> layer                  operator         type     in    output         parameters         MACs  share
> open/body/turn         Neg              float32  float [4]                     0            4 10...%
> open                   Loop             float32        [4]                     0            0  0.0 %

It is for C, in two formats, and no file of the model.

$ codegen d8.tflite -p tflite --report r.txt -o x.tflite
! codegen: --report is for the generator c, not for tflite
? 2
$ codegen d8.tflite -p c --report r.svg -o x
! codegen: --report r.svg: ".svg" is not a report format
! hint: one of .txt, .json
? 2
$ codegen d8.tflite -q -p c --report d8.tflite -o x; ls x
! codegen: d8.tflite: the output is the model itself
! hint: --report says where the product goes
! ls: cannot access 'x': No such file or directory
? 2

What computes in float is named, in the report, too. Loops, and what moves numbers, compute nothing.

$ cat > mixed.mlir <<'END'
+ module attributes {quern.metadata = {profile = "tflite"}} {
+ func.func @mixed(%x: tensor<1x4xf32> {quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.01> : tensor<f32>, zero = dense<3> : tensor<i8>}]}) -> tensor<4x1xf32> {
+   %a = "onnx.Relu"(%x) {onnx_node_name = "a", quern.encoding = [{storage = i8, qmin = -128, qmax = 127, scale = dense<0.02> : tensor<f32>, zero = dense<0> : tensor<i8>}]} : (tensor<1x4xf32>) -> tensor<1x4xf32>
+   %b = "quern.Recode"(%a) {onnx_node_name = "b"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
+   %c = "onnx.Softplus"(%b) {onnx_node_name = "c"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
+   %d = "onnx.Transpose"(%c) {onnx_node_name = "d", perm = [1 : si64, 0 : si64]} : (tensor<1x4xf32>) -> tensor<4x1xf32>
+   return %d : tensor<4x1xf32>
+ }
+ }
+ END
$ codegen mixed.mlir -p c -o c --report mixed.txt; sed -n '/^in float/p;/^layer/,$p' mixed.txt
> in float      2 of 4 layers
> layer                  operator         type     in    output         parameters         MACs  share
> a                      Relu             int8           [1,4]                 256            4 33.3 %
> b                      Recode           float32  float [1,4]                   0            4 33.3 %
> c                      Softplus         float32  float [1,4]                   0            4 33.3 %
> d                      Transpose        float32        [4,1]                 132            0  0.0 %
! codegen: 2 of 4 operators compute in float: Recode ("b": its operands or its result are real numbers), Softplus ("c": its operands or its result are real numbers)
$ codegen mixed.mlir -q -p c -o c --report mixed.json && python3 -c 'import json; r = json.load(open("mixed.json")); print(r["float_layers"], [layer["float"] for layer in r["layers"]])'
> 2 ['', 'its operands or its result are real numbers', 'its operands or its result are real numbers', '']
$ codegen mixed.mlir -q -p c -o c --option mode=float --report - | sed -n '/^in float/p;/^layer/,$p'
> in float      3 of 4 layers
> layer                  operator         type     in    output         parameters         MACs  share
> a                      Relu             float32  float [1,4]                   0            4 33.3 %
> b                      Recode           float32  float [1,4]                   0            4 33.3 %
> c                      Softplus         float32  float [1,4]                   0            4 33.3 %
> d                      Transpose        float32        [4,1]                 132            0  0.0 %

A product of 16-bit codes by a factor in double is named likewise, which `run` has nothing to say of.

$ codegen $TEST_MODELS/exports/keras/densenet.i16.tflite -p c --option name=d -o d 2>&1 | grep -o '[0-9]* of [0-9]* operators compute.*float: Gemm\|profile.*'
> 1 of 24 operators computes in float: Gemm
> profile tflite has floats beside its codes)
$ run $TEST_MODELS/exports/keras/densenet.i16.tflite --mode int --random 1 --strict -q -o o
