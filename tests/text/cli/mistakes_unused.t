Options that nothing would read are refused, as are products that would take the place of what was read.

$ cp $EXAMPLES/digits/digits.onnx net.onnx; minmax-collect net.onnx --random 1 --rows 4 -q -o r.json; python3 $NETS/../../gguf/random_model.py l.gguf; echo hello >text; cat >try <<'END'
+ # Each line is a command; what it says, and its exit code if it is not 2.
+ while read -r line; do
+     bash -c "$line" </dev/null 2>&1; code=$?
+     [ $code = 2 ] || echo "exit $code"
+ done
+ END

Without the option that they are for.
$ . ./try <<'END'
+ quantize net.onnx --ranges r.json --alpha 0.5 -o q.onnx
+ quantize net.onnx --ranges r.json --iterations 5 -o q.onnx
+ quantize net.onnx --ranges r.json --fit-rows 50 -o q.onnx
+ quantize net.onnx --ranges r.json --algorithms cle --fit_rows 50 -o q.onnx
+ quantize net.onnx --ranges r.json --percentile 99.9 -o q.onnx
+ quantize net.onnx --ranges r.json --method percentile --run-percentile 90 -o q.onnx
+ quantize net.onnx --ranges r.json --encodings-version 1.0.0 -o q.onnx
+ quantize net.onnx --ranges r.json --label-offset 1 -o q.onnx
+ quantize net.onnx --ranges r.json --rows 5 -o q.onnx
+ check net.onnx --types i8,i8 --ranges r.json --random 1
+ place net.onnx --target cpu --json
+ run l.gguf --temp 1 --random 1
+ run net.onnx --random 1 --verify-steps 1
+ run net.onnx --random 1 --label-offset 1
+ minmax-collect merge r.json --random 1
+ END
> quantize: --alpha is for --algorithms smoothquant
> quantize: --iterations is for --algorithms adaround
> quantize: --fit-rows is for --algorithms seqmse, adaround, gptq
> quantize: --fit-rows is for --algorithms seqmse, adaround, gptq
> quantize: --percentile is for --method percentile
> quantize: --run-percentile is for --method run-percentile
> quantize: --encodings-version is for --dump-encodings
> quantize: --label-offset is for --labels
> quantize: --rows is for samples
> check: type "i8" is named twice
> place: --json is for lists
> run: --temp is for --prompt and --prompt-tokens
> run: --verify-steps is for --verify-backend
> run: --label-offset is for --labels
> minmax-collect: --random is not for merge

Beside one that leaves them no work.
$ . ./try <<'END'
+ quantize l.gguf --type q4_k_m --ranges r.json -o q.gguf
+ quantize l.gguf --type q4_k_m --method mse -o q.gguf
+ quantize l.gguf --type q4_k_m --algorithms gptq -o q.gguf
+ quantize l.gguf --type q4_k_m --min-agreement 99 --random 1 -o q.gguf
+ model-diff l.gguf l.gguf --weights --random 1
+ model-diff l.gguf l.gguf --weights --outputs-only
+ run l.gguf --prompt hello --random 1
+ run l.gguf --prompt hello --labels text
+ run l.gguf --prompt hello --num-runs 5
+ run l.gguf --perplexity text --predict 5
+ END
> quantize: --ranges is not for types of ggml
> quantize: --method is not for types of ggml
> quantize: --algorithms is not for types of ggml
> quantize: --min-agreement is not for types of ggml
> model-diff: --random is not for --weights
> model-diff: --outputs-only is not for --weights
> run: --random is not for texts
> run: --labels is not for texts
> run: --num-runs is not for texts
> run: --predict is not for --perplexity

Products in place of the model.
$ ln net.onnx same; ln -s net.onnx link
$ . ./try <<'END'
+ minmax-collect net.onnx --random 1 -q -o net.onnx
+ minmax-collect net.onnx --random 1 -q -o link
+ minmax-collect l.gguf --tokens text --ctx 4 --imatrix l.gguf
+ place net.onnx --target cpu --save-placement same
+ quantize net.onnx --ranges r.json --dump-encodings net.onnx -o q.onnx
+ model-convert net.onnx --dump-weights net.onnx -o q.onnx
+ codegen net.onnx -p context -o net.onnx
+ END
> minmax-collect: net.onnx: the output is the model itself
> hint: --output says where the product goes
> minmax-collect: link: the output is the model itself
> hint: --output says where the product goes
> minmax-collect: l.gguf: the output is the model itself
> hint: --imatrix says where the product goes
> place: same: the output is the model itself
> hint: --save-placement says where the product goes
> quantize: net.onnx: the output is the model itself
> hint: --dump-encodings says where the product goes
> model-convert: net.onnx: the output is the model itself
> hint: --dump-weights says where the product goes
> codegen: net.onnx: the output is the model itself
> hint: --output says where the product goes
$ cmp net.onnx $EXAMPLES/digits/digits.onnx; ls
> l.gguf
> link
> net.onnx
> r.json
> same
> text
> try

A model in place is well meant, as are ranges.
$ model-convert net.onnx -o net.onnx && minmax-collect merge r.json -o r.json && minmax-collect net.onnx --random 1 -q --embed -o net.onnx
