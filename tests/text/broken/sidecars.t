Broken sidecars: each is one clear line, the right exit code, and no output.
$ cp "$NETS/gemm_relu.mlir" net.mlir; cp "$NETS/gemm_relu.json" r.json
$ cat > broken.sh <<'END'
+ broken() { sed "$1" r.json > b.json; quantize net.mlir --ranges b.json -o q.qn; echo $?; }
+ END
$ . ./broken.sh; broken '2d'; broken 's/"kind": "ranges"/"kind": "rules"/'; broken 's/"version": 1/"version": 2/'; broken '$s/$/x/'
> 3
> 3
> 3
> 3
! quantize: b.json: not JSON: line 2, column 1
! quantize: b.json: kind is "rules", need "ranges"
! quantize: b.json: ranges version 2, this tool reads up to 1
! quantize: b.json: not JSON: line 2, column 86
!   ... -1, "max": 1.55}, "y": {"count": 4, "min": 0, "max": 5.1}}}x
!                                                                  ^
$ . ./broken.sh; broken 's/1.55/NaN/'; broken 's/1.55/null/'; broken 's/1.55/1e39/'; broken 's/1.55/1e999/'; broken 's/1.55/-2/'
> 3
> 3
> 3
> 3
> 3
! quantize: b.json: not JSON: line 2, column 38
!    "x": {"count": 4, "min": -1, "max": NaN}, "y": {"count": 4, "min": 0, "max": 5.1}}}
!                                        ^
! quantize: b.json: values.x.max: is null, need a number
! quantize: b.json: values.x.max: is not a finite float32
! quantize: b.json: not JSON: a number is out of range
! quantize: b.json: values.x: minimum above maximum
$ . ./broken.sh; broken 's/"y":/"z":/'; broken 's/"count": 4/"count": -4/'; broken 's/"samples": 1, //'; broken 's/\[\]/3/'
> 3
> 3
> 3
> 3
! quantize: net.mlir: value "y" was not observed
! hint: collect ranges on this very model, after model-convert
! quantize: b.json: values.sum.count: is a number, need an integer that is not negative
! quantize: b.json: "samples" is missing
! quantize: b.json: unvisited: is a number, need an array
$ . ./broken.sh; broken 's/"min": -1/"histogram": [[70000, [4]]], &/'; broken 's/"min": -1/"histogram": [[7000, [3]]], &/'
> 3
> 3
! quantize: b.json: values.x.histogram[0]: bin 70000 holds no finite float
! quantize: b.json: values.x.histogram: counts 3 of the 4 elements seen
$ . ./broken.sh; broken 's/"sum"/"s\xff"/'; broken '1s/.*/[1,/; 2s/.*/2]/'; broken d
> 3
> 3
> 3
! quantize: b.json: not JSON: line 1, column 93
!   ... "lineage": "", "samples": 1, "unvisited": [], "values": {"s\xff": {"count": 4, "min": -4, "max": 6},
!                                                                  ^
! quantize: b.json: is an array, need an object
! quantize: b.json: not JSON: is empty
$ python3 -c "print('[' * 100000)" > deep.json; quantize net.mlir --ranges deep.json -o q.qn
! quantize: deep.json: JSON nests deeper than 64 levels
? 3
$ quantize net.mlir --ranges nosuch.json -o q.qn
! quantize: nosuch.json: No such file or directory
? 5
$ quantize net.mlir --ranges . -o q.qn
! quantize: .: is a folder, need a file
? 5
$ printf '{"kind": "rules", "version": 1' > u.json; quantize net.mlir --ranges r.json --rules u.json -o q.qn
! quantize: u.json: not JSON: line 1, column 31
!   {"kind": "rules", "version": 1
!                                 ^
? 3
$ printf '{"kind": "ranges", "version": 1}' > u.json; quantize net.mlir --ranges r.json --rules u.json -o q.qn
! quantize: u.json: kind is "ranges", need "rules"
? 3
$ printf '{"kind": "rules", "version": "1"}' > u.json; quantize net.mlir --ranges r.json --rules u.json -o q.qn
! quantize: u.json: version: is a string, need an integer
? 3
$ minmax-collect merge r.json nosuch.json -o all.json
! minmax-collect: nosuch.json: No such file or directory
? 5
$ sed 's/"lineage": ""/"lineage": "00ff"/' r.json > other.json; minmax-collect merge r.json other.json -o all.json
! minmax-collect: other.json: measured on another model: lineage "00ff", before ""
? 3
$ minmax-collect merge
! minmax-collect: merge: no files
? 2
$ ls q.qn all.json
! ls: cannot access 'q.qn': No such file or directory
! ls: cannot access 'all.json': No such file or directory
? 2

Models: native files that are cut off or have a byte turned, and text that says what cannot be.
$ model-convert net.mlir -o d.qn && head -c 600 d.qn > cut.qn && python3 -c "
+ b = bytearray(open('d.qn', 'rb').read()); b[-100] ^= 1; open('flip.qn', 'wb').write(b); b[-100] ^= 1; b[70] ^= 1; open('weight.qn', 'wb').write(b)"
$ model-convert cut.qn -o x.qn
! model-convert: cut.qn: is cut off: its last 64 bytes are not a trailer
? 3
$ model-convert flip.qn -o x.qn
! model-convert: flip.qn: the graph differs from its digest
? 3
$ model-info --verify weight.qn
! model-info: weight.qn: blob 0 at byte 64 differs from its digest
? 3
$ : > empty.qn; model-info empty.qn
! model-info: empty.qn: is empty
? 3
$ sed 's/\[0.5, -0.25\]/[0.5]/' net.mlir > b.mlir; model-convert b.mlir -o x.qn
! model-convert: b.mlir: 3:35: the elements have shape [1], the type has [2]
!     %b = "onnx.Constant"() {value = dense<[0.5]> : tensor<2xf32>} : () -> tensor<2xf32>
!                                     ^
? 3
$ head -c 300 net.mlir > b.mlir; model-convert b.mlir -o x.qn
! model-convert: b.mlir: 4:39: the text ends, need ","
!     %sum = "onnx.Gemm"(%x, %w, %b) {onnx
!                                         ^
? 3
$ sed 's/%sum)/%sun)/' net.mlir > b.mlir; model-convert b.mlir -o x.qn
! model-convert: b.mlir: 5:20: %sun is used but not defined before
!     %y = "onnx.Relu"(%sun) {onnx_node_name = "relu"} : (tensor<2x2xf32>) -> tenso...
!                      ^
? 3
$ ls x.qn
! ls: cannot access 'x.qn': No such file or directory
? 2

A key that is there twice says two things.
$ echo '{"kind": "rules", "version": 1, "op_types": {"Conv": "none", "Add": "none", "Conv": "i8"}}' > twice.json; quantize net.mlir --ranges r.json --rules twice.json -o x.qn
! quantize: twice.json: JSON has "Conv" twice in one object
? 3
$ echo '{"kind": "ranges", "version": 1, "lineage": "", "samples": 1, "unvisited": [], "values": {"x": {"count": 1, "min": 0, "max": 1, "min": 2}}}' > twice.json; quantize net.mlir --ranges twice.json -o x.qn
! quantize: twice.json: JSON has "min" twice in one object
? 3
$ echo '{"version": "2.0.0", "encodings": [], "encodings": []}' > twice.json; quantize net.mlir --ranges r.json --overrides twice.json -o x.qn
! quantize: twice.json: JSON has "encodings" twice in one object
? 3
