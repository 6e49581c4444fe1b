Encodings of onnxruntime (TensorQuantOverrides) and of TensorRT (calibration caches), read and written: docs/encodings.md.
$ cp "$NETS/gemm_relu.mlir" net.mlir; cp "$NETS/gemm_relu.json" ranges.json
+ quantize net.mlir --ranges ranges.json --method min-max -o q.onnx; quantize net.mlir --ranges ranges.json --type i8-sym --method min-max -o s.onnx
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

onnxruntime's zero points are those of the type itself: -28 of int8, which AIMET before 2.0.0 has as offset -100. Biases follow from the others.
$ model-info q.onnx --encodings=ort -o ort.json; cat ort.json
> {
> "w":[{"axis":1,"quant_type":"QInt8","scale":0.01,"zero_point":0},{"axis":1,"quant_type":"QInt8","scale":0.02,"zero_point":0}],
> "x":[{"quant_type":"QInt8","scale":0.01,"zero_point":-28}],
> "y":[{"quant_type":"QInt8","scale":0.02,"zero_point":-128}]
> }
! model-info: encodings ort leave it to their readers to find those of 1 value, which is left out: b
$ quantize net.mlir --overrides ort.json -o b.qn && model-diff --encodings b.qn q.onnx && model-diff --encodings ort.json q.onnx
> 4 equal, 0 different, 0 only in the first, 0 only in the second
> only in the second: b
> 3 equal, 0 different, 0 only in the first, 1 only in the second
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
? 1

A range instead of a grid, a type alone, the document of extra_options; what has no form is named.
$ echo '{"TensorQuantOverrides": {"x": [{"quant_type": "QUInt8", "rmin": -1.0, "rmax": 4.1}], "y": [{"quant_type": "QUInt16"}]}}' > range.json
+ quantize net.mlir --ranges ranges.json --method min-max --overrides range.json -o b.qn && model-info b.qn --encodings=2.0.0 | grep '"[xy]"'
> {"name":"x","output_dtype":"uint8","y_scale":0.02,"y_zero_point":50},
> {"name":"y","output_dtype":"uint16","y_scale":7.782101e-05}
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ echo '{"x": [{"quant_type": "QUInt16", "scale": 0.1, "zero_point": 0, "convert": {"quant_type": "QUInt8", "recv_nodes": ["gemm"]}}]}' > two.json; quantize net.mlir --overrides two.json -o c.qn
! quantize: two.json: x[0].convert: a second type for some readers has no form here
? 4
$ quantize net.mlir --ranges ranges.json --dump-encodings e.json --encodings-version ort --block 16 --type wo-i4 -o c.qn
! quantize: coverage: 1 of 2 operators, 66.7 % of the weights (16 of 24 bytes as float32) and 66.7 % of the multiply-accumulates are quantized
! quantize: value "w": encodings ort cannot say blocks
! hint: --allow-missing-encodings leaves such values out of the file
? 4

A cache of TensorRT: bits of float32, the greatest number is 127 times the scale (1.55 of x, 5.1 of y). It has activations alone, and no zero points.
$ model-info s.onnx --encodings=tensorrt -o cache; cat cache; model-info s.onnx --encodings=2.0.0 | grep '"[xy]"'
> TRT-8601-EntropyCalibration2
> x: 3c47f653
> y: 3d247c2b
> {"name":"x","output_dtype":"int8","y_scale":0.012204724},
> {"name":"y","output_dtype":"int8","y_scale":0.04015748}
! model-info: encodings tensorrt leave it to their readers to find those of 2 values, which are left out: b, w
$ echo '(Unnamed Layer* 1) [Fully Connected]_output: 3d2487c3' >> cache; quantize net.mlir --type i8-sym --overrides cache -o b.qn && model-diff --encodings b.qn s.onnx
> 4 equal, 0 different, 0 only in the first, 0 only in the second
! quantize: left out, as they are of layers that TensorRT made and no name of the model: 1 of 3 scales
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ model-info q.onnx --encodings=tensorrt
! model-info: q.onnx: value "x": encodings tensorrt cannot say zero points
! hint: --allow-missing-encodings leaves such values out of the file
? 4
$ echo 'z: zero' >> cache; quantize net.mlir --overrides cache -o c.qn
! quantize: cache: line 5: "zero" is not the bits of a float32 in hexadecimal
? 3

There and back on a real net: the same scales and zero points, and the same file.
$ python3 -c "open('s.bin', 'wb').write(bytes((i * i * 7 + i // 5) % 17 for i in range(1024)))"
+ model-convert $EXAMPLES/digits/digits.onnx -o d.qn; minmax-collect d.qn --input 'image=s.bin:u8[1,8,8]/16' -o d.json
+ for t in i8 i8-sym w8a16 w4a8 u8i8; do for v in ort tensorrt; do [ $v = ort -o $t = i8-sym ] || continue
+ quantize d.qn --ranges d.json --type $t -q -o a.onnx; model-info a.onnx -q --encodings=$v -o e; quantize d.qn --ranges d.json --type $t --method percentile --overrides e -q -o b.onnx; model-info b.onnx -q --encodings=$v -o f; cmp e f; echo $t $v $(model-diff --encodings a.onnx b.onnx | sed -n 1p); done; done
> i8 ort 12 equal, 0 different, 0 only in the first, 0 only in the second
> i8-sym ort 12 equal, 0 different, 0 only in the first, 0 only in the second
> i8-sym tensorrt 12 equal, 0 different, 0 only in the first, 0 only in the second
> w8a16 ort 12 equal, 0 different, 0 only in the first, 0 only in the second
> w4a8 ort 12 equal, 0 different, 0 only in the first, 0 only in the second
> u8i8 ort 12 equal, 0 different, 0 only in the first, 0 only in the second

Whatever entries are missing, what can be quantized is, without ranges, and the rest stays float.
$ quantize d.qn --ranges d.json -q -o a.onnx; model-info a.onnx --encodings=2.0.0 -o e
+ for n in 0 1 2 3; do python3 -c "
+ import json; d = json.load(open('e')); d['encodings'] = [x for i, x in enumerate(d['encodings']) if i % 4 != $n]; json.dump(d, open('part', 'w'))"
+ quantize d.qn --overrides part -o b.qn 2>&1 | grep -o '[0-9] of 7 operators stay float' || echo all; done
> all
> 3 of 7 operators stay float
> 4 of 7 operators stay float
> 3 of 7 operators stay float
$ quantize d.qn --overrides e -o b.onnx && cmp a.onnx b.onnx
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized

QNN's _net.json: -100 is zero point 100 of uint8 (1032). Blocks whose layout is not said are left out by name.
$ echo '{"graph": {"nodes": {}, "tensors": {"x": {"data_type": 1032, "quant_params": {"definition": 1, "encoding": 0, "scale_offset": {"scale": 0.02, "offset": -100}}}, "y": {"data_type": 562, "quant_params": {"definition": 2147483647, "encoding": 2147483647}}, "w": {"data_type": 776, "quant_params": {"definition": 1, "encoding": 4, "block": {"block_size": [1, 2], "scale_offsets": [{"scale": 1, "offset": 0}]}}, "dims": [1, 2]}}}}' > net.json
$ quantize net.mlir --ranges ranges.json --method min-max --overrides net.json -o b.qn && model-info b.qn --encodings=2.0.0 | grep '"[xy]"'
> {"name":"x","output_dtype":"uint8","y_scale":0.02,"y_zero_point":100},
> {"name":"y","output_dtype":"int8","y_scale":0.02,"y_zero_point":-128}
! quantize: left out: w (blocks in QNN's layout, and no permute_order_to_src)
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize net.mlir --ranges ranges.json --per-tensor --method min-max -o p.onnx && model-info p.onnx --encodings=qnn -o net.json; cat net.json; quantize net.mlir --overrides net.json -o b.qn && model-diff --encodings p.onnx b.qn
> {"graph":{"nodes":{},"tensors":{
> "b":{"data_type":818,"quant_params":{"definition":1,"encoding":0,"scale_offset":{"offset":0,"scale":0.0002}}},
> "w":{"data_type":776,"quant_params":{"definition":1,"encoding":0,"scale_offset":{"offset":0,"scale":0.02}}},
> "x":{"data_type":776,"quant_params":{"definition":1,"encoding":0,"scale_offset":{"offset":28,"scale":0.01}}},
> "y":{"data_type":776,"quant_params":{"definition":1,"encoding":0,"scale_offset":{"offset":128,"scale":0.02}}}
> }}}
> 4 equal, 0 different, 0 only in the first, 0 only in the second
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize net.mlir --ranges ranges.json --method min-max -o c.onnx && model-info c.onnx --encodings=qnn -o net.json; grep '"w"' net.json; quantize net.mlir --overrides net.json -o b.qn && model-diff --encodings c.onnx b.qn
> "w":{"data_type":776,"dims":[2,2],"permute_order_to_src":[0,1],"quant_params":{"definition":1,"encoding":1,"axis_scale_offset":{"axis":1,"num_scale_offsets":2,"scale_offsets":[{"offset":0,"scale":0.01},{"offset":0,"scale":0.02}]}}},
> 4 equal, 0 different, 0 only in the first, 0 only in the second
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
