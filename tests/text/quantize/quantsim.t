A quantsim configuration of AIMET in the place of rules; it names no bits, which --type has.
$ cp $EXAMPLES/digits/digits.onnx net.onnx; python3 -c "open('s.bin', 'wb').write(bytes((i * i * 7 + i // 5) % 17 for i in range(1024)))"
+ minmax-collect net.onnx --input 'image=s.bin:u8[1,8,8]/16' -o r.json
$ cat > config.json <<'END'
+ {
+   "defaults": {"ops": {"is_output_quantized": "True"}, "params": {"is_quantized": "True", "is_symmetric": "True"},
+                "strict_symmetric": "False", "unsigned_symmetric": "False", "per_channel_quantization": "True"},
+   "params": {"bias": {"is_quantized": "False"}},
+   "op_type": {"Squeeze": {"is_output_quantized": "False"}, "Gemm": {"per_channel_quantization": "False"}},
+   "supergroups": [{"op_list": ["Conv", "Relu"]}, {"op_list": ["Gemm", "Relu"]}],
+   "model_input": {"is_input_quantized": "True"},
+   "model_output": {}
+ }
+ END
$ quantize net.onnx --ranges r.json --rules config.json -o a.qn && model-info a.qn --encodings | grep -o 'enc_type.*name":"[a-z0-9]*.\(weight\|bias\|weight_bn\)"\|enc_type.*"scores"'
> enc_type":"PER_TENSOR","is_sym":false,"name":"scores"
> enc_type":"PER_CHANNEL","is_sym":true,"name":"conv1.weight_bn"
> enc_type":"PER_CHANNEL","is_sym":true,"name":"conv2.bias"
> enc_type":"PER_CHANNEL","is_sym":true,"name":"conv2.weight"
> enc_type":"PER_TENSOR","is_sym":true,"name":"fc.bias"
> enc_type":"PER_TENSOR","is_sym":true,"name":"fc.weight"
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized

The same as these rules, and flags hold against it as against rules. Operators that the model does not have are no error.
$ quantize net.onnx --ranges r.json --set-op-type Gemm=i8,per-channel=no -o b.qn && model-diff --encodings a.qn b.qn
> 12 equal, 0 different, 0 only in the first, 0 only in the second
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize net.onnx --ranges r.json --type w8a16 --rules config.json --set-op-type Conv=none -v -o c.qn && model-info c.qn | grep '^outputs' | sed 's/\(0.0008538365\)4/\1/'
> outputs     scores  float32[batch,10]  int16 scale 0.0008538365 zero 17448
! quantize: 5 of 7 operators stay float: 51.7 % of the weights (20 of 38 KB as float32) and 5.6 % of the multiply-accumulates are quantized
!   conv1_Conv (Conv): the rule of op type Conv sets none; 1.5 % of the weights
!   relu1_Relu (Relu): the rule of op type Conv sets none
!   pool1_MaxPool (MaxPool): only moves numbers, among operators that stay float
!   conv2_Conv (Conv): the rule of op type Conv sets none; 46.4 % of the weights
!   relu2_Relu (Relu): the rule of op type Conv sets none

What has no counterpart is named, and sections that are not known, as AIMET adds them from release to release; what is broken is refused.
$ sed 's/"strict_symmetric": "False"/"strict_symmetric": "True"/; s/"Gemm", "Relu"/"Relu", "Gemm"/' config.json > more.json; quantize net.onnx --ranges r.json --rules more.json -o b.qn && cmp a.qn b.qn
! quantize: settings of the quantsim configuration without a counterpart:
!   defaults.strict_symmetric: symmetric weights leave out the least code anyway, activations use it
!   supergroups[1]: Relu, Gemm are not one integer unit
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ sed 's/"defaults"/"supergroup_pass_list": ["LayerNormalization"], "op_types": {}, "defaults"/' config.json > more.json; quantize net.onnx --ranges r.json --rules more.json -o b.qn && cmp a.qn b.qn
! quantize: settings of the quantsim configuration without a counterpart:
!   op_types: it is not a section that is known (did you mean "op_type"?)
!   supergroup_pass_list: it is not a section that is known
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ sed 's/"is_symmetric": "True"/"is_symmetric": "yes"/' config.json > more.json; quantize net.onnx --ranges r.json --rules more.json -o b.qn
! quantize: more.json: defaults.params.is_symmetric: is "yes", need True or False
? 3
