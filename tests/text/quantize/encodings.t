Encodings as AIMET writes them. The model: a product with bias and Relu between an input and an output.
$ cp "$NETS/gemm_relu.mlir" net.mlir; cp "$NETS/gemm_relu.json" ranges.json

The same grids in three versions: before 2.0.0 offsets are negative zero points of unsigned codes.
$ quantize net.mlir --ranges ranges.json --method min-max --dump-encodings e1.json --encodings-version 1.0.0 -o a.qn && cat e1.json
> {"activation_encodings":[
> {"bw":8,"dtype":"INT","enc_type":"PER_TENSOR","is_sym":false,"name":"x","offset":[-100],"scale":[0.01]},
> {"bw":8,"dtype":"INT","enc_type":"PER_TENSOR","is_sym":false,"name":"y","offset":[0],"scale":[0.02]}
> ],
> "param_encodings":[
> {"bw":32,"dtype":"INT","enc_type":"PER_CHANNEL","is_sym":true,"name":"b","offset":[-2147483648,-2147483648],"scale":[0.0001,0.0002]},
> {"bw":8,"dtype":"INT","enc_type":"PER_CHANNEL","is_sym":true,"name":"w","offset":[-128,-128],"scale":[0.01,0.02]}
> ],
> "version":"1.0.0"}
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize net.mlir --ranges ranges.json --method min-max --dump-encodings e2.json -o a.qn && cat e2.json
> {"encodings":[
> {"axis":0,"name":"b","output_dtype":"int32","y_scale":[0.0001,0.0002]},
> {"axis":1,"name":"w","output_dtype":"int8","y_scale":[0.01,0.02]},
> {"name":"x","output_dtype":"int8","y_scale":0.01,"y_zero_point":-28},
> {"name":"y","output_dtype":"int8","y_scale":0.02,"y_zero_point":-128}
> ],
> "version":"2.0.0"}
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize net.mlir --ranges ranges.json --method min-max --dump-encodings e0.json --encodings-version 0.6.1 -o a.qn && head -3 e0.json
> {"activation_encodings":{
> "x":[{"bitwidth":8,"dtype":"int","is_symmetric":"False","max":1.55,"min":-1,"offset":-100,"scale":0.01}],
> "y":[{"bitwidth":8,"dtype":"int","is_symmetric":"False","max":5.1,"min":0,"offset":0,"scale":0.02}]
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

What was written is taken as it is: other ranges and methods change nothing.
$ sed 's/5.1}/9}/; s/1.55/3/' ranges.json > other.json
$ for e in e0 e1 e2; do quantize net.mlir --ranges other.json --overrides $e.json --dump-encodings again.json --encodings-version 1.0.0 -o b.qn; cmp again.json e1.json; done
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

Encodings with scales need no ranges. What they do not name stays float, unless what it shares its encoding with is named.
$ quantize net.mlir --overrides e1.json -o b.qn && quantize net.mlir --ranges ranges.json --method min-max -o a.qn && model-diff --encodings a.qn b.qn
> 4 equal, 0 different, 0 only in the first, 0 only in the second
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ sed '/"y"/d; /"x"/s/,$//' e2.json > some.json && quantize net.mlir --overrides some.json -v -o b.qn
! quantize: 2 of 2 operators stay float: 0.0 % of the weights (0 of 24 bytes as float32) and 0.0 % of the multiply-accumulates are quantized
!   gemm (Gemm): no ranges say what it reads and makes; 66.7 % of the weights
!   relu (Relu): no ranges say what it reads and makes
! quantize: 3 of 3 overrides are not applied: their values are not stored as codes
!   b
!   w
!   x
$ sed '/"x"/d' e2.json > some.json && quantize net.mlir --overrides some.json -v -o b.qn
! quantize: 2 of 2 operators stay float: 0.0 % of the weights (0 of 24 bytes as float32) and 0.0 % of the multiply-accumulates are quantized
!   gemm (Gemm): no ranges say what it reads and makes; 66.7 % of the weights
!   relu (Relu): no ranges say what it reads and makes
! quantize: 3 of 3 overrides are not applied: their values are not stored as codes
!   b
!   w
!   y
$ echo '{"version": "2.0.0", "encodings": [{"name": "x", "output_dtype": "int8"}]}' > types.json && quantize net.mlir --overrides types.json -o b.qn
! quantize: net.mlir: type i8 needs ranges
! hint: give --ranges FILE from minmax-collect
? 2

An entry without a scale asks for a type, one of float keeps a value as it is.
$ echo '{"version": "2.0.0", "encodings": [{"name": "x", "output_dtype": "uint16"}, {"name": "y", "output_dtype": "float32"}]}' > types.json
$ quantize net.mlir --ranges ranges.json --method min-max --overrides types.json --dump-encodings again.json -o b.qn && grep -v '"[wb]"' again.json
> {"encodings":[
> {"name":"x","output_dtype":"uint16","y_scale":3.8910504e-05,"y_zero_point":25700}
> ],
> "version":"2.0.0"}
! quantize: coverage: 1 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 66.7 % of the multiply-accumulates are quantized

Overrides of values that are not stored as codes are said; names that the model does not have are errors, and so are broken files.
$ echo '{"version": "2.0.0", "encodings": [{"name": "sum", "output_dtype": "int8", "y_scale": 1}]}' > inner.json
$ quantize net.mlir --ranges ranges.json --overrides inner.json -o b.qn -v
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: 1 of 1 overrides are not applied: their values are not stored as codes
!   sum
$ sed 's/sum/sun/' inner.json > wrong.json && quantize net.mlir --ranges ranges.json --overrides wrong.json -o c.qn; echo $?; ls c.qn
> 3
! quantize: net.mlir: wrong.json: override for "sun": the model has no such value (did you mean "sum"?)
! hint: --allow-unmatched leaves out what the model does not have
! ls: cannot access 'c.qn': No such file or directory
? 2
$ sed -i 's/}]/}, {"name": "x_nhwc", "output_dtype": "int8", "y_scale": 0.5}]/' wrong.json; quantize net.mlir --ranges ranges.json --overrides wrong.json --allow-unmatched -o c.qn 2>&1 | grep override; model-info c.qn --encodings=2.0.0 | grep '"x"'
> quantize: 1 override names no value of the model and is left out: sun
> {"name":"x","output_dtype":"int8","y_scale":0.5},
$ sed 's/1}/-1}/' inner.json > wrong.json && quantize net.mlir --ranges ranges.json --overrides wrong.json -o c.qn
! quantize: wrong.json: encodings[0].y_scale: is -1, need a scale above 0
? 3
$ sed 's/"sum"/"w"/; s/"y_scale": 1/"axis": 1, "y_scale": [1, 2, 3]/' inner.json > wrong.json && quantize net.mlir --ranges ranges.json --overrides wrong.json -o c.qn
! quantize: net.mlir: weight "w": override for "w" has 3 scales, which do not fit [2,2]
? 3
