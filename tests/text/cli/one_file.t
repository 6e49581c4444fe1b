No two outputs are one file, nor an output and an input, by whatever name: what is written last would be all that is left.

$ cp $EXAMPLES/digits/digits.onnx net.onnx; cp $NETS/gemm_relu.mlir net.mlir; ln -s r.json link; mkdir sub
$ minmax-collect net.mlir --random 1 -q -o r.json && cp r.json kept.json && ln r.json hard && echo there >out
$ cat >try <<'END'
+ minmax-collect net.mlir --random 1 -q --checkpoint x.json -o x.json
+ minmax-collect net.mlir --random 1 -q --checkpoint sub/../x.json -o ./x.json
+ quantize net.mlir --ranges r.json --dump-encodings q.onnx -o q.onnx
+ model-convert net.mlir --dump-weights a.onnx -o a.onnx
+ model-convert net.mlir --dump-encodings a.onnx.data --external-data -o a.onnx
+ quantize net.mlir --ranges r.json --report r.json -o q.qn
+ quantize net.mlir --ranges r.json --dump-encodings link -o q.qn
+ quantize net.mlir --ranges hard --dump-encodings r.json -o q.qn
+ quantize net.mlir --ranges r.json -o q.qn --report net.mlir
+ quantize - --ranges r.json -o q.qn --report net.mlir <net.mlir
+ place net.mlir --target cpu --save-placement p.json --report p.json
+ place net.mlir --target t.json --report t.json
+ run net.mlir --random 1 --profile=out.html --trace sub/../out.html
+ run net.mlir --random 1 --format npz -o - --trace -
+ run net.onnx --input image=s.npy --format npz -o s.npy
+ run net.onnx --input-list list.txt --format npz -o s.npy
+ run net.onnx --input-list list.txt --labels l.csv:label --format npz -o l.csv
+ check net.onnx --ranges r.json --random 1 --propose out --report out
+ codegen net.mlir -p context --option graphs=b=net.onnx -o net.onnx
+ compile net.mlir sub/net.onnx --type wo-i8-sym -o '{}.onnx'
+ onert_run net.mlir --quantize int8_wo --qpath q.circle --codegen c --cpath q.circle
+ END
$ touch t.json s.npy l.csv sub/net.onnx; echo s.npy >list.txt
$ while read -r line; do eval "$line"; echo $?; done <try 2>&1
> minmax-collect: x.json: is the output of --checkpoint and of --output
> hint: each output needs a file of its own
> 2
> minmax-collect: ./x.json: is the output of --checkpoint and of --output
> hint: each output needs a file of its own
> 2
> quantize: q.onnx: is the output of --output and of --dump-encodings
> hint: each output needs a file of its own
> 2
> model-convert: a.onnx: is the output of --output and of --dump-weights
> hint: each output needs a file of its own
> 2
> model-convert: a.onnx.data: is the output of --external-data and of --dump-encodings
> hint: each output needs a file of its own
> 2
> quantize: r.json: is the output of --report and the input of --ranges
> hint: --report needs another file
> 2
> quantize: link: is the output of --dump-encodings and the input of --ranges
> hint: --dump-encodings needs another file
> 2
> quantize: r.json: is the output of --dump-encodings and the input of --ranges
> hint: --dump-encodings needs another file
> 2
> quantize: net.mlir: the output is the model itself
> hint: --report says where the product goes
> 2
> quantize: net.mlir: the output is the model itself
> hint: --report says where the product goes
> 2
> place: p.json: is the output of --save-placement and of --report
> hint: each output needs a file of its own
> 2
> place: t.json: is the output of --report and the input of --target
> hint: --report needs another file
> 2
> run: sub/../out.html: is the output of --profile and of --trace
> hint: each output needs a file of its own
> 2
> run: -: is the output of --output-dir and of --trace
> hint: each output needs a file of its own
> 2
> run: s.npy: is the output of --output-dir and the input of --input
> hint: --output-dir needs another file
> 2
> run: s.npy: is the output of --output-dir and the input of --input-list
> hint: --output-dir needs another file
> 2
> run: l.csv: is the output of --output-dir and the input of --labels
> hint: --output-dir needs another file
> 2
> check: out: is the output of --propose and of --report
> hint: each output needs a file of its own
> 2
> codegen: net.mlir: net.onnx: the output is the model itself
> hint: --output says where the product goes
> 2
> compile: -o {}.onnx: net.onnx would be the product of net.mlir and of sub/net.onnx
> 2
> onert_run: q.circle: is the output of --qpath and of --cpath
> hint: each output needs a file of its own
> 2
$ quantize net.mlir --ranges r.json --type i8 --report out -o q.qn >out
! quantize: out: is the output of --report, and standard output leads there
! hint: each output needs a file of its own
? 2
$ cmp r.json kept.json; ls
> hard
> kept.json
> l.csv
> link
> list.txt
> net.mlir
> net.onnx
> out
> r.json
> s.npy
> sub
> t.json
> try

What can be had several times: pipes and devices; a model in place, as its product.
$ quantize net.mlir --ranges r.json --type i8 -q --dump-encodings /dev/null -o /dev/null && model-convert net.onnx -o net.onnx
$ minmax-collect net.mlir --random 1 -q --checkpoint c.json -o d.json && ls [cd].json
> d.json
