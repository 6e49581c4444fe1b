Graphs of TensorFlow as their users meet them: y = -x, alone and as a SavedModel, whose folder is a model for every tool.

$ printf '\012\056\012\001x\022\013Placeholder\052\013\012\005dtype\022\002\060\001\052\017\012\005shape\022\006\072\004\022\002\010\002\012\013\012\001y\022\003Neg\032\001x' >graph.pb
$ mkdir saved
$ { printf '\010\001\022\210\001\012\007\042\005serve\022\075'; cat graph.pb; printf '\052\076\012\017serving_default\022\053\012\023\012\002in\022\015\012\003x:0\020\001\032\004\022\002\010\002\022\024\012\003out\022\015\012\003y:0\020\001\032\004\022\002\010\002'; } >saved/saved_model.pb

$ model-info graph.pb
> inputs      x  float32[2]
> outputs     y  float32[2]
> nodes       1
> operators   Neg                                  1
> parameters  0 (0 bytes)
> MACs        2
> lineage     828d421b8ab0449172c5ab460151127f
$ model-info saved
> inputs      in  float32[2]
> outputs     out  float32[2]
> nodes       1
> operators   Neg                                  1
> parameters  0 (0 bytes)
> MACs        2
> lineage     c9eb138ae022894b0ed9a01c3ef17770
$ model-info saved --signature serving_default | sed -n 1p
> inputs      in  float32[2]
$ model-info saved/saved_model.pb | sed -n 1p
> inputs      in  float32[2]
$ model-info - <saved/saved_model.pb | sed -n 1p
> inputs      in  float32[2]
$ model-convert saved -o net.qn; model-diff saved net.qn --random 2 | grep -c equal
> 2
$ run saved --random 1 -o out --format raw -q && ls out/*
> out.raw
$ codegen saved -p c -o made && ls made
> saved.c
> saved.h

$ model-info saved --signature other
! model-info: saved: --signature: the file has no "other"
! hint: it has serving_default
? 2
$ model-info graph.pb --signature other
! model-info: graph.pb: --signature: a graph without a SavedModel around it has none
? 2
$ model-convert net.qn -f tf -o other.pb
! model-convert: format tf is read only
? 4
$ mkdir empty; model-info empty
! model-info: empty: is a folder, need a file
? 5
$ : >empty/saved_model.cpb; model-info empty
! model-info: empty: is a SavedModel in several pieces or as text, need saved_model.pb
? 4
$ head -c 40 graph.pb >cut.pb; model-info cut.pb
! model-info: cut.pb: field 1 is 46 bytes long, only 38 are left
? 3
$ printf 'no graph' >text.pb; model-info text.pb
! model-info: text.pb: is text, which tf files are not
? 3
