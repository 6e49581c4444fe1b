The encodings of two models, or files of encodings, beside each other: exit status 1 if one differs.
$ cp "$NETS/gemm_relu.mlir" net.mlir; cp "$NETS/gemm_relu.json" ranges.json
+ sed 's/1.55}/3.1}/' ranges.json > other.json
+ quantize net.mlir --ranges ranges.json --method min-max -o a.qn; quantize net.mlir --ranges other.json --method min-max -o b.onnx
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

$ model-diff --encodings a.qn b.onnx
>          scale ratio zero point  value
>              1.60784      equal  b: int32 symmetric 2 scales (scale)
>              1.60784        -38  x: int8 (scale, zero point)
> 2 equal, 2 different, 0 only in the first, 0 only in the second
? 1
$ model-diff --encodings a.qn b.onnx -v
>          scale ratio zero point  value
>              1.60784      equal  b: int32 symmetric 2 scales (scale)
>                equal      equal  w: int8 symmetric 2 scales
>              1.60784        -38  x: int8 (scale, zero point)
>                equal      equal  y: int8
> 2 equal, 2 different, 0 only in the first, 0 only in the second
? 1
$ for v in 0.6.1 1.0.0 2.0.0; do model-info a.qn --encodings=$v > a$v.json; done
+ for v in 0.6.1 1.0.0 2.0.0; do model-diff --encodings a.qn a$v.json && model-diff --encodings a$v.json a2.0.0.json; done
> 4 equal, 0 different, 0 only in the first, 0 only in the second
> 4 equal, 0 different, 0 only in the first, 0 only in the second
> 4 equal, 0 different, 0 only in the first, 0 only in the second
> 4 equal, 0 different, 0 only in the first, 0 only in the second
> 4 equal, 0 different, 0 only in the first, 0 only in the second
> 4 equal, 0 different, 0 only in the first, 0 only in the second

Signs, bits, symmetry, axes, the number of scales, and what only one side has.
$ encodings() { echo "{\"version\": \"2.0.0\", \"encodings\": [$*]}"; }
+ encodings '{"name": "bits", "output_dtype": "uint8", "y_scale": 1, "y_zero_point": 3}, {"name": "sign", "output_dtype": "uint8", "y_scale": 1, "y_zero_point": 131},
+     {"name": "middle", "output_dtype": "int8", "y_scale": 0.5}, {"name": "w", "output_dtype": "int8", "axis": 0, "y_scale": [1, 2]},
+     {"name": "many", "output_dtype": "int8", "axis": 0, "y_scale": [1, 2]}, {"name": "float", "output_dtype": "float16"}, {"name": "first", "output_dtype": "float16"}' > a.json
+ encodings '{"name": "bits", "output_dtype": "uint16", "y_scale": 1, "y_zero_point": 3}, {"name": "sign", "output_dtype": "int8", "y_scale": 1, "y_zero_point": 3},
+     {"name": "middle", "output_dtype": "int8", "y_scale": 0.25, "y_zero_point": 1}, {"name": "w", "output_dtype": "int8", "axis": 1, "y_scale": [1, 3]},
+     {"name": "many", "output_dtype": "int8", "y_scale": 1}, {"name": "float", "output_dtype": "uint8"}, {"name": "second", "output_dtype": "float16"}' > b.json
$ model-diff --encodings a.json b.json
>          scale ratio zero point  value
>                equal          -  bits: uint8 / uint16 (bits)
>                    -          -  float: float16 / uint8 without a scale (type)
>                    -          -  many: int8 symmetric 2 scales / int8 symmetric (scales)
>                  0.5         +1  middle: int8 symmetric / int8 (symmetric, scale, zero point)
>                equal      equal  sign: uint8 / int8 (sign)
>               1..1.5      equal  w: int8 symmetric 2 scales (axis, scale)
> only in the first: first
> only in the second: second
> 0 equal, 6 different, 1 only in the first, 1 only in the second
? 1
$ model-diff --encodings a.json b.json --json > d.json; echo $?; python3 -c "
+ import json; d = json.load(open('d.json')); print(sorted(d), d['same'], d['only_first'], d['only_second'])
+ for v in d['values']: print(v['name'], v['differs'], v['zero_point_difference'], v['least_scale_ratio'], v['greatest_scale_ratio'])"
> 1
> ['only_first', 'only_second', 'same', 'values'] False ['first'] ['second']
> bits ['bits'] 0 1.0 1.0
> float ['type'] 0 1.0 1.0
> many ['scales'] 0 1.0 1.0
> middle ['symmetric', 'scale', 'zero point'] 1 0.5 0.5
> sign ['sign'] 0 1.0 1.0
> w ['axis', 'scale'] 0 1.0 1.5

$ model-diff --encodings a.json no.json; echo '{"encodings": 3}' > bad.json; model-diff --encodings a.json bad.json
! model-diff: no.json: No such file or directory
! model-diff: bad.json: encodings: is a number, need an array
? 3
$ model-diff --encodings a.json b.json --random 1
! model-diff: --encodings runs nothing: samples, shapes, thresholds and other comparisons are not for it
? 2
$ model-diff --encodings a.json
! model-diff: SECOND is required
? 2
