The whole chain as one pipe: the facts travel inside the model. Sixteen samples of small codes come from a file.
$ python3 -c "open('s.bin', 'wb').write(bytes((i * i * 7 + i // 5) % 17 for i in range(1024)))"
$ I='image=s.bin:u8[1,8,8]/16'
+ model-convert $EXAMPLES/digits/digits.onnx | minmax-collect - --input "$I" --embed | quantize - --type i8 | run - --mode int --input "$I" -o out
+ ls out | wc -l && wc -c < out/Result_15/scores.raw
> 16
> 40
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized

Step by step over files the results are the same.
$ I='image=s.bin:u8[1,8,8]/16'
+ model-convert $EXAMPLES/digits/digits.onnx -o d.qn && minmax-collect d.qn --input "$I" -o r.json && quantize d.qn --ranges r.json -o q.qn
+ run q.qn --mode int --input "$I" -o steps && diff -r out steps && echo same
> same
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized

Only one input may be standard input.
$ model-convert d.qn | quantize - --ranges - > q2.qn
! quantize: standard input cannot be read twice: only one input may be -
? 2
$ model-convert d.qn | model-diff - -
! model-diff: standard input cannot be read twice: only one input may be -
? 2
$ model-convert d.qn | run - --input image=-
! run: standard input cannot be read twice: only one input may be -
? 2

A reader that has seen enough is not a failure.
$ { run d.qn --input "image=s.bin:u8[1,8,8]/16" --format stream || [ $? = 141 ]; } | head -c 8 && echo
> sample 1
$ { model-info d.qn --text || [ $? = 141 ]; } | head -c 6 && echo
> module
$ { minmax-collect d.qn --input "image=s.bin:u8[1,8,8]/16" || [ $? = 141 ]; } | head -1
> {"kind":"ranges",

What the output's format cannot say is refused before any work.
$ model-convert d.qn --opset 13 -o x.qn
! model-convert: --opset is for ONNX outputs, not for native
? 2
$ quantize d.qn --ranges r.json --form qoperator -f text
! quantize: --form is for ONNX outputs, not for text
? 2
$ model-convert d.qn -o x.foo
! model-convert: x.foo: the suffix names no format
! hint: give -f FORMAT, or a name that ends in one of .qn .quern .tflite .lite .circle .onnx .gguf .mlir .txt
? 2
$ model-convert d.qn -o x.qn --passes fold_constant
! model-convert: unknown pass "fold_constant" (did you mean "fold_constants"?)
! hint: quern model-convert --list-passes names them
? 2
$ model-convert d.qn --shape imag=1,1,8,8 -o x.qn; ls x.*
! model-convert: d.qn: --shape: no input "imag" (did you mean "image"?)
! hint: its inputs: image
! ls: cannot access 'x.*': No such file or directory
? 2

What a format does not have is refused.
$ for o in '--opset 21' --external-data '--form qdq'; do model-convert $EXAMPLES/digits/digits.onnx $o -o x.qn; quantize $EXAMPLES/digits/digits.onnx --type wo-i8-sym $o -o x.qn; done; ls x.*
! model-convert: --opset is for ONNX outputs, not for native
! quantize: --opset is for ONNX outputs, not for native
! model-convert: --external-data is for ONNX and text outputs, not for native
! quantize: --external-data is for ONNX and text outputs, not for native
! model-convert: --form is for ONNX outputs, not for native
! quantize: --form is for ONNX outputs, not for native
! ls: cannot access 'x.*': No such file or directory
? 2
