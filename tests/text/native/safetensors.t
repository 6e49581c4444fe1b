Constants go into a safetensors file and come out of it by name.

$ model-convert $NETS/gemm_relu.mlir --dump-weights w.safetensors -o net.qn
$ model-info w.safetensors
> safetensors 2 tensors in 1 file
> parameters  6 (24 bytes)
> tensors     b                                            float32[2]
>             w                                            float32[2,2]
$ model-info --json - <w.safetensors
> {
>   "kind": "safetensors",
>   "metadata": {},
>   "parameters": 6,
>   "tensors": [
>     {
>       "bytes": 8,
>       "dtype": "float32",
>       "name": "b",
>       "shape": [
>         2
>       ]
>     },
>     {
>       "bytes": 16,
>       "dtype": "float32",
>       "name": "w",
>       "shape": [
>         2,
>         2
>       ]
>     }
>   ],
>   "weight_bytes": 24
> }
$ tail -c 24 w.safetensors | od -An -t f4 -w4
>             1.27
>             -0.5
>                0
>             2.54
>              0.5
>            -0.25
Other weights make another model: its digest is another one, and its results.
$ model-convert net.qn --passes none --dump-weights same.safetensors -o /dev/null -f native
$ cmp w.safetensors same.safetensors
$ { head -c -8 w.safetensors; head -c 8 /dev/zero; } >zero.safetensors
$ model-convert net.qn --weights zero.safetensors --passes none -o other.qn
$ model-convert other.qn --dump-weights other.safetensors -o /dev/null -f native
$ cmp zero.safetensors other.safetensors
$ [ "$(model-info net.qn | grep lineage)" = "$(model-info other.qn | grep lineage)" ] || echo another
> another
A tensor of another shape, or without a constant of its name, does not go in.
$ sed 's/"shape":\[2,2\]/"shape":[4]  /' w.safetensors >reshaped.safetensors
$ model-convert net.qn --weights reshaped.safetensors -o x.qn
! model-convert: reshaped.safetensors: tensor "w": got float32[4], need float32[2,2]
? 3
$ printf '\70\0\0\0\0\0\0\0{"z":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}   x' >z.safetensors
$ model-convert net.qn --weights z.safetensors -o x.qn
! model-convert: z.safetensors: none of its 1 tensors has the name of a constant of the model: the first is "z"
? 3
$ model-convert net.qn --weights missing.safetensors -o x.qn
! model-convert: missing.safetensors: No such file or directory
? 5
$ ls *.qn
> net.qn
> other.qn
Weights are not a model.
$ run w.safetensors
! run: w.safetensors: is safetensors, weights without a graph
! hint: model-convert MODEL --weights FILE takes them into a model
? 4
$ printf '\70\0\0\0\0\0\0\0{"z":' >cut.safetensors
$ model-info cut.safetensors
! model-info: cut.safetensors: a header of 56 bytes, but the file has 13
? 3
$ model-convert net.qn --dry-run --dump-weights w2.safetensors
! model-convert: --dry-run writes nothing, --dump-... do
? 2
