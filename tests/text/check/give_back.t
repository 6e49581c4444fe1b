A budget gives back what it changed beyond its goal: of a net whose noise does not add up as estimated, 30 dB took 49 units and gave 58 dB.
$ net=$TEST_MODELS/exports/torch/timm_poolformer.script.onnx; minmax-collect -q $net --random 3 --rows 4 -o r.json
$ net=$TEST_MODELS/exports/torch/timm_poolformer.script.onnx; quantize $net --ranges r.json --type i8 --random 5 --rows 4 --min-output-sqnr 30 -o q.qn 2> said; echo $?
> 0
$ python3 -c "
+ import re
+ units, db = re.search(r'(\d+) units changed.*: ([\d.]+) dB', open('said').read()).groups()
+ print(int(units) <= 35, 30 <= float(db) < 45)"
> True True
What is float beside 8 bits stays float beside 16, where the measurements have it so: it became int8, and the net had 23 dB whatever else was changed.
$ net=$TEST_MODELS/exports/torch/timm_poolformer.script.onnx; quantize $net --ranges r.json --type i8 --random 5 --rows 16 --min-output-sqnr 48 -o q.qn 2> said; echo $?; grep -cE 'units changed|all i16-sym' said
> 0
> 1
Where most units need the finer type all have it, and the file is no larger than with that type.
$ net=$TEST_MODELS/exports/torch/hf_swin.script.onnx; minmax-collect -q $net --random 3 --rows 4 -o r.json; quantize -q $net --ranges r.json --type w8a16 -o w.onnx
$ net=$TEST_MODELS/exports/torch/hf_swin.script.onnx; check $net --ranges r.json --types i8 --random 5 --rows 16 --min-sqnr 41 --propose rules.json --json > c.json; python3 -c "
+ import json
+ c = json.load(open('c.json')); p = c['proposal']
+ held = p['proof']['outputs'][0]['sqnr'] - p['evaluation']['outputs'][0]['sqnr']
+ print(p['met'], p['type'], json.load(open('rules.json'))['global'], abs(held) < 1, c['evaluations'] <= 12)"
> True w8a16 w8a16 True True
$ net=$TEST_MODELS/exports/torch/hf_swin.script.onnx; quantize -q $net --ranges r.json --rules rules.json -o q.onnx; cmp q.onnx w.onnx
