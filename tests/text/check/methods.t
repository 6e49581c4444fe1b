A proposal begins with the method for ranges that loses least: it costs nothing where the model runs. The rules say it of every type that they give.
$ net=$TEST_MODELS/exports/torch/timm_poolformer.script.onnx; minmax-collect -q $net --random 3 --rows 4 -o r.json; check $net --ranges r.json --random 5 --rows 4 --min-sqnr 20 --propose rules.json --json > c.json; echo $?
> 0
$ python3 -c "
+ import json
+ r, rules = json.load(open('c.json')), json.load(open('rules.json'))
+ first, p = r['models'][0]['evaluation']['outputs'][0]['sqnr'], r['proposal']
+ print(p['met'], p['method'] == rules['global']['method'], p['tried_methods'][p['method']] >= first + 1, len(p['tried_methods']) == 9)
+ print(all(rule == 'none' or rule['method'] == p['method'] for rule in rules['node_names'].values()))
+ print('%.2f' % p['evaluation']['outputs'][0]['sqnr'], file=open('reached', 'w'))"
> True True True True
> True
$ net=$TEST_MODELS/exports/torch/timm_poolformer.script.onnx; quantize -q $net --ranges r.json --rules rules.json -o q.qn && check $net q.qn --random 5 --rows 4 --top 0 --min-sqnr 20 > out.txt; echo $?; grep -q "$(cat reached) dB" out.txt; echo $?
> 0
> 0
Where the goal is met as it is nothing is tried, and where weights alone are quantized there is nothing to try.
$ net=$TEST_MODELS/exports/torch/timm_poolformer.script.onnx; for type in i8:5 wo-i4:60; do check $net --ranges r.json --types ${type%:*} --random 5 --rows 4 --min-sqnr ${type#*:} --propose rules.json --json > c.json; echo $?; python3 -c "import json; p = json.load(open('c.json'))['proposal']; print('method' in p, 'tried_methods' in p)"; done
> 0
> False False
> 0
> False False
