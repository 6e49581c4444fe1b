A comparison as a page: totals first, then outputs, a picture, and values with their errors, the worst first.
$ minmax-collect -q $EXAMPLES/digits/digits.onnx --random 2 --rows 20 -o r.json && quantize -q $EXAMPLES/digits/digits.onnx --ranges r.json -o q.onnx
$ model-diff $EXAMPLES/digits/digits.onnx q.onnx --random 1 --rows 5 --threshold 200 --report d.html --json > d.json
? 1
$ python3 - <<'END'
+ import json, re, xml.etree.ElementTree as tree
+ page = open('d.html').read()
+ root = tree.fromstring(page.split('\n', 1)[1])
+ refers = [e.get('href')[1:] for e in root.iter('a')]
+ ids = {e.get('id') for e in root.iter() if e.get('id')}
+ print(re.findall(r'(?:https?:|src=|url\(|@import|<link)[^"]*', page), root.find('.//h1').text, '|', *[h.text + ';' for h in root.iter('h2')])
+ table = list(root.iter('table'))[-1]
+ rows = list(table.find('tbody'))
+ values = {v['name']: v for v in json.load(open('d.json'))['values'] if v['count'] > 0}
+ shown = [next(r.iter('code')).text for r in rows]
+ print(len(rows) == len(values), shown == sorted(shown, key=lambda n: values[n]['sqnr']), set(refers) <= ids, len(refers) == len(rows))
+ counts = [(int(a), int(b)) for a, b in re.findall(r'<p>(\d+) of (\d+) elements differ', page)]
+ print(all(0 < a <= b for a, b in counts), [b for _, b in counts] == [values[n]['count'] for n in shown])
+ print('The first below 200 dB' in page)
+ END
> [] q.onnx compared with digits.onnx | Outputs; Where they differ; Values, the worst first;
> True True True True
> True True
> True
$ model-diff $EXAMPLES/digits/digits.onnx $EXAMPLES/digits/digits.onnx --random 1 --report e.html > /dev/null; grep -c '<b>equal</b>SQNR of the worst output' e.html
> 1
$ model-diff --encodings q.onnx q.onnx --report e.html
! model-diff: --report is about values: of --encodings and --kld there is no page
? 2
$ model-diff q.onnx q.onnx --random 1 --report e.json
! model-diff: --report e.json: ".json" is not a report format
! hint: one of .html
? 2
