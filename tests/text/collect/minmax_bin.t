onert's minmax.bin: written for a Circle model, read back as ranges, the same once more.
needs: models
$ M=$MODELS/circle/speech_recognition_float32.circle
+ minmax-collect $M --random 3 --rows 12 -f minmax-bin -o minmax.bin && wc -c < minmax.bin
+ minmax-collect $M --random 3 --rows 12 -o r.json
+ minmax-collect $M --minmax-bin minmax.bin -o device.json
+ minmax-collect $M --minmax-bin minmax.bin -f minmax-bin -o again.bin && cmp minmax.bin again.bin && echo same
> 1548
> same
! minmax-collect: warning: ranges come from random inputs: a model that is quantized with them will not be accurate
! minmax-collect: warning: ranges come from random inputs: a model that is quantized with them will not be accurate

What onert recorded quantizes as what was collected here.
$ M=$MODELS/circle/speech_recognition_float32.circle
+ quantize $M --ranges r.json --type uint8 -o a.qn && quantize $M --ranges device.json --type uint8 -o b.qn && cmp a.qn b.qn && echo equal
+ minmax-collect $M --minmax-bin minmax.bin --embed -o m.qn && quantize m.qn --type uint8 -o c.qn && cmp a.qn c.qn && echo equal
> equal
> equal
! quantize: coverage: 6 of 6 operators, 100.0 % of the weights (65 of 65 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 6 of 6 operators, 100.0 % of the weights (65 of 65 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 6 of 6 operators, 100.0 % of the weights (65 of 65 KB as float32) and 100.0 % of the multiply-accumulates are quantized

Files that are cut, belong to another model or say too much.
$ M=$MODELS/circle/speech_recognition_float32.circle
+ head -c 100 minmax.bin > cut.bin; minmax-collect $M --minmax-bin cut.bin
! minmax-collect: cut.bin: says 12 runs, 88 bytes are left
? 3
$ minmax-collect $MODELS/circle/one_conv2d.circle --minmax-bin minmax.bin
! minmax-collect: minmax.bin: run 0: operator 1: the model has none there that is recorded
! hint: the file may be of another model: it does not say which
? 3
$ printf 'DMMO\1\0\0\0\377\377\377\377' > huge.bin; minmax-collect $MODELS/circle/one_conv2d.circle --minmax-bin huge.bin
! minmax-collect: huge.bin: says 4294967295 runs, 0 bytes are left
? 3
$ minmax-collect $EXAMPLES/digits/digits.onnx --minmax-bin minmax.bin
! minmax-collect: [...]digits.onnx: minmax.bin speaks of places in a Circle file, which this is not
? 4
$ minmax-collect $MODELS/circle/one_conv2d.circle --minmax-bin minmax.bin --random 1
! minmax-collect: --minmax-bin takes the place of samples
? 2
$ minmax-collect - --minmax-bin minmax.bin
! minmax-collect: minmax.bin speaks of places in a Circle file: give its name, not standard input
? 2
