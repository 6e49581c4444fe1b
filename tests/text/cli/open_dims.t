Open dims are taken as 1, which every tool that runs says (of a batch only those that fix it), and --shape sets others.

$ cat >net.mlir <<'END'
+ %w = "onnx.Constant"() {value = dense<[[1.0, 2.0], [3.0, -4.0], [5.0, 6.0]]> : tensor<3x2xf32>} : () -> tensor<3x2xf32>
+ %y = "onnx.MatMul"(%x, %w) : (tensor<1x?x3xf32>, tensor<3x2xf32>) -> tensor<1x?x2xf32>
+ END
$ run net.mlir --random 1 -o out >/dev/null; run net.mlir --random 1 --shape x=1,4,3 -o out4 >/dev/null; stat -c %s out/Result_0/y.raw out4/Result_0/y.raw
> 8
> 32
! run: --random: input "x" is float32[1,?,3]: open dims are taken as 1 (--shape sets others)
$ minmax-collect net.mlir --random 1 -o one.json 2>&1 | grep open; minmax-collect net.mlir --random 1 --shape x=1,4,3 -o four.json; grep -o '"count":[0-9]*' one.json four.json
> minmax-collect: --random: input "x" is float32[1,?,3]: open dims are taken as 1 (--shape sets others)
> one.json:"count":3
> one.json:"count":2
> four.json:"count":12
> four.json:"count":8
! minmax-collect: warning: ranges come from random inputs: a model that is quantized with them will not be accurate
$ quantize net.mlir --ranges one.json --type i8 -o net-i8.onnx; for shape in '' '--shape x=1,4,3'; do quantize net.mlir --ranges one.json --type i8 --algorithms bias-correction --random 1 $shape -o biased.onnx; done
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: --random: input "x" is float32[1,?,3]: open dims are taken as 1 (--shape sets others)
! quantize: warning: random inputs: a model that is fitted to them will not be accurate
! quantize: bias-correction: 0 of 1 layers changed
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: warning: random inputs: a model that is fitted to them will not be accurate
! quantize: output "y" keeps only [...] dB: quern check with --propose says why, and what mends it
! quantize: bias-correction: 0 of 1 layers changed
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (24 of 24 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ check net.mlir net-i8.onnx --random 1 >/dev/null; check net.mlir net-i8.onnx --random 1 --shape x=1,4,3 >/dev/null
! check: --random: input "x" is float32[1,?,3]: open dims are taken as 1 (--shape sets others)
$ model-diff net.mlir net-i8.onnx --random 1 >/dev/null; model-diff net.mlir net-i8.onnx --random 1 --shape x=1,4,3 --json | grep '"count"'
>       "count": 12,
>       "count": 8,
! model-diff: --random: input "x" is float32[1,?,3]: open dims are taken as 1 (--shape sets others)
$ place net.mlir --target two-npu -o placed.qn; place net.mlir --target two-npu --shape x=1,4,3 -o placed.qn
! place: input "x" is float32[1,?,3]: taken with open dims of 1 (--shape sets others)
$ codegen net-i8.onnx --plugin c -o open-c; codegen net-i8.onnx --plugin c --shape x=1,4,3 -o four-c && ls four-c
> net_i8.c
> net_i8.h
! codegen: net-i8.onnx: input "x" is float32[1,?,3]: generated code needs fixed shapes
! hint: --shape x=... fixes it
! codegen: --preference speed computes 1 product several times as fast, for about 2 KB more beside 78 bytes of constants
! codegen: 1 of 1 operator computes in float: MatMul ("MatMul_0": profile onnx has floats beside its codes)
$ printf '\0\0\200?%.0s' 1 2 3 >x.raw; compile net.mlir --input 'x=x.raw:f32[1,1,3]' --type i8 -o compiled.onnx >/dev/null; compile net.mlir --input 'x=x.raw:f32[1,1,3]' --type i8 --shape x=1,1,3 -o one.onnx >/dev/null; ls compiled.onnx one.onnx
> compiled.onnx
> one.onnx
$ model-convert net.mlir -o net.onnx; onert_run net.onnx --dump one.npy >/dev/null; onert_run net.onnx --shape_run '[0, [1, 4, 3]]' --dump four.npy >/dev/null; grep -ao 'shape.*)' one.npy four.npy
> one.npy:shape': (1, 1, 2)
> four.npy:shape': (1, 4, 2)
! onert_run: input "x" is float32[1,?,3]: open dims are taken as 1 (--shape_run sets others)

A batch: generated code and placement fix it, and say so.
$ cat >batch.mlir <<'END'
+ %y = "onnx.Relu"(%x) : (tensor<?x3xf32>) -> tensor<?x3xf32>
+ END
$ place batch.mlir --target two-npu -o placed.qn; codegen batch.mlir --plugin c -o batch-c; run batch.mlir --random 1 >/dev/null
! place: input "x" is float32[?,3]: taken with a batch of 1 (--shape sets others)
! codegen: input "x" is float32[?,3]: taken with a batch of 1 (--shape sets others)

A name that is no input lists those that are, whoever is asked.
$ for tool in run minmax-collect model-diff; do second=; [ $tool = model-diff ] && second=net-i8.onnx; $tool net.mlir $second --input X=in.npy; $tool net.mlir $second --input x=in.npy --shape X=4,3; done
! run: the model has no input "X" (did you mean "x"?)
! hint: its inputs: x (float32[1,?,3])
! run: net.mlir: --shape: no input "X" (did you mean "x"?)
! hint: its inputs: x
! minmax-collect: the model has no input "X" (did you mean "x"?)
! hint: its inputs: x (float32[1,?,3])
! minmax-collect: net.mlir: --shape: no input "X" (did you mean "x"?)
! hint: its inputs: x
! model-diff: the model has no input "X" (did you mean "x"?)
! hint: its inputs: x (float32[1,?,3])
! model-diff: net.mlir: --shape: no input "X" (did you mean "x"?)
! hint: its inputs: x
? 2
$ check net.mlir net-i8.onnx --random 1 --shape X=4,3
! check: net.mlir: --shape: no input "X" (did you mean "x"?)
! hint: its inputs: x
? 2
$ quantize net.mlir --ranges one.json --type i8 --shape X=4,3 -o none.onnx
! quantize: net.mlir: --shape: no input "X" (did you mean "x"?)
! hint: its inputs: x
? 2
$ codegen net-i8.onnx --plugin c --shape X=4,3 -o none.c
! codegen: net-i8.onnx: --shape: no input "X" (did you mean "x"?)
! hint: its inputs: x
? 2
$ place net.mlir --target two-npu --shape X=4,3 -o none.qn
! place: net.mlir: --shape: no input "X" (did you mean "x"?)
! hint: its inputs: x
? 2
$ compile net.mlir --input 'x=x.raw:f32[1,1,3]' --type i8 --shape X=4,3 -o none.onnx
! compile: --shape: no input "X" (did you mean "x"?)
! hint: its inputs: x
? 2
$ model-convert net.mlir --shape X=4,3 -o none.onnx
! model-convert: net.mlir: --shape: no input "X" (did you mean "x"?)
! hint: its inputs: x
? 2
$ onert_run net.onnx --shape_run '[1, [4, 3]]' >/dev/null
! onert_run: input 1 has a shape: the model has 1 inputs
? 2

A file of another kind is named by what it is, whoever reads it, as a sample and as a model.
$ printf '\037\213\010\0abcdefgh' >zip; printf '%%PDF-1.7 abc' >pdf; printf 'GIF89a......' >gif
$ for file in zip pdf gif; do run net.mlir --input x=$file; minmax-collect net.mlir --input x=$file -o none.json; model-diff net.mlir net-i8.onnx --input x=$file; check net.mlir net-i8.onnx --input x=$file; onert_run net.onnx --load $file >/dev/null; done
! run: zip: is a gzip file, which has to be unpacked first
! minmax-collect: zip: is a gzip file, which has to be unpacked first
! model-diff: zip: is a gzip file, which has to be unpacked first
! check: zip: is a gzip file, which has to be unpacked first
! onert_run: zip: is a gzip file, which has to be unpacked first
! run: pdf: is a PDF document, which is not read
! minmax-collect: pdf: is a PDF document, which is not read
! model-diff: pdf: is a PDF document, which is not read
! check: pdf: is a PDF document, which is not read
! onert_run: pdf: is a PDF document, which is not read
! run: gif: is a GIF image, which has to be decoded into numbers first
! minmax-collect: gif: is a GIF image, which has to be decoded into numbers first
! model-diff: gif: is a GIF image, which has to be decoded into numbers first
! check: gif: is a GIF image, which has to be decoded into numbers first
! onert_run: gif: is a GIF image, which has to be decoded into numbers first
? 3
$ run zip --random 1; minmax-collect pdf --random 1 -o none.json 2>&1 | grep PDF; model-info gif; model-convert zip -o none.onnx; place pdf --target two-npu -o none.qn
> minmax-collect: pdf: is a PDF document, which is not read
! run: zip: is a gzip file, which has to be unpacked first
! model-info: gif: is a GIF image, which has to be decoded into numbers first
! model-convert: zip: is a gzip file, which has to be unpacked first
! place: pdf: is a PDF document, which is not read
? 3
$ codegen pdf --plugin c -o none.c; quantize pdf --ranges one.json --type i8 -o none.onnx; compile gif --input x.raw --type i8 -o none.onnx; check pdf gif --random 1; model-diff gif pdf --random 1; onert_run pdf >/dev/null
! codegen: pdf: is a PDF document, which is not read
! quantize: pdf: is a PDF document, which is not read
! compile: gif: is a GIF image, which has to be decoded into numbers first
! check: pdf: is a PDF document, which is not read
! model-diff: gif: is a GIF image, which has to be decoded into numbers first
! onert_run: pdf: is a PDF document, which is not read
? 3
$ quantize net.mlir --ranges zip --type i8 -o none.onnx; run net.mlir --random 1 --labels gif
! quantize: zip: not JSON: is a gzip file, which has to be unpacked first
! run: --random: input "x" is float32[1,?,3]: open dims are taken as 1 (--shape sets others)
! run: gif: is a GIF image, which has to be decoded into numbers first
? 3
$ ls none* 2>/dev/null
? 2
