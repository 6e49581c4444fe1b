A quantized file runs on its codes, whatever its format: calibrated with inputs three times too small, its codes score badly in each, and nobody sees the
score of the float numbers without asking for it.
$ cp $EXAMPLES/digits/digits.onnx d.onnx && python3 -c "
+ state = 1
+ def byte():
+     global state
+     state = (state * 1103515245 + 12345) % 2**31
+     return state // 65536 % 17
+ open('s.bin', 'wb').write(bytes(byte() for i in range(64 * 64)))"
$ run d.onnx --input 'image=s.bin:u8[1,8,8]/16' -o float && python3 -c "
+ import array
+ rows = [array.array('f', open(f'float/Result_{i}/scores.raw', 'rb').read()) for i in range(64)]
+ open('labels', 'w').write('label\n' + ''.join(f'{max(range(10), key=row.__getitem__)}\n' for row in rows))"
$ minmax-collect d.onnx --input 'image=s.bin:u8[1,8,8]/48' -o r.json && quantize d.onnx --ranges r.json --method min-max --type i8 -o bad.qn
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ for f in bad.tflite bad.circle bad.onnx; do model-convert bad.qn -o $f; done; model-convert bad.qn --form qoperator -o badq.onnx
! model-convert: 3 operators are written between DEQUANTIZE and QUANTIZE, as there is no kernel for the codes: operator "pool1" (MAX_POOL_2D): form is int8; operator "relu2_nchw" (TRANSPOSE): form is int8; operator "scores" (FULLY_CONNECTED): form is int8 int8[c] int32 -> int8
$ codegen bad.qn -p context -o bad.qctx && codegen bad.qn -p cpp --lib -o .
$ for f in d.onnx bad.qn bad.tflite bad.circle bad.onnx badq.onnx bad.qctx libbad.so; do echo $f; run $f --input 'image=s.bin:u8[1,8,8]/16' --labels labels --threads 1 | sed -n 1,2p; done
> d.onnx
> mode     float, 1 thread, 64 samples, 64 runs
> top-1    100.00 % (64/64)
> bad.qn
> mode     int (codes, profile onnx), 1 thread, 64 samples, 64 runs
> top-1    45.31 % (29/64)
> bad.tflite
> mode     int (codes, profile tflite), 1 thread, 64 samples, 64 runs
> top-1    45.31 % (29/64)
> bad.circle
> mode     int (codes, profile one), 1 thread, 64 samples, 64 runs
> top-1    45.31 % (29/64)
> bad.onnx
> mode     int (codes, profile onnx), 1 thread, 64 samples, 64 runs
> top-1    45.31 % (29/64)
> badq.onnx
> mode     int (codes, profile onnx), 1 thread, 64 samples, 64 runs
> top-1    45.31 % (29/64)
> bad.qctx
> mode     int (codes, profile onnx), 1 thread, 64 samples, 64 runs
> top-1    45.31 % (29/64)
> libbad.so
> mode     int (codes, profile onnx), 1 thread, 64 samples, 64 runs
> top-1    45.31 % (29/64)
$ for f in bad.qn bad.onnx badq.onnx; do for mode in float fake; do run $f --input 'image=s.bin:u8[1,8,8]/16' --labels labels --threads 1 --mode $mode | sed -n 1,2p; done; done
> mode     float (numbers, not rounded to the codes), 1 thread, 64 samples, 64 runs
> top-1    98.44 % (63/64)
> mode     fake (numbers rounded to the codes), 1 thread, 64 samples, 64 runs
> top-1    45.31 % (29/64)
> mode     float (numbers, not rounded to the codes), 1 thread, 64 samples, 64 runs
> top-1    98.44 % (63/64)
> mode     fake (numbers rounded to the codes), 1 thread, 64 samples, 64 runs
> top-1    45.31 % (29/64)
> mode     float (numbers, not rounded to the codes), 1 thread, 64 samples, 64 runs
> top-1    98.44 % (63/64)
> mode     fake (numbers rounded to the codes), 1 thread, 64 samples, 64 runs
> top-1    45.31 % (29/64)
$ run bad.onnx --random 1 --json | grep '"mode\|"computed'
>   "computed": "codes, profile onnx",
>   "mode": "int",

The same codes come in and go out by --native-io.
$ head -c 64 s.bin > codes && for f in bad.qn bad.onnx badq.onnx; do run $f --native-io --input image=codes -o - --format npz -q | md5sum; done | uniq | wc -l
> 1

So does the comparison with the float model: the same values and the same figures; a QOperator file has other names inside its units.
$ for f in bad.qn bad.onnx badq.onnx; do model-diff d.onnx $f --input 'image=s.bin:u8[1,8,8]/16' > $f.diff; done; cmp bad.qn.diff bad.onnx.diff; diff <(sed '/^only/d' bad.qn.diff) <(sed '/^only/d' badq.onnx.diff)

Weights alone: numbers where the arithmetic is ONNX's, codes where the profile rounds what the weights are multiplied with.
$ for f in wo.qn wo.onnx wo.tflite; do quantize d.onnx --type wo-i8-sym -o $f; done; for f in dynamic.onnx dynamic.tflite; do quantize d.onnx --type dynamic-i8 -o $f; done
! quantize: coverage: 3 of 7 operators, 99.4 % of the weights (38 of 38 KB as float32) and 97.2 % of the multiply-accumulates are quantized
! quantize: coverage: 3 of 7 operators, 99.4 % of the weights (38 of 38 KB as float32) and 97.2 % of the multiply-accumulates are quantized
! quantize: coverage: 3 of 7 operators, 99.4 % of the weights (38 of 38 KB as float32) and 97.2 % of the multiply-accumulates are quantized
! quantize: 2 of 3 operators with weights stay float: 51.6 % of the weights (20 of 38 KB as float32) and 5.6 % of the multiply-accumulates are quantized; see -v or --report for which and why
! quantize: without --ranges the accuracy that each product loses by rounding its input is not known
! quantize: 2 of 3 operators with weights stay float: 51.6 % of the weights (20 of 38 KB as float32) and 5.6 % of the multiply-accumulates are quantized; see -v or --report for which and why
$ for f in wo.qn wo.onnx wo.tflite dynamic.onnx dynamic.tflite; do run $f --random 1 --threads 1 -q | sed -n 1p; done
> mode     float (numbers, weights from codes), 1 thread, 1 sample, 1 run
> mode     float (numbers, weights from codes), 1 thread, 1 sample, 1 run
> mode     float (numbers, weights from codes), 1 thread, 1 sample, 1 run
> mode     int (codes, profile onnx), 1 thread, 1 sample, 1 run
> mode     int (codes, profile tflite), 1 thread, 1 sample, 1 run

A context says whose arithmetic it was made with.
$ head -c 640 /dev/zero > z.bin; minmax-collect -q $EXAMPLES/digits/digits.onnx --random 1 --rows 4 -o dr.json && quantize $EXAMPLES/digits/digits.onnx --ranges dr.json -o dt.tflite && quantize $EXAMPLES/digits/digits.onnx --ranges dr.json -o do.qn
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ for f in dt.tflite do.qn; do codegen $f -p context -o d.qctx && run d.qctx --input 'image=z.bin:u8[1,8,8]' --threads 1 | grep mode; done
> mode     int (codes, profile tflite), 1 thread, 10 samples, 10 runs
> mode     int (codes, profile onnx), 1 thread, 10 samples, 10 runs
