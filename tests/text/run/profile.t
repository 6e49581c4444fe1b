A profile as a page, and what ran when as trace events: of one run, which also reports as JSON.
$ run $EXAMPLES/digits/digits.onnx --random 1 --rows 3 --num-runs 4 --threads 1 --json --profile=p.html --trace t.json > /dev/null && run $EXAMPLES/digits/digits.onnx --random 1 --rows 3 --threads 1 --profile p.html | grep -c Conv
> 0
? 1
$ cat > page.py <<'END'
+ import re, sys, xml.etree.ElementTree as tree
+ page = open(sys.argv[1]).read()
+ root = tree.fromstring(page.split('\n', 1)[1])
+ print(re.findall(r'(?:https?:|src=|url\(|@import|<link)[^"]*', page), root.find('.//h1').text, '|', *[h.text + ';' for h in root.iter('h2')])
+ table = list(root.iter('table'))[-1]
+ print([h.get('data-by') for h in table.iter('th')], len(list(table.find('tbody'))))
+ END
$ python3 page.py p.html
> [] digits.onnx run in float | Time by operator; One run over time; Every run; Nodes, the slowest first;
> ['n', None, 'seconds', None, None, 'calls'] [...]

Events nest, and what is inside of a run takes no longer than the run.
$ cat > events.py <<'END'
+ import json, sys
+ trace = json.load(open(sys.argv[1]))
+ events = [e for e in trace['traceEvents'] if e['ph'] == 'X']
+ for thread in {e['tid'] for e in events}:
+     ends = []
+     for e in sorted((e for e in events if e['tid'] == thread), key=lambda e: (e['ts'], -e['dur'])):
+         start, end = round(e['ts'] * 1000), round((e['ts'] + e['dur']) * 1000)
+         while ends and ends[-1] <= start: ends.pop()
+         assert not ends or end <= ends[-1], e
+         ends.append(end)
+ runs = [e for e in events if e['cat'] == 'run']
+ session = {e['tid']: e['args']['name'].split(',')[0] for e in trace['traceEvents'] if e['ph'] == 'M' and 'tid' in e}
+ inside = [[e for e in events if e['cat'] != 'run' and session[e['tid']] == session[r['tid']] and e['ts'] >= r['ts'] and e['ts'] + e['dur'] <= r['ts'] + r['dur'] + 1e-6] for r in runs]
+ print(len(runs), len({len(i) for i in inside}), sum(map(len, inside)) == len(events) - len(runs))
+ outer = lambda i: sum(e['dur'] for e in i if not any(o is not e and o['ts'] <= e['ts'] and o['ts'] + o['dur'] >= e['ts'] + e['dur'] for o in i))
+ print(all(outer(i) <= r['dur'] + 1e-3 for r, i in zip(runs, inside)), all(e['args']['kernel'] for e in events if e['cat'] != 'run'))
+ counters = [e for e in trace['traceEvents'] if e['ph'] == 'C']
+ print(len(counters) == len(events) - len(runs), max(e['args']['values'] for e in counters) > 0, max(e['args']['arena'] for e in counters) > 0)
+ names = sorted(e['args']['name'] for e in trace['traceEvents'] if e['ph'] == 'M')
+ print(names)
+ END
$ python3 events.py t.json
> 12 1 True
> True True
> True True True
> ['quern run digits.onnx', 'session 1']

Bodies are inside of the node that runs them; samples side by side have a thread each.
$ cat > if.mlir <<'END'
+ func.func @branch(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
+   %y = "onnx.If"(%c) ({
+     %m = "onnx.Exp"(%x) {onnx_node_name = "exp"} : (tensor<2xf32>) -> tensor<2xf32>
+     onnx.Yield %m : tensor<2xf32>
+   }, {
+     %n = "onnx.Neg"(%x) {onnx_node_name = "neg"} : (tensor<2xf32>) -> tensor<2xf32>
+     onnx.Yield %n : tensor<2xf32>
+   }) {onnx_node_name = "choice"} : (tensor<i1>) -> tensor<2xf32>
+   return %y : tensor<2xf32>
+ }
+ END
$ run if.mlir --random 1 --rows 4 --trace t.json -o out && python3 events.py t.json && python3 -c "
+ import json; e = [e for e in json.load(open('t.json'))['traceEvents'] if e['ph'] == 'X' and e['cat'] != 'run']
+ by = {n: [x for x in e if x['name'].endswith(n)] for n in ('choice', 'exp', 'neg')}
+ inner = by['exp'] + by['neg']
+ print(len(by['choice']), len(inner), all(any(o['ts'] <= i['ts'] and i['ts'] + i['dur'] <= o['ts'] + o['dur'] + 1e-6 for o in by['choice']) for i in inner))"
> 4 1 True
> True True
> True True True
> ['quern run if.mlir', 'session 1']
> 4 4 True
$ run $EXAMPLES/digits/digits.onnx --random 1 --rows 8 --threads 2 --parallel --trace t.json -o out && python3 events.py t.json | sed '1d;$d'
> True True
> True True True

What is no page and no trace is refused before anything runs.
$ run $EXAMPLES/digits/digits.onnx --random 1 --profile=p.txt
! run: --profile: got "p.txt", need a file that ends in .html, or nothing
? 2
$ run $EXAMPLES/digits/digits.onnx --random 1 --trace t.html
! run: --trace t.html: ".html" is not a report format
! hint: one of .json
? 2
