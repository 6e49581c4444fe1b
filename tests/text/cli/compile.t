compile does in one process what the tools do one after the other, to the byte.
$ python3 -c "open('s.bin', 'wb').write(bytes((i * i * 7 + i // 5) % 17 for i in range(1024)))"; cp $EXAMPLES/digits/digits.onnx d.onnx
$ I='image=s.bin:u8[1,8,8]/16'
+ minmax-collect d.onnx --input "$I" -o r.json && quantize d.onnx --ranges r.json --type i8 -o steps.qn && codegen steps.qn -p context -o steps.qctx && run steps.qctx --input "$I" -o steps
+ quern compile d.onnx --input "$I" --type i8 --quantized one.qn -p context -o one.qctx --output-dir one && cmp steps.qn one.qn && cmp steps.qctx one.qctx && diff -r steps one && ls one | wc -l
> 16
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ I='image=s.bin:u8[1,8,8]/16'; S=image=16,1,8,8
+ minmax-collect d.onnx --input "$I" --shape "$S" -o b.json && quantize d.onnx --shape "$S" --ranges b.json --type i8 -o b.qn && run b.qn --input "$I" -o steps_batch
+ quern compile --type i8 --input "$I" --shape "$S" -o b.onnx --output-dir batch < d.onnx && diff -r steps_batch batch && ls batch | wc -l && model-info b.onnx | grep inputs
> 16
> inputs      image  float32[16,1,8,8]
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ echo s1.npy >list; python3 -c "
+ import struct
+ h = \"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 8, 8), }\"
+ open('s1.npy', 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(h)) + h.encode() + bytes(256))"
$ quern compile d.onnx --type int8_wo -o w.onnx --run-list list --output-dir w -v && ls w
> Result_0
! compile: made w.onnx

Without a name products lie beside the model.
$ mkdir in && cp d.onnx in && quern compile in/d.onnx --type int8_wo && quern compile in/d.onnx -p context && quern compile in/d.onnx --type int16_wo -p circle && ls in
> d.circle
> d.onnx
> d.qctx
> d_quantized_q8wo.onnx
! compile: made in/d_quantized_q8wo.onnx
! compile: made in/d.qctx
! compile: 3 operators are written as asked, which onert has no kernel for: operator "conv1.weight_bn/real" (DEQUANTIZE): form is int16[c] -> float32; operator "conv2.weight/real" (DEQUANTIZE): form is int16[c] -> float32; operator "fc.weight/real" (DEQUANTIZE): form is int16[c] -> float32
! compile: made in/d.circle
$ cd in && rm d.circle && echo mine >d_quantized_q8wo.onnx && quern compile d.onnx --type int8_wo; cat d_quantized_q8wo.onnx
> mine
! compile: d_quantized_q8wo.onnx: is there already
! hint: --force writes over it, -o names another file
$ cd in && quern compile d.onnx --type int16_wo -p context; quern compile d.onnx --type int16_wo -p circle -q && quern compile d.onnx --type int8_wo --force && model-info d_quantized_q8wo.onnx | sed -n 1p
> graph       digits
! compile: d.qctx: is there already
! hint: --force writes over it, -o names another file
! compile: made d_quantized_q8wo.onnx

What others compile is told of with its place.
$ mkdir out && cp d.onnx out/n.onnx && quern compile out/n.onnx -p c --shape image=1,1,8,8 && quern compile out/n.onnx --type int8_wo -p c --shape image=1,1,8,8 --force && ls out out/n_c | head -4
> out:
> n.onnx
> n_c
>
! compile: c made out/n_c, to be compiled elsewhere: the model that it was made of stays loaded
! compile: c made out/n_c, to be compiled elsewhere: the model that it was made of stays loaded

What makes no sense is refused before any work.
$ quern compile d.onnx
! compile: nothing to make
! hint: --type quantizes, --plugin generates code, both do both
? 2
$ quern compile d.onnx --type i8 -o -
! compile: -o -: the product is loaded after it is made, need the name of a file
? 2
$ quern compile d.onnx --type i8 -o x.qn
! compile: d.onnx: type i8 needs ranges, and no run was recorded
! hint: --input-list and --input give samples
? 2
$ quern compile d.onnx --type i8 --quantized x.qn
! compile: --quantized is for --type with --plugin: else the quantized model goes to -o
? 2
$ quern compile --type i8 < d.onnx
! compile: a model from standard input needs -o FILE
? 2
$ quern compile d.onnx -p context -o x.qctx --output-dir x
! compile: no samples
! hint: give --input-list, --input, --random or --run-list
? 2
$ quern compile d.onnx -p contxt -o x.qctx
! compile: unknown plugin "contxt" (did you mean "context"?)
! hint: quern codegen --list-plugins names them; libcontxt-gen.so is looked for in [...]
? 2
$ echo junk | quern compile --type int8_wo -o x.qn
! compile: <stdin>: is not a recognised model format
? 3
$ quern compile - --type int8_wo -o x.qn < /dev/null
! compile: <stdin>: is empty
? 3
$ quern compile - --type i8 -o x.qn < d.onnx
! compile: <stdin>: type i8 needs ranges, and no run was recorded
! hint: --input-list and --input give samples
? 2
$ quern compile d.onnx --type i8 --input 'image=s.bin:u8[1,8,8]/16' -o x.unknown
! compile: x.unknown: the suffix names no format
! hint: the suffix is the format: .onnx, .tflite, .circle, .qn or .mlir
? 2
$ quern compile d.onnx --type i8 --input 'image=s.bin:u8[1,8,8]/16' -p contxt -o x
! compile: unknown plugin "contxt" (did you mean "context"?)
! hint: quern codegen --list-plugins names them; libcontxt-gen.so is looked for in [...]
? 2
$ quern compile d.onnx -p context -o x.qctx --shape image=1,x,8,8
! compile: --shape image=1,x,8,8: "x" is not a dimension
? 2
$ quern compile d.onnx -p context -o x.qctx --random 1
! compile: the samples have no effect: no range is recorded and nothing is run

Random samples may be run, but make no ranges.
$ quern compile d.onnx --type i8 --random 1 -o x.qn
! compile: --random: ranges of random inputs make a model of no accuracy
! hint: give samples by --input-list or --input; --run-list names others to run; onert_run records random inputs
? 2
$ quern compile d.onnx --type int8_wo --random 1 -o x.qn --output-dir random && ls random
> Result_0
$ quern compile w.onnx --type i8 -o x.qn
! compile: w.onnx: quantized already
? 2
