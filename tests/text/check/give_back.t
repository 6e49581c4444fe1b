A budget gives back what it changed beyond its goal: of a net whose noise does not add up as estimated, 30 dB took 49 units and gave 58 dB.
$ net=$TEST_MODELS/exports/torch/timm_poolformer.script.onnx; minmax-collect -q $net --random 3 --rows 4 -o r.json
$ net=$TEST_MODELS/exports/torch/timm_poolformer.script.onnx; quantize $net --ranges r.json --type i8 --random 5 --rows 4 --min-output-sqnr 30 -o q.qn 2> said; echo $?
> 0
$ python3 -c "
+ import re
+ units, db = re.search(r'(\d+) units changed.*: ([\d.]+) dB', open('said').read()).groups()
+ print(int(units) <= 35, 30 <= float(db) < 45)"
> True True
