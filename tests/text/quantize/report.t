The report: figures first, a picture, a row for each value, and rules that can be given back. The digit classifier, on made-up images.
$ python3 -c "
+ import random; random.seed(1)
+ open('x.u8', 'wb').write(bytes(random.randrange(17) for _ in range(64 * 40)))
+ open('labels.csv', 'w').write('label\n' + ''.join('%d\n' % (i % 10) for i in range(40)))"
$ cp "$EXAMPLES/digits/digits.onnx" d.onnx && minmax-collect -q d.onnx --input 'image=x.u8:u8[1,8,8]*0.0625-0' -o r.json
$ quantize d.onnx --ranges r.json --report r.html -o 'a b.onnx' && quantize d.onnx --ranges r.json --report report.json -o q.onnx
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized

What was not measured says how it is; sizes are those of the files.
$ grep -c "<pre>quern check d.onnx 'a b.onnx' --input-list SAMPLES.txt</pre>" r.html
> 1
$ python3 -c "
+ import json, os; r = json.load(open('report.json')); s = r['sizes']
+ print(r['model'], s['file_before'] == os.path.getsize('d.onnx'), s['file_after'] == os.path.getsize('q.onnx'), s['constants_after'] < s['constants_before'] / 3, 'end_to_end' in r)"
> d.onnx True True True False

One file, well-formed, that refers to nothing outside of itself and holds a histogram and channels for what has them.
$ cat > page.py <<'END'
+ import re, sys, xml.etree.ElementTree as tree
+ page = open(sys.argv[1]).read()
+ root = tree.fromstring(page.split('\n', 1)[1])
+ bad = [x for x in re.findall(r'(?:https?:|src=|url\(|@import|<link)[^"]*', page)]
+ refers = [e.get('href') for e in root.iter() if e.get('href')]
+ ids = {e.get('id') for e in root.iter() if e.get('id')}
+ names = len({e.get('id') for e in root.iter() if e.get('id')}) == len([e for e in root.iter() if e.get('id')])
+ print(bad, all(r[0] == '#' and r[1:] in ids for r in refers), names)
+ rows = [e for e in root.iter('tr') if e.get('data-role')]
+ print(len(rows), sum(1 for r in rows if any(s.get('aria-label') == 'ranges of channels' for s in r.iter('svg'))), sum(1 for r in rows if any(s.get('aria-label') == 'histogram' for s in r.iter('svg'))))
+ print([r.get('data-role') for r in rows if not r.get('data-sqnr_db')])
+ END
$ python3 page.py r.html
> [] True True
> 12 3 9
> ['bias', 'bias', 'bias']

Each of its rules is taken by quantize and makes what it is about finer.
$ cat > rules.py <<'END'
+ import json, subprocess, sys, xml.etree.ElementTree as tree
+ root = tree.fromstring(open('r.html').read().split('\n', 1)[1])
+ rows = [e for e in root.iter('tr') if e.get('data-role')]
+ done = 0
+ for row in rows:
+     name = next(row.iter('code')).text
+     rule = [e.text for e in row.iter('pre') if e.get('class') == 'rule'][0]
+     open('paste.json', 'w').write(rule)
+     subprocess.run(['quantize', '-q', 'd.onnx', '--ranges', 'r.json', '--rules', 'paste.json', '--report', 'new.json', '-o', 'new.onnx'], check=True)
+     new = [v['bits'] for v in json.load(open('new.json'))['values'] if v['name'] == name]
+     types = set(json.loads(rule)['node_names'].values())
+     if 'none' in types: ok = new == [] or row.get('data-role') == 'activation'
+     else: ok = max(new) > int(row.get('data-bits'))
+     done += ok
+     if not ok: print(name, rule, new)
+ print(done, len(rows))
+ END
$ python3 rules.py
> 12 12
$ python3 -c "
+ import json; r = json.load(open('report.json')); print({v['role']: sorted(set(v['proposed_rules']['node_names'].values())) for v in r['values']})"
> {'activation': ['w8a16'], 'weight': ['i16-sym'], 'bias': ['none']}

A budget has evaluated the model: its figures come first.
$ quantize -q d.onnx --ranges r.json --min-agreement 90 --labels labels.csv --input 'image=x.u8:u8[1,8,8]*0.0625-0' --report e.html -o q.onnx && grep -o '<b>[^<]*</b>[^<]*' e.html | sed -n 1,4p
> <b>[...] %</b>top-1, float [...] %
> <b>[...] %</b>agreement with the float model
> <b>[...] dB</b>SQNR of the worst output
> <b>40</b>samples evaluated
$ quantize -q d.onnx --ranges r.json --min-agreement 90 --labels labels.csv --input 'image=x.u8:u8[1,8,8]*0.0625-0' --report e.json -o q.onnx && python3 -c "
+ import json; e = json.load(open('e.json'))['end_to_end']; print(e['samples'], e['agreement'] >= 90, [o['name'] for o in e['outputs']], e['top1'] >= 0)"
> 40 True ['scores'] True

The same bytes on any number of threads.
$ for t in 1 3; do mkdir $t; quantize d.onnx --ranges r.json --threads $t --report $t/r.html -o $t/q.onnx; done; cmp 1/r.html 3/r.html
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized

From a stream the model has its own name, and the files have no sizes.
$ cat d.onnx | quantize --ranges r.json --report s.html > q.qn && grep -c 'quern check MODEL QUANTIZED' s.html; grep -c 'the file, of' s.html
> 1
> 0
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
? 1
