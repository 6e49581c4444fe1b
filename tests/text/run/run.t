Results as files, arrays, archives and streams are the same numbers; side by side, too.
$ python3 -c "open('s.bin', 'wb').write(bytes((i * i * 7 + i // 5) % 17 for i in range(1024)))"; cp $EXAMPLES/digits/digits.onnx d.onnx
$ I='image=s.bin:u8[1,8,8]/16'; run d.onnx --input "$I" --rows 3 -o raw && run d.onnx --input "$I" --rows 3 --parallel -o side && diff -r raw side && find raw -type f | sort
> raw/Result_0/scores.raw
> raw/Result_1/scores.raw
> raw/Result_2/scores.raw
$ I='image=s.bin:u8[1,8,8]/16'; run d.onnx --input "$I" --rows 3 --format npy -o npy && run d.onnx --input "$I" --rows 3 --format npz -o a.npz && run d.onnx --input "$I" --rows 3 --format npz > b.npz
+ cmp a.npz b.npz && model-diff raw npy --threshold 300 && model-diff raw a.npz --threshold 300 | tail -1
>   SQNR dB     cosine    max error    max |ref|  value
>     equal   1.000000 [...] scores (output)
>     equal   1.000000 [...] scores (output)
$ I='image=s.bin:u8[1,8,8]/16'; run d.onnx --input "$I" --skip-rows 2 --rows 1 -o part && cmp part/Result_0/scores.raw raw/Result_2/scores.raw && echo same
> same
$ run d.onnx --input 'image=s.bin:u8[1,8,8]/16' -o - 
! run: --format raw writes a folder, not standard output
! hint: --format npz and stream can
? 2
$ run d.onnx --input 'image=s.bin:u8[1,8,8]/16' --format stram
! run: --format: unknown "stram" (did you mean "stream"?)
! hint: one of raw, npy, npz, stream
? 2
$ model-diff raw d.onnx
! model-diff: raw holds results of a run, d.onnx does not
? 2
$ model-diff raw nosuch
! model-diff: nosuch: No such file or directory
? 5

A stream is what the next model reads.
$ cat > double.mlir <<'END'
+ func.func @double(%scores: tensor<?x10xf32>) -> tensor<?x10xf32> {
+   %y = "onnx.Add"(%scores, %scores) {onnx_node_name = "add"} : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
+   return %y : tensor<?x10xf32>
+ }
+ END
$ run d.onnx --input 'image=s.bin:u8[1,8,8]/16' --rows 2 --format stream | run double.mlir --input - -o doubled && ls doubled
> Result_0
> Result_1

Codes in, codes out.
$ minmax-collect d.onnx --input 'image=s.bin:u8[1,8,8]/16' --embed | quantize - --method min-max -o q.qn
+ head -c 64 s.bin > codes && run q.qn --mode int --native-io --input image=codes -o native && wc -c < native/Result_0/scores.raw
> 10
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized

Codes of 32 bits, too, which are more than float32 tells apart.
$ cat > wide.mlir <<'END'
+ module attributes {quern.metadata = {profile = "tflite", tflite.version = "3"}} {
+   func.func @net(%x: tensor<1x4xf32> {quern.encoding = [{storage = i16, qmin = -32768, qmax = 32767, scale = dense<1.0> : tensor<f32>}]}) -> tensor<1x4xf32> {
+     %y = "quern.Recode"(%x) {onnx_node_name = "y", quern.encoding = [{storage = i32, qmin = -2147483648, qmax = 2147483647, scale = dense<3.0e-5> : tensor<f32>}]} : (tensor<1x4xf32>) -> tensor<1x4xf32>
+     return %y : tensor<1x4xf32>
+   }
+ }
+ END
$ printf '\144\000\377\177\001\000\360\330' > codes && run wide.mlir --native-io --input x=codes -o wide && od -An -td4 wide/Result_0/y.raw
>      3333333  1092233361       33333  -333333342

State goes from sample to sample.
$ cat > count.mlir <<'END'
+ func.func @count(%past: tensor<1xf32>, %x: tensor<1xf32>) -> tensor<1xf32> {
+   %present = "onnx.Add"(%past, %x) {onnx_node_name = "add"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
+   return %present : tensor<1xf32>
+ }
+ END
$ python3 -c "import struct; open('x.raw', 'wb').write(struct.pack('<3f', 1, 2, 4))"
$ run count.mlir --stateful --input 'x=x.raw:f32[1]' -o sums && cat sums/*/present.raw | od -An -f
>                1               3               7
$ run count.mlir --state past=present --input 'x=x.raw:f32[1]' -o again && diff -r sums again && run count.mlir --state pas=present --input 'x=x.raw:f32[1]'
! run: --state: the model has no input "pas" (did you mean "past"?)
? 2
$ run count.mlir --input 'x=x.raw:f32[1]'
! run: no file for input "past"
? 3
$ run d.onnx --stateful --input 'image=s.bin:u8[1,8,8]/16'
! run: --stateful: no input and output of the model belong together by their names
! hint: name them: --state INPUT=OUTPUT
? 2

Reports.
$ run d.onnx --input 'image=s.bin:u8[1,8,8]/16' --explain --reference | sed -n 2,9p
> conv1_Conv (Conv): reference
> bn1_BatchNormalization (BatchNormalization): reference
> relu1_Relu (Relu): reference
> pool1_MaxPool (MaxPool): reference
> conv2_Conv (Conv): reference
> relu2_Relu (Relu): reference
> flat_Flatten (Flatten): reference
> scores_Gemm (Gemm): reference
$ run d.onnx --input 'image=s.bin:u8[1,8,8]/16' --json --profile --explain --threads 1 | python3 -c "
+ import json, sys
+ d = json.load(sys.stdin); print(sorted(d)); print(d['samples'], d['results'], d['mode'], d['threads'], len(d['profile']) > 0, len(d['choices']))"
> ['arena_bytes', 'choices', 'computed', 'mode', 'peak_resident_bytes', 'profile', 'results', 'samples', 'seconds', 'threads']
> 16 16 float 1 True 8
$ run d.onnx --input 'image=s.bin:u8[1,8,8]/16' --profile --reference | grep -c ' 16  '
> 8

Tensors as protobuf, the .pb files of ONNX's test cases: dims, type and data, raw or as numbers.
$ python3 - <<'END'
+ import struct
+ def field(number, data): return bytes([number << 3 | 2, len(data)]) + data
+ values = struct.pack('<4f', 1, -2, 3, -4)
+ dims = bytes([8, 2, 8, 2])
+ open('raw.pb', 'wb').write(dims + bytes([16, 1]) + field(8, b'x') + field(9, values))
+ open('numbers.pb', 'wb').write(dims + bytes([16, 1]) + field(4, values))
+ open('double.pb', 'wb').write(dims + bytes([16, 11]) + field(9, struct.pack('<4d', 1, -2, 3, -4)))
+ open('short.pb', 'wb').write(dims + bytes([16, 1]) + field(9, values[:12]))
+ END
$ cat > relu.mlir <<'END'
+ func.func @net(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
+   %y = "onnx.Relu"(%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>
+   return %y : tensor<2x2xf32>
+ }
+ END
$ for f in raw numbers double short; do run relu.mlir --input x=$f.pb -o out-$f && od -An -f out-$f/Result_0/y.raw; done
>                1               0               3               0
>                1               0               3               0
>                1               0               3               0
! run: short.pb: has 12 bytes, its shape and type float32 need 16
? 3
