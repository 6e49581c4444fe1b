Files under names that are not theirs, and arrays that are no samples: what they are is said.

$ cp $EXAMPLES/digits/digits.onnx net.onnx; minmax-collect net.onnx --random 1 --rows 4 -q -o r.json; codegen net.onnx -p context -o net.qctx -q; cat >try <<'END'
+ # Each line is a command; what it says, and its exit code if it is not 3.
+ while read -r line; do
+     bash -c "$line" </dev/null 2>&1; code=$?
+     [ $code = 3 ] || echo "exit $code"
+ done
+ END
$ for suffix in onnx tflite circle gguf qn; do cp r.json json.$suffix; echo hello >words.$suffix; done; echo '# net' >notes.pt2

Models.
$ . ./try <<'END'
+ model-info json.onnx
+ model-info words.onnx
+ model-info json.tflite
+ model-info words.circle
+ model-info words.gguf
+ model-info words.qn
+ model-info notes.pt2
+ model-convert net.onnx -o net.qctx
+ model-convert net.onnx -o net.safetensors
+ model-convert net.onnx -o net.h5
+ model-convert net.onnx --weights net.onnx -o q.qn
+ model-convert net.onnx --weights words.onnx -o q.qn
+ run net.qctx --graph nosuch --random 1
+ codegen net.onnx -p c --option colour=red -o out
+ quantize net.onnx --type q4_k --tensor-type a=q9 -o q.gguf
+ place net.onnx --target cpu --explain conv1_Con
+ END
> model-info: json.onnx: is JSON, which is not a model
> model-info: words.onnx: is text, which onnx files are not
> model-info: json.tflite: is JSON, which is not a model
> model-info: words.circle: is text, which circle files are not
> model-info: words.gguf: is text, which gguf files are not
> model-info: words.qn: is text, which native files are not
> model-info: notes.pt2: is text, which pt2 files are not
> model-convert: net.qctx: the suffix names no format
> hint: quern compile or codegen -p context makes contexts
> exit 2
> model-convert: net.safetensors: the suffix names no format
> hint: model-convert --dump-weights FILE writes the weights
> exit 2
> model-convert: net.h5: the suffix names no format
> hint: give -f FORMAT, or a name that ends in one of .qn .quern .tflite .lite .circle .onnx .gguf .mlir .txt
> exit 2
> model-convert: net.onnx: is not a safetensors file, which begins with the size of its header
> model-convert: words.onnx: 6 bytes, need 8 for the size of the header
> run: net.qctx: the context has no graph "nosuch"
> hint: its graphs: main
> exit 2
> codegen: generator c has no option "colour"
> hint: it has name, mode, arithmetic, package, report
> exit 2
> quantize: --tensor-type a=q9: there is no type "q9"
> hint: --list-types prints them
> exit 2
> place: input "image" is float32[batch,1,8,8]: taken with a batch of 1 (--shape sets others)
> place: there is no node "conv1_Con" (did you mean "conv1_Conv"?)
> exit 2

Samples.
$ python3 -c "
+ import struct
+ def npy(name, shape, descr, size):
+     h = (\"{'descr': '%s', 'fortran_order': False, 'shape': %s, }\" % (descr, shape)).encode()
+     h += b' ' * ((64 - (10 + len(h) + 1) % 64) % 64) + b'\n'
+     open(name + '.npy', 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(h)) + h + bytes(size))
+ npy('colours', (1, 3, 8, 8), '<f4', 768); npy('flat', (8, 8), '<f4', 256); npy('complex', (1, 1, 8, 8), '<c8', 512)
+ npy('words', (3,), '<U1', 12); npy('objects', (1, 1, 8, 8), '|O', 512)"
$ . ./try <<'END'
+ run net.onnx --input image=colours.npy
+ run net.onnx --input image=flat.npy
+ run net.onnx --input image=complex.npy
+ run net.onnx --input image=words.npy
+ run net.onnx --input image=objects.npy
+ run net.onnx --input image=net.onnx
+ run net.onnx --input image=r.json
+ END
> run: colours.npy: array is [1,3,8,8], need float32[batch,1,8,8]
> run: flat.npy: array is [8,8], need float32[batch,1,8,8]
> run: sample 0: complex.npy: elements are complex64, need float32
> run: words.npy: elements are of type "<U1", which is not read
> hint: numbers, true and false are: <f4, |u1, |b1 and the like
> exit 4
> run: objects.npy: elements are of type "|O", which is not read
> hint: numbers, true and false are: <f4, |u1, |b1 and the like
> exit 4
> run: net.onnx: got 40811 bytes, which fit no float32[batch,1,8,8] of input "image"
> hint: an .npy file or rows (FILE:f32[1,3,224,224]) say their shape
> run: r.json: got [...] bytes, which fit no float32[batch,1,8,8] of input "image"
> hint: an .npy file or rows (FILE:f32[1,3,224,224]) say their shape
