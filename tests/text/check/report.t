The report of check: figures first, a row for each unit with its share of the noise, and rules that can be given back.
$ cat > d.sh <<'END'
+ net=$EXAMPLES/digits/digits.onnx; test='--random 1 --rows 30'
+ END
$ . ./d.sh; minmax-collect -q $net --random 2 --rows 20 -o r.json; printf 'label\n' > l.csv; for i in 1 2 3 4 5 6 7 8 9 10; do printf '0\n3\n7\n' >> l.csv; done
$ . ./d.sh; check $net --ranges r.json $test --labels l.csv --types i8,w8a16 --min-sqnr 48 --evaluate 1 --propose rules.json --report r.html > report.txt; check $net --ranges r.json $test --types i8 --report r.json.json -q | sed -n 1p
> i8: agreement [...] % ([...] of 30)
$ cat > page.py <<'END'
+ import json, re, xml.etree.ElementTree as tree
+ page = open('r.html').read()
+ root = tree.fromstring(page.split('\n', 1)[1])
+ print(re.findall(r'(?:https?:|src=|url\(|@import|<link)[^"]*', page), root.find('.//h1').text, '|', *[h.text + ';' for h in root.iter('h2')])
+ text = open('report.txt').read()
+ units = next(t for t in root.iter('table') if 'cause' in [h.text for h in t.iter('th')])
+ shares = [float(''.join(r[1].itertext()).rstrip(' %')) for r in units.find('tbody')]
+ print(len(shares), shares == sorted(shares, reverse=True), abs(sum(shares) - 100) < 1)
+ print(all(re.search('^ *%.1f%%.*%s' % (share, re.escape(r[0][0].text)), text, re.M) for share, r in zip(shares, units.find('tbody'))))
+ print(json.loads(root.find('.//pre').text) == json.load(open('rules.json')))
+ print(sum('evaluated: alone' in ''.join(r.itertext()) for r in units.find('tbody')))
+ print(*[''.join(d.itertext()) for d in root.iter('div') if d.get('class') == 'cards'], sep='\n')
+ END
$ python3 page.py
> [] digits.onnx checked: i8 | Types that were tried; What costs accuracy; What mends it;
> 6 True True
> True
> True
> 1
> [...] %top-1, float [...] %[...] %agreement with the float model[...] dBSQNR of the worst output[...] KBconstants, of 38.8 KB in float30samples
> [...] %top-1[...] %agreement with the float model[...] dBSQNR of the worst output[...] KBconstants[...]units changed
$ python3 -c "import json; r = json.load(open('r.json.json')); print(r['samples'], len(r['sensitivity']))"
> 30 6

A model beside another one: no types, no proposal; hostile names stay text.
$ . ./d.sh; quantize -q $net --ranges r.json -o 'a<b>&.onnx' && check $net 'a<b>&.onnx' $test --report p.html -q > /dev/null && grep -o '<h[12]>[^/]*' p.html
> <h1>digits.onnx checked: a&lt;b&gt;&amp;.onnx<
> <h2>What costs accuracy<

$ . ./d.sh; check $net --ranges r.json $test --report r.pdf
! check: --report r.pdf: ".pdf" is not a report format
! hint: one of .html, .htm, .json
? 2
