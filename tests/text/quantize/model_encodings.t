The encodings that a model holds, of any format, as other tools and `quantize --overrides` read them.
$ cp "$NETS/gemm_relu.mlir" net.mlir; cp "$NETS/gemm_relu.json" ranges.json
+ quantize net.mlir --ranges ranges.json --method min-max --dump-encodings written.json --encodings-version 1.0.0 -o q.qn
+ for to in onnx tflite; do quantize net.mlir --ranges ranges.json --method min-max -o q.$to; done
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

The offset of QNN is minus the zero point of unsigned codes (int8 with -28 here); that of symmetric int8 is -128.
$ model-info q.onnx --encodings=2.0.0 | grep '"x"'; model-info q.onnx --encodings
> {"name":"x","output_dtype":"int8","y_scale":0.01,"y_zero_point":-28},
> {"activation_encodings":[
> {"bw":8,"dtype":"INT","enc_type":"PER_TENSOR","is_sym":false,"name":"x","offset":[-100],"scale":[0.01]},
> {"bw":8,"dtype":"INT","enc_type":"PER_TENSOR","is_sym":false,"name":"y","offset":[0],"scale":[0.02]}
> ],
> "param_encodings":[
> {"bw":32,"dtype":"INT","enc_type":"PER_CHANNEL","is_sym":true,"name":"b","offset":[-2147483648,-2147483648],"scale":[0.0001,0.0002]},
> {"bw":8,"dtype":"INT","enc_type":"PER_CHANNEL","is_sym":true,"name":"w","offset":[-128,-128],"scale":[0.01,0.02]}
> ],
> "version":"1.0.0"}
$ model-info q.qn --encodings > q.json; cmp q.json written.json; model-info q.onnx --encodings=1.0.0 -o o.json; cmp q.json o.json
$ model-info q.tflite --encodings | grep '"[wx]"'
> {"bw":8,"dtype":"INT","enc_type":"PER_TENSOR","is_sym":false,"name":"x","offset":[-100],"scale":[0.01]},
> {"bw":8,"dtype":"INT","enc_type":"PER_TENSOR","is_sym":true,"name":"w","offset":[-128],"scale":[0.02]}

There and back: the float net with the encodings of a quantized one has the same scales and zero points, whatever its ranges.
$ python3 -c "open('s.bin', 'wb').write(bytes((i * i * 7 + i // 5) % 17 for i in range(1024)))"
+ model-convert $EXAMPLES/digits/digits.onnx -o d.qn; model-convert d.qn -o d.tflite
+ for d in qn tflite; do minmax-collect d.$d --input 'image=s.bin:u8[1,8,8]/16' -o $d.json 2>/dev/null; done
$ cat > back.sh <<'END'
+ set -e
+ quantize $1 --ranges $2 --type $3 -q -o a.$4; model-info a.$4 --encodings=$5 -o e.json
+ quantize $1 --ranges $2 --type $3 --method percentile --overrides e.json -q -o b.$4; model-info b.$4 --encodings=$5 -o f.json
+ cmp e.json f.json; echo $3 $4 $5: $(model-diff --encodings a.$4 b.$4)
+ END
$ for v in 0.6.1 1.0.0 2.0.0; do for t in i8 w8a16 w4a8; do for to in qn onnx; do bash back.sh d.qn qn.json $t $to $v; done; done; done
> i8 qn 0.6.1: 12 equal, 0 different, 0 only in the first, 0 only in the second
> i8 onnx 0.6.1: 12 equal, 0 different, 0 only in the first, 0 only in the second
> w8a16 qn 0.6.1: 12 equal, 0 different, 0 only in the first, 0 only in the second
> w8a16 onnx 0.6.1: 12 equal, 0 different, 0 only in the first, 0 only in the second
> w4a8 qn 0.6.1: 12 equal, 0 different, 0 only in the first, 0 only in the second
> w4a8 onnx 0.6.1: 12 equal, 0 different, 0 only in the first, 0 only in the second
> i8 qn 1.0.0: 12 equal, 0 different, 0 only in the first, 0 only in the second
> i8 onnx 1.0.0: 12 equal, 0 different, 0 only in the first, 0 only in the second
> w8a16 qn 1.0.0: 12 equal, 0 different, 0 only in the first, 0 only in the second
> w8a16 onnx 1.0.0: 12 equal, 0 different, 0 only in the first, 0 only in the second
> w4a8 qn 1.0.0: 12 equal, 0 different, 0 only in the first, 0 only in the second
> w4a8 onnx 1.0.0: 12 equal, 0 different, 0 only in the first, 0 only in the second
> i8 qn 2.0.0: 12 equal, 0 different, 0 only in the first, 0 only in the second
> i8 onnx 2.0.0: 12 equal, 0 different, 0 only in the first, 0 only in the second
> w8a16 qn 2.0.0: 12 equal, 0 different, 0 only in the first, 0 only in the second
> w8a16 onnx 2.0.0: 12 equal, 0 different, 0 only in the first, 0 only in the second
> w4a8 qn 2.0.0: 12 equal, 0 different, 0 only in the first, 0 only in the second
> w4a8 onnx 2.0.0: 12 equal, 0 different, 0 only in the first, 0 only in the second
$ for v in 1.0.0 2.0.0; do bash back.sh d.qn qn.json wo-i4 qn $v; bash back.sh d.tflite tflite.json i8 tflite $v; done
> wo-i4 qn 1.0.0: 3 equal, 0 different, 0 only in the first, 0 only in the second
> i8 tflite 1.0.0: 14 equal, 0 different, 0 only in the first, 0 only in the second
> wo-i4 qn 2.0.0: 3 equal, 0 different, 0 only in the first, 0 only in the second
> i8 tflite 2.0.0: 14 equal, 0 different, 0 only in the first, 0 only in the second
$ quantize d.qn --type wo-i4 -o a.qn && model-info a.qn --encodings | grep -o '"block_size":[0-9]*' | sort | uniq -c
>       1 "block_size":32
! quantize: coverage: 3 of 7 operators, 99.4 % of the weights (38 of 38 KB as float32) and 97.2 % of the multiply-accumulates are quantized

What a format cannot hold is said: blocks before 1.0.0, codes of 64 bits, scales that are computed at run time.
$ model-info a.qn --encodings=0.6.1 -o no.json; echo $?; ls no.json
> 4
! model-info: a.qn: value "fc.weight": encodings 0.6.1 cannot say blocks
! hint: --allow-missing-encodings leaves such values out of the file
! ls: cannot access 'no.json': No such file or directory
? 2
$ quantize d.tflite --ranges tflite.json --type w8a16 -q -o l.tflite && model-info l.tflite --encodings
! model-info: l.tflite: value "conv1.weight_bn_bias": encodings 1.0.0 cannot say codes of int64
! hint: --allow-missing-encodings leaves such values out of the file
? 4
$ model-info l.tflite --encodings --allow-missing-encodings | grep -c name
> 11
! model-info: encodings 1.0.0 cannot say those of 3 values, which are left out: conv1.weight_bn_bias, conv2.bias, fc.bias
$ quantize d.qn --type dynamic-nnpa -q -o n.qn && model-info n.qn --encodings | grep name
> {"bw":8,"dtype":"INT","enc_type":"PER_TENSOR","is_sym":true,"name":"fc.weight","offset":[-128],"scale":[0.004218334]}
! model-info: encodings say no scales that are computed at run time, those of 1 value, which is left out: flat_dynamic

$ model-info q.qn --encodings=3
! model-info: encodings version "3" is not known
! hint: one of 0.6.1, 1.0.0, 2.0.0, ort, tensorrt, qnn
? 2
$ model-info q.qn --encodings --json
! model-info: --encodings prints nothing else: no --json, --text, --verify, --metadata or --tensor beside it
? 2
$ model-info q.qn -o x.json
! model-info: --output and --allow-missing-encodings are for --encodings
? 2
