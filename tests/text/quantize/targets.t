A target brings its type and the rules of its runtime; what it takes is told.
$ model-convert $EXAMPLES/digits/digits.onnx --shape image=1,1,8,8 -o d.onnx && minmax-collect -q d.onnx --random 1 --rows 4 -o r.json
$ cat > devices <<'END'
+ #!/bin/bash
+ place "$1" --target $2 --heuristic QualifyingOps --save-placement - | grep -A1 '"device":' | grep -o '"device": "[^"]*"' | sort | uniq -c
+ END
$ chmod +x devices
$ quantize d.onnx --ranges r.json --target ethos-u55-128 -o q.qn && ./devices q.qn ethos-u55-128
>       7 "device": "ethos-u"
! quantize: target ethos-u55-128 takes type i8, by the rules of tflite files
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize d.onnx --ranges r.json --target htp -o q.qn && ./devices q.qn htp
>       7 "device": "htp"
! quantize: target htp takes type u8i8, by the rules of qnn
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize d.onnx --ranges r.json --target onert-cpu -o q.circle && ./devices q.circle onert-cpu
>       4 "device": "cpu"
>       5 "device": "onert"
! quantize: target onert-cpu takes type u8-asym, by the rules of circle files
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! place: 2 of 9 nodes run on cpu, as no other device can run them; see -v for which and why
$ quantize d.onnx --ranges r.json --target ethos-u85-256 --type w8a16 -o q.qn && ./devices q.qn ethos-u85-256
>       7 "device": "ethos-u"
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize d.onnx --ranges r.json --target ethos-u55 -o q.qn
! quantize: there is no target "ethos-u55" (did you mean "ethos-u55-32"?)
! hint: --list-targets lists them; a file's name ends in .json
? 2
$ quantize d.onnx --ranges r.json --target cpu -o q.qn
! quantize: target cpu states no type
! hint: give --type
? 2
$ echo '{"kind": "target", "version": 1, "name": "mine", "extends": "htp", "type": "i9"}' > mine.json && quantize d.onnx --ranges r.json --target ./mine.json -o q.qn
! quantize: ./mine.json: type: unknown type "i9" (did you mean "i8"?)
? 3
$ echo '{"kind": "target", "version": 1, "name": "mine", "extends": "htp", "type": "i8"}' > mine.json && quantize d.onnx --ranges r.json --target ./mine.json -o q.qn
! quantize: target mine takes type i8, by the rules of qnn
! quantize: type i8 stands for u8i8: qnn takes codes without a sign
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
The accelerator of IBM's Telum II takes products whose inputs are quantized at run time.
$ quantize d.onnx --target nnpa -q -o q.qn && place q.qn --target nnpa --heuristic QualifyingOps -q --save-placement - -o placed.qn | grep -o '"nnpa"\|"cpu"\|"onnx.Gemm"\|"quern.Recode"' | xargs echo
> nnpa nnpa nnpa nnpa nnpa cpu nnpa quern.Recode nnpa onnx.Gemm
