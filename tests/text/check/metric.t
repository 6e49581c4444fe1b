The metric of the task: what is built in, and a command that reads outputs from files.
$ cat > d.sh <<'END'
+ net=$EXAMPLES/digits/digits.onnx; test='--random 1 --rows 30 --top 0'
+ m() { check $net --ranges r.json $test "$@"; }
+ END
$ . ./d.sh; minmax-collect -q $net --random 2 --rows 20 -o r.json; printf 'label\n' > l.csv; for i in 1 2 3 4 5 6 7 8 9 10; do printf '0\n3\n7\n' >> l.csv; done
$ . ./d.sh; m --types i8,w8a16 --metric cosine | grep -B1 '  metric'
> i8: agreement [...]
>   metric: 0.99[...] (float 1); sample [...] has 0.9[...]
> --
> w8a16: agreement [...]
>   metric: [...] (float 1); sample [...] has [...]
$ . ./d.sh; m --labels l.csv --metric top-5 --json > c.json; python3 -c "
+ import json
+ e = json.load(open('c.json'))['models'][0]['evaluation']
+ print(e['metric'] == {'name': 'top-5', 'float': e['float_score']['top5'] / .3, 'quantized': e['score']['top5'] / .3})"
> True

A command is run once for the float model and once for each quantized one, with all outputs in files.
$ . ./d.sh; cat > m.sh <<'END'
+ ls -d "$QUERN_OUTPUTS"/*/*.npy | wc -l >> log
+ echo "$QUERN_MODEL $1 ${QUERN_LABELS-none} ${QUERN_LABEL_COLUMN-none} $QUERN_FIRST_ROW" $(cmp -s "$QUERN_OUTPUTS/Result_3/scores.npy" "$QUERN_FLOAT_OUTPUTS/Result_3/scores.npy"; echo $?) >> log
+ echo "$QUERN_OUTPUTS" > folder
+ cat
+ case $QUERN_MODEL in float) echo 0.75;; i8) echo ' 5e-1 ';; *) echo .625;; esac
+ END
$ . ./d.sh; export QUERN_MODEL=other; rm -f log; m --types i8,w8a16 --skip-rows 2 --metric 'sh m.sh own' --json > c.json; cat log; ls $(cat folder); python3 -c "
+ import json
+ for model in json.load(open('c.json'))['models']: print(model['evaluation']['metric'])"
> 30
> float own none none 2 0
> 30
> i8 own none none 2 1
> 30
> w8a16 own none none 2 1
> {'float': 0.75, 'name': 'sh m.sh own', 'quantized': 0.5}
> {'float': 0.75, 'name': 'sh m.sh own', 'quantized': 0.625}
! ls: cannot access '[...]': No such file or directory
$ . ./d.sh; quantize -q $net --ranges r.json -o q.onnx; rm log; check $net q.onnx $test --labels l.csv:label --metric 'sh m.sh a' --min-metric 0.7 --report r.html | sed -n '1,2p;/missed/p'; cat log; grep -o '<code>sh[^/]*/code>, float [^<]*' r.html
> q.onnx: top-1 [...]
>   metric: 0.625 (float 0.75)
>   missed: the metric is 0.625, wanted at least 0.7
> 30
> float a l.csv label 0 0
> 30
> q.onnx a l.csv label 0 1
> <code>sh m.sh a</code>, float 0.75
$ . ./d.sh; check $net q.onnx $test --metric 'sh m.sh b' --min-metric 0.6 --max-metric 0.7 | grep missed; echo ${PIPESTATUS[0]}; check $net q.onnx $test --metric 'sh m.sh b' --max-metric 0.6 > out; echo $?; grep missed out
> 0
> 1
>   missed: the metric is 0.625, wanted at most 0.6

$ . ./d.sh; m --metric 'yes | sed 1q >&2; echo 1' | sed -n 2p
>   metric: 1 (float 1)
! check: --metric: "yes | sed 1q >&2; echo 1": y
! check: --metric: "yes | sed 1q >&2; echo 1": y

What it says beside its number is passed on; what fails, is not there or says no number is named.
$ . ./d.sh; check -q $net q.onnx $test --metric 'echo word >&2; echo 1' > out; check $net q.onnx $test --metric 'echo word >&2; echo 1' | sed -n 2p
>   metric: 1 (float 1)
! check: --metric: "echo word >&2; echo 1": word
! check: --metric: "echo word >&2; echo 1": word
$ . ./d.sh; m --metric 'echo no boxes >&2; exit 3'
! check: [...]digits.onnx: --metric: "echo no boxes >&2; exit 3" ended with exit code 3
!   no boxes
? 4
$ . ./d.sh; m --metric consine
! check: [...]digits.onnx: --metric: "consine" ended with exit code 127
!   sh: [...]consine: not found
! hint: cosine and top-5 are built in; all else is a command for sh
? 4
$ . ./d.sh; m --metric 'echo mAP 0.5'
! check: [...]digits.onnx: --metric: "echo mAP 0.5" printed "mAP 0.5", need one number
? 4
$ . ./d.sh; m --metric true
! check: [...]digits.onnx: --metric: "true" printed nothing, need one number
? 4
$ . ./d.sh; m --metric 'echo nan'
! check: [...]digits.onnx: --metric: "echo nan" printed "nan", need one number
? 4
$ . ./d.sh; m --metric 'echo 1' --no-libraries
! check: [...]digits.onnx: --metric: "echo 1": is code of others, which --no-libraries forbids
? 4
$ . ./d.sh; m --metric cosine --no-libraries | sed -n 2p
>   metric: [...] (float 1); sample [...] has [...]
$ . ./d.sh; m --metric top-5
! check: --metric top-5 needs --labels
? 2
$ . ./d.sh; m --min-metric 1
! check: --min-metric is for --metric
? 2
$ . ./d.sh; m --metric cosine --min-metric 1 --propose rules.json
! check: --min-metric and --max-metric are for models that are given or tried, not for --propose
? 2
