What users get wrong about files: the message names file, place, and what is wanted; nothing is written.

$ cp $EXAMPLES/digits/digits.onnx net.onnx; minmax-collect net.onnx --random 1 --rows 4 -q -o r.json; cat >try <<'END'
+ # Each line is a command; what it says, and its exit code if it is not 3.
+ while read -r line; do
+     bash -c "$line" </dev/null 2>&1; code=$?
+     [ $code = 3 ] || echo "exit $code"
+ done
+ END
$ gzip -c net.onnx >net.onnx.gz; gzip -c r.json >r.json.gz; head -c 2000 net.onnx >cut.onnx; printf '\377\330\377\340JFIF' >cat.jpg; printf 'PK\3\4....' >some.zip; : >empty; echo '{}' >object.json; head -c 300 /dev/zero >zeros; mkdir folder; echo 'image 0' >words.txt; head -c 64 /dev/zero >small.raw; touch secret; echo "image:=some.zip" >list.txt

Models.
$ . ./try <<'END'
+ model-info nosuch.onnx
+ model-info folder
+ model-info empty
+ model-info zeros
+ model-info words.txt
+ model-info cat.jpg
+ model-info some.zip
+ model-info net.onnx.gz
+ model-info cut.onnx
+ model-info r.json
+ model-info <net.onnx.gz
+ model-info
+ model-info net.onnx --metadata x
+ model-info net.onnx --verify
+ model-info net.onnx --encodings=3
+ quantize r.json --ranges net.onnx -o q.onnx
+ model-diff net.onnx words.txt --random 1
+ run net.qctx --random 1
+ END
> model-info: nosuch.onnx: No such file or directory
> exit 5
> model-info: folder: is a folder, need a file
> exit 5
> model-info: empty: is empty
> model-info: zeros: is not a recognised model format
> hint: quern model-convert --list-formats names them
> model-info: words.txt: 1:1: got "image", need the end of the text
>   image 0
>   ^
> model-info: cat.jpg: is a JPEG image, which can be a sample only
> model-info: some.zip: is a zip archive, which has to be unpacked first
> model-info: net.onnx.gz: is a gzip file, which has to be unpacked first
> model-info: cut.onnx: offset 34: field 7 is 40767 bytes long, only 1962 are left
> model-info: r.json: is JSON, which is not a model
> model-info: <stdin>: is a gzip file, which has to be unpacked first
> model-info: <stdin>: is empty
> model-info: net.onnx: --metadata and --tensor are for GGUF files
> exit 2
> model-info: net.onnx: --verify needs a native model or a context: only those carry digests of their weights
> exit 2
> model-info: encodings version "3" is not known
> hint: one of 0.6.1, 1.0.0, 2.0.0, ort, tensorrt, qnn
> exit 2
> quantize: r.json: is JSON, which is not a model
> model-diff: words.txt: 1:1: got "image", need the end of the text
>   image 0
>   ^
> run: net.qctx: No such file or directory
> exit 5

Samples.
$ . ./try <<'END'
+ run net.onnx
+ run net.onnx --input-list nosuch.txt
+ run net.onnx --input-list folder
+ run net.onnx --input-list empty
+ run net.onnx --input-list cat.jpg
+ run net.onnx --input-list net.onnx.gz
+ run net.onnx --input-list list.txt
+ run net.onnx --input-list words.txt
+ run net.onnx --input-list list.txt --random 1
+ run net.onnx --input picture=small.raw
+ run net.onnx --input small.raw
+ run net.onnx --input image=nosuch.raw
+ run net.onnx --input image=folder
+ run net.onnx --input image=empty
+ run net.onnx --input image=some.zip
+ run net.onnx --input image=small.raw
+ run net.onnx --input image=small.raw:u8[1,8,9]
+ run net.onnx --input "image=small.raw:u8(1,8,8)"
+ run net.onnx --input image=small.raw:u8[1,8,8
+ run net.onnx --input image=small.raw:uint[1,8,8]
+ run net.onnx --input image=small.raw:u8[1,8,8]/0
+ run net.onnx --input image=small.raw:u8[1,8,8]%255
+ run net.onnx --input image=small.raw:u8[1,8,8]@0,1
+ run net.onnx --input image=small.raw:u8[1,8,8] --rows 2
+ run net.onnx --input image=small.raw:u8[1,8,8] --skip-rows 1
+ END
> run: no samples
> hint: give --input-list, --input or --random
> exit 2
> run: nosuch.txt: No such file or directory
> exit 5
> run: folder: is a folder, need a file
> exit 5
> run: empty: has no samples
> run: cat.jpg: is a JPEG image, which can be a sample only
> run: net.onnx.gz: is a gzip file, which has to be unpacked first
> run: list.txt: line 1: some.zip: is a zip archive, which has to be unpacked first
> run: words.txt: line 1: image: No such file or directory
> exit 5
> run: give only one of --input-list, --input and --random
> exit 2
> run: the model has no input "picture"
> hint: its inputs: image (float32[batch,1,8,8])
> exit 2
> run: small.raw: got 64 bytes, which fit no float32[batch,1,8,8] of input "image"
> hint: an .npy file or rows (FILE:f32[1,3,224,224]) say their shape
> run: nosuch.raw: No such file or directory
> exit 5
> run: folder: is a folder without pictures
> run: empty: got 0 bytes, which fit no float32[batch,1,8,8] of input "image"
> hint: an .npy file or rows (FILE:f32[1,3,224,224]) say their shape
> run: some.zip: is a zip archive, which has to be unpacked first
> run: small.raw: got 64 bytes, which fit no float32[batch,1,8,8] of input "image"
> hint: an .npy file or rows (FILE:f32[1,3,224,224]) say their shape
> run: small.raw: got 64 bytes, need a multiple of 72 (rows of uint8[1,8,9])
> run: small.raw:u8(1,8,8): the dims of rows stand in square brackets
> exit 2
> run: "u8[1,8,8": ']' is missing
> exit 2
> run: small.raw:uint[1,8,8]: unknown element type "uint"
> exit 2
> run: "u8[1,8,8]/0": /0 gives no finite numbers
> exit 2
> run: "u8[1,8,8]%255": unknown step "%" (need one of * / + - @ ~)
> exit 2
> run: "u8[1,8,8]@0,1": @[0,1] does not fit rows of [1,8,8]
> exit 2
> run: --rows 2: only 1 samples are left after --skip-rows 0
> exit 2
> run: --skip-rows 1: there are only 1 samples
> exit 2
$ printf 'label\nseven\n' >text.csv; printf 'label\n77\n' >high.csv; cp cat.jpg cat.npy; cp net.onnx.gz gz.npz; cp cat.jpg cat.pb; cp cat.jpg cat.csv
$ . ./try <<'END'
+ run net.onnx --input image=cat.npy
+ run net.onnx --input image=gz.npz
+ run net.onnx --input image=cat.pb
+ run net.onnx --input image=cat.csv
+ run net.onnx --input image=small.raw:u8[1,8,8] --labels nosuch.csv
+ run net.onnx --input image=small.raw:u8[1,8,8] --labels empty
+ run net.onnx --input image=small.raw:u8[1,8,8] --labels text.csv
+ run net.onnx --input image=small.raw:u8[1,8,8] --labels high.csv
+ run net.onnx --input image=small.raw:u8[1,8,8] --labels high.csv:class
+ run net.onnx --input image=small.raw:u8[1,8,8] --labels cat.jpg
+ run net.onnx --input image=small.raw:u8[1,8,8] --labels net.onnx.gz
+ END
> run: cat.npy: a picture of 0x0 pixels
> run: gz.npz: is a gzip file, which has to be unpacked first
> run: cat.pb: a picture of 0x0 pixels
> run: cat.csv: a picture of 0x0 pixels
> run: nosuch.csv: No such file or directory
> exit 5
> run: empty: has no column "label"
> run: text.csv: line 2: label "seven" is not a class number
> run: high.csv: label 77 of sample 0 is not a class of an output with 10
> run: high.csv: has no column "class"
> run: cat.jpg: is a JPEG image, which can be a sample only
> run: net.onnx.gz: is a gzip file, which has to be unpacked first

Ranges, rules, encodings, placement, targets.
$ echo '{"kind": "rules", "version": 1, "op_types": {"Conv": "integer8"}}' >type.json; echo '{"kind": "rules", "version": 1, "op_types": {"conv": "i16-sym"}}' >case.json; echo '{"kind": "rules", "op_types": {"Conv": "i8"}}' >version.json; echo '{"kind": "rules", "version": 1, "node_types": {}}' >kind.json; echo '{"kind": "rules", "version": 1, "op_types": ["Conv"]}' >array.json
$ echo "{'device_placement': []}" >quotes.json; echo '{"device_placement": [{"device": "npu", "node_type": "onnx.Conv"}]}' >device.json; echo '{"name": "mine"}' >target.json; printf '{"device_placement": [],}' >comma.json
$ . ./try <<'END'
+ quantize net.onnx --ranges nosuch.json -o q.onnx
+ quantize net.onnx --ranges empty -o q.onnx
+ quantize net.onnx --ranges r.json.gz -o q.onnx
+ quantize net.onnx --ranges object.json -o q.onnx
+ quantize net.onnx --ranges words.txt -o q.onnx
+ quantize net.onnx --ranges type.json -o q.onnx
+ quantize net.onnx --ranges r.json --rules type.json -o q.onnx
+ quantize net.onnx --ranges r.json --rules case.json -o q.onnx
+ quantize net.onnx --ranges r.json --rules version.json -o q.onnx
+ quantize net.onnx --ranges r.json --rules kind.json -o q.onnx
+ quantize net.onnx --ranges r.json --rules array.json -o q.onnx
+ quantize net.onnx --ranges r.json --rules r.json -o q.onnx
+ quantize net.onnx --ranges r.json --overrides object.json -o q.onnx
+ quantize net.onnx --ranges r.json --overrides cat.jpg -o q.onnx
+ quantize $TEST_MODELS/relu_chain.onnx --ranges r.json -o q.onnx
+ minmax-collect merge r.json object.json -o all.json
+ place net.onnx --target cpu --load-placement quotes.json -o p.qn
+ place net.onnx --target cpu --load-placement device.json -o p.qn
+ place net.onnx --target cpu --load-placement comma.json -o p.qn
+ place net.onnx --target cpu --load-placement type.json -o p.qn
+ place net.onnx --target ./target.json -o p.qn
+ place net.onnx --target ./nosuch.json -o p.qn
+ place net.onnx --target ./cat.jpg -o p.qn
+ END
> quantize: nosuch.json: No such file or directory
> exit 5
> quantize: empty: not JSON: is empty
> quantize: r.json.gz: not JSON: is a gzip file, which has to be unpacked first
> quantize: object.json: "kind" is missing
> quantize: words.txt: not JSON: line 1, column 1
>   image 0
>   ^
> quantize: type.json: kind is "rules", need "ranges"
> quantize: type.json: op_types."Conv": unknown type "integer8"
> hint: one of i8, i8-sym, u8-asym, u8i8, w8a16, w4a16, w4a16-lpbq, w8u16, w4u16, w4u16-lpbq, w4a8, w16a16, i16-asym, i16-sym, dynamic-i8, dynamic-nnpa, wo-i8-sym, wo-i16-sym, wo-i8, wo-i16, wo-i4, wo-i2, wo-u8, wo-u4, wo-u2, f8-e4m3, f8-e5m2, wo-f8, f16, bf16
> quantize: net.onnx: rule op_types."conv" matches nothing (did you mean "Conv"?)
> hint: model-info lists names, scopes and operators; --allow-unmatched makes a notice of it
> quantize: version.json: "version" is missing
> quantize: kind.json: node_types: is not a kind of rule (did you mean "module_types"?)
> hint: kinds of rules: global, io, module_names, module_types, node_names, op_types, subgraphs
> quantize: array.json: op_types: is an array, need an object
> quantize: r.json: kind is "ranges", need "rules"
> quantize: object.json: holds no encodings: "encodings" or "activation_encodings" is missing
> quantize: cat.jpg: not JSON: is a JPEG image, which can be a sample only
> quantize: r.json: measured on another model (lineage 6015de39fe9870afc6c381e6eee62535, this one is 95b15b4de08ad8f4e0e4995b4ba2cb47)
> hint: --force takes them all the same
> minmax-collect: object.json: "kind" is missing
> place: quotes.json: not JSON: line 1, column 2
>   {'device_placement': []}
>    ^
> place: device.json: device_placement[0].device: target cpu has no device "npu" (did you mean "cpu"?)
> hint: it has cpu; "" leaves the choice to the tool
> place: comma.json: not JSON: line 1, column 25
>   {"device_placement": [],}
>                           ^
> place: type.json: "kind" is not a key of placement files
> hint: keys: device_placement, quantization, nnpa_ops_config, compile_options; a comment's key begins with _
> place: ./target.json: "kind" is missing
> place: ./nosuch.json: No such file or directory
> exit 5
> place: ./cat.jpg: not JSON: is a JPEG image, which can be a sample only
$ ls *.qn q.onnx all.json
! ls: cannot access '*.qn': No such file or directory
! ls: cannot access 'q.onnx': No such file or directory
! ls: cannot access 'all.json': No such file or directory
? 2
