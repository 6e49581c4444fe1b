compile --target takes type and rules of the target, and the suffix of the product tells its generator.
$ python3 -c "open('s.bin', 'wb').write(bytes((i * i * 7 + i // 5) % 17 for i in range(1024)))"; cp $EXAMPLES/digits/digits.onnx d.onnx
$ I='image=s.bin:u8[1,8,8]/16'
+ minmax-collect d.onnx --input "$I" -o r.json && quantize d.onnx --ranges r.json --target htp -o steps.qn -q && quantize d.onnx --ranges r.json --target htp --type w8a16 -o steps16.qn -q
+ compile d.onnx --input "$I" --target htp -o one.qn && cmp steps.qn one.qn && compile d.onnx --input "$I" --target htp --type w8a16 -o one16.qn && cmp steps16.qn one16.qn
! compile: target htp takes type u8i8, by the rules of qnn
! compile: type w8a16 stands for w8u16: qnn takes codes without a sign
$ I='image=s.bin:u8[1,8,8]/16'
+ quantize d.onnx --ranges r.json --target ethos-u55-128 -o steps.tflite -q && compile d.onnx --input "$I" --target ethos-u55-128 -o one.tflite && cmp steps.tflite one.tflite
! compile: target ethos-u55-128 takes type i8, by the rules of tflite files
! compile: input "image" is float32[batch,1,8,8]: taken with a batch of 1 (--shape sets others)
$ compile one.qn --target ethos-u55-128 -o one.qctx && model-info one.qctx | grep -c int8
> [...]

QNN's products are made by its own libraries.
$ export QUERN_ORT=./none.so; compile one.qn --target htp -o d_ctx.onnx; compile one.qn --target htp -o d.dlc; compile one.qn --target htp -o d.bin; compile d.onnx --target htp --type float -o d.qctx; ls d_ctx.onnx d.dlc d.bin d.qctx 2>/dev/null
! compile: [...]one.qn: back end "ort": onnxruntime cannot be loaded: ./none.so: [...]
! compile: [...]one.qn: back end "ort": onnxruntime cannot be loaded: ./none.so: [...]
! compile: [...]one.qn: back end "ort": onnxruntime cannot be loaded: ./none.so: [...]
! compile: [...]d.onnx: back end "ort": onnxruntime cannot be loaded: ./none.so: [...]
? 2

What nothing would take.
$ compile d.onnx --target htp -o x.tflite --input 'image=s.bin:u8[1,8,8]/16'; compile one.qn --target htp -o y.qn; compile d.onnx --target htp -o z_ctx.onnx
! compile: target htp takes type u8i8, by the rules of qnn
! compile: a tflite file follows its own runtime's rules, not those of qnn
! compile: target htp takes type u8i8, by the rules of qnn
! compile: one.qn: quantized already
! compile: target htp takes type u8i8, by the rules of qnn
! compile: d.onnx: type u8i8 needs ranges, and no run was recorded
! hint: --input-list and --input give samples
? 2
$ compile d.onnx --target htp --type float -o y.qn; compile d.onnx --type i8 -o y.qn --option soc=57; compile one.qn -p dlc --option chip=57 -o y.dlc; compile one.qn -p dlc -o y.dlc; compile one.qn --target nowhere -o y.dlc
! compile: nothing to make
! hint: --type quantizes, --plugin generates code, both do both
! compile: --option is for a generator: give --plugin
! compile: generator dlc has no option "chip"
! hint: it has soc, arch
! compile: one.qn: which chip it is for is not said
! compile: there is no target "nowhere"
! hint: [...]
? 2

check tries types by the same rules, and proposes types that they have.
$ check d.onnx --ranges r.json --target htp --types i8,w8a16 --input 'image=s.bin:u8[1,8,8]/16' | grep agreement; check one.qn steps.qn --target htp --input 'image=s.bin:u8[1,8,8]/16'
> u8i8: [...]
> w8u16: [...]
! check: type i8 stands for u8i8: qnn takes codes without a sign
! check: type w8a16 stands for w8u16: qnn takes codes without a sign
! check: --types, --target, --format, --ranges, --rules and --propose are for a float model alone, not beside QUANTIZED
? 2
$ check d.onnx --ranges r.json --target htp --input 'image=s.bin:u8[1,8,8]/16' --min-sqnr 50 --propose p.json -q >/dev/null; grep -o '"u[0-9a-z]*"\|"w[0-9a-z]*"' p.json | sort -u
> "u8i8"
> "w8u16"

place asks about types as the target's runtime has them.
$ place d.onnx --shape image=1,1,8,8 --target htp --as w8a16 -o /dev/null
! place: no value is encoded: devices are asked as if the model were quantized to w8u16; --as sets another type
