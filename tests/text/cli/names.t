Names of files are data: however long, and whatever is in them, messages and tables stay short lines that a terminal can show.

$ python3 - <<'END'
+ import struct
+ def field(number, data): return bytes([number << 3 | 2]) + varint(len(data)) + data
+ def varint(n):
+     out = b""
+     while n > 127: out += bytes([n & 127 | 128]); n >>= 7
+     return out + bytes([n])
+ def number(at, n): return bytes([at << 3]) + varint(n)
+ def net(op, name, out): 
+     kind = field(1, number(1, 1) + field(2, field(1, number(1, 2))))
+     node = field(1, b"x") + field(2, out) + field(3, name) + field(4, op)
+     graph = field(1, node) + field(2, b"g") + field(11, field(1, b"x") + field(2, kind)) + field(12, field(1, out) + field(2, kind))
+     return number(1, 8) + field(7, graph) + field(8, number(2, 17))
+ nasty = "a\x1b[2Jb\u009b1mc\u202ed../../x".encode()
+ open("long.onnx", "wb").write(net(b"Q" * 1000000, b"node", b"y"))
+ open("long_name.onnx", "wb").write(net(b"Nothing", b"n" * 1000000, b"y"))
+ open("nasty.onnx", "wb").write(net(b"Relu", nasty, nasty))
+ open("layers.onnx", "wb").write(net(b"Relu", b"n", b"/model/layer:0"))
+ open("up.onnx", "wb").write(net(b"Relu", b"n", b"../../x"))
+ open("long_path.onnx", "wb").write(net(b"Relu", b"n", b"y" * 300))
+ open("percent.onnx", "wb").write(net(b"Relu", b"n", b".a%b"))
+ open("other.onnx", "wb").write(net(b"Neg", nasty, nasty))
+ open("rules.json", "w").write('{"kind": "rules", "version": 1, "node_names": {' + ", ".join('"%d": "none"' % i for i in range(20000)) + '}}')
+ END
$ for words in "run long.onnx --random 1" "run long_name.onnx --random 1" "codegen long.onnx -p c -o c" "place long.onnx --target cpu -o p.qn" "quantize long.onnx --type i8 -o q.qn" "model-convert long.onnx -o l.tflite"; do $words >out 2>err; echo $? $(wc -c <out) $(($(wc -c <err) < 2000)); done
> 4 0 1
> 4 0 1
> 4 0 1
> 0 0 1
> 2 0 1
> 4 0 1

$ model-info long.onnx | wc -c
> 537
$ minmax-collect nasty.onnx --random 1 -q -o r.json; quantize nasty.onnx --ranges r.json --rules rules.json -o q.qn
! quantize: nasty.onnx: rule node_names."0" matches nothing
!   rule node_names."1" matches nothing
!   rule node_names."10" matches nothing
!   rule node_names."100" matches nothing
!   rule node_names."1000" matches nothing
!   rule node_names."10000" matches nothing
!   and 19994 more
! hint: model-info lists names, scopes and operators; --allow-unmatched makes a notice of it
? 3
$ quantize nasty.onnx --ranges r.json --rules rules.json --allow-unmatched -o q.qn 2>&1 | sed -n '1p;5,$p'
> quantize: rule node_names."0" matches nothing
> quantize: rule node_names."1000" matches nothing
> quantize: and 19995 more
> quantize: coverage: 1 of 1 operators, 100.0 % of the multiply-accumulates are quantized
$ for words in "model-diff nasty.onnx other.onnx --random 1 --threshold 100" "model-info nasty.onnx" "run nasty.onnx --random 1 --explain --profile" "quantize nasty.onnx --ranges r.json --type i8 --explain node -o q.qn" "place nasty.onnx --target two-npu --report -" "check nasty.onnx --ranges r.json --random 1" "model-info nasty.onnx --text" "quantize nasty.onnx --ranges r.json --type i8 --dry-run -o q.onnx -v"; do $words 2>&1 | LC_ALL=C grep -c "$(printf '\033\\|\302\233\|\342\200\256')" || true; done
> 0
> 0
> 0
> 0
> 0
> 0
> 0
> 0
$ model-diff nasty.onnx other.onnx --random 1 | cut -c 50-
> alue
>
> \x1b[2Jb\u009b1mc\u202ed../../x (output)

Members of an archive are named as tensors are, but for names that lead out of a folder or hold control characters: those as files are.
$ run nasty.onnx --random 1 --format npz -o out.npz && python3 -c 'import zipfile; print(*zipfile.ZipFile("out.npz").namelist())'
> Result_0/a%1B%5B2Jb%C2%9B1mc%E2%80%AEd..%2F..%2Fx.npy
$ run nasty.onnx --random 1 -o folder && ls folder/Result_0 && model-diff folder out.npz | wc -l
> a%1B%5B2Jb%C2%9B1mc%E2%80%AEd..%2F..%2Fx.raw
> 2
$ for net in layers up long_path percent; do run $net.onnx --random 1 --format npz -o $net.npz; run $net.onnx --random 1 -o $net; model-diff $net $net.npz --threshold 100 | wc -l; done
> 2
> 2
> 2
> 2
$ python3 -c 'import zipfile; [print(n[:30], len(n)) for net in ("layers", "up", "long_path") for n in zipfile.ZipFile(net + ".npz").namelist()]'
> Result_0//model/layer:0.npy 27
> Result_0/%2E.%2F..%2Fx.npy 26
> Result_0/yyyyyyyyyyyyyyyyyyyyy 233
