needs: models
A detector whose output keeps 14 dB in eight bits: check names both halves of the noise, and what it proposes reaches 25 dB. Photos in planes of blue, green, red.
$ python3 -c "
+ import os
+ data = open(os.environ['MODELS'] + '/data/images_coral/rgb_u8_352x352.bin', 'rb').read()
+ size = 352 * 352 * 3
+ with open('x.u8', 'wb') as out:
+     for i in range(3):
+         photo = data[i * size:(i + 1) * size]
+         for channel in (2, 1, 0): out.write(photo[channel::3])"
$ minmax-collect "$MODELS/onnx/fastestdet.onnx" --input 'input.1=x.u8:u8[3,352,352]/255' -o f.json
$ check "$MODELS/onnx/fastestdet.onnx" --ranges f.json --input 'input.1=x.u8:u8[3,352,352]/255' --rows 2 --json --propose rules.json > c.json
$ python3 -c "
+ import json
+ r = json.load(open('c.json'))
+ first, proposal = r['models'][0]['evaluation']['outputs'][0]['sqnr'], r['proposal']
+ reached = proposal['evaluation']['outputs'][0]['sqnr']
+ print(first < 20, reached >= 25, proposal['met'], {c['type'] for c in proposal['changes']} | {proposal.get('type', 'w8a16')} <= {'w8a16', 'i16-sym'})
+ print(r['activations_db'] < r['weights_db'] < 28, r['evaluations'] <= 24)"
> True True True True
> True True
$ quantize "$MODELS/onnx/fastestdet.onnx" --ranges f.json --rules rules.json --input 'input.1=x.u8:u8[3,352,352]/255' --rows 2 -o q.onnx 2> said && check "$MODELS/onnx/fastestdet.onnx" q.onnx --input 'input.1=x.u8:u8[3,352,352]/255' --rows 2 --min-sqnr 25 --top 0 > out.txt; echo $?
> 0
Some units get finer types, and the Concat of boxes and scores stays float, or all get one: last bits of the instruction set decide.
$ python3 -c "
+ import json
+ apart = '1 of 211 operators stay float: 100.0 % of the weights (938 of 938 KB as float32) and 100.0 % of the multiply-accumulates are quantized; see -v or --report for which and why'
+ all_one = 'type' in json.load(open('c.json'))['proposal']
+ whole = 'coverage: 211 of 211 operators, 100.0 % of the weights (938 of 938 KB as float32) and 100.0 % of the multiply-accumulates are quantized'
+ print(open('said').read() == f'quantize: {whole if all_one else apart}\\n')"
> True

A classifier of which most operators stay float, but hardly a weight.
$ minmax-collect "$MODELS/onnx/magika_v3_3.onnx" --input "bytes=$MODELS/data/magika/features_i32.bin:i32[2048]" --rows 5 -o m.json
$ quantize "$MODELS/onnx/magika_v3_3.onnx" --ranges m.json -o m.qn
! quantize: 59 of 75 operators stay float: 99.7 % of the weights (3053 of 3063 KB as float32) and 98.9 % of the multiply-accumulates are quantized; see -v or --report for which and why
$ check "$MODELS/onnx/magika_v3_3.onnx" m.qn --input "bytes=$MODELS/data/magika/features_i32.bin:i32[2048]" --rows 5 --labels "$MODELS/data/magika/labels.csv" --top 0 | sed -n '1p;3p'
> m.qn: top-1 100.00 % (float 100.00 %), agreement 100.00 % (5 of 5)
>   16 of 75 operators, 99.7 % of the weights (3053 of 3063 KB as float32) and 98.9 % of the multiply-accumulates are quantized

A float TFLite file beside int8 ONNX that was made of it: its weights lie in another order there, which 3x3 filters of three channels do not show by their shape.
$ minmax-collect "$MODELS/tflite/ic01_resnet8_float32.tflite" --random 4 -q -o i.json
$ quantize "$MODELS/tflite/ic01_resnet8_float32.tflite" --ranges i.json -q -o i.onnx
$ check "$MODELS/tflite/ic01_resnet8_float32.tflite" i.onnx --random 2 --top 0 | grep 'activations alone'
> weights alone quantized: [...] dB, activations alone: not known, as the float model has not all weights by these names and shapes: "[...]
