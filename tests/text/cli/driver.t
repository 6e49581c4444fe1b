The driver lists its tools and finds them.

$ quern --version
> quern 0.1.0
$ quern
! usage: quern TOOL [OPTION ...] [MODEL]
! A toolchain that grinds trained networks down to what an NPU runs.
!
! Tools:
!   model-convert   convert, simplify and fuse models
!   minmax-collect  collect the ranges of activations over samples
!   quantize        quantize a model from its ranges
!   check           what a quantized model is worth, what costs it, and rules that mend it
!   place           decide which device runs which node
!   codegen         turn a model into what a target compiles or loads
!   compile         record ranges, quantize, generate code and run, in one command
!   run             run a model on samples; time, profile and score it
!   model-info      show what is inside a model
!   model-diff      compare two models or two runs
!   backend-test    try a back end before models run on it
!
! `quern help TOOL` describes a tool, `quern completion bash` completes its options; exit codes: 0 done, 1 the answer is no, 2 usage, 3 bad input, 4 unsupported, 5 I/O, 70 bug
? 2
$ quern modle-info
! quern: unknown tool "modle-info" (did you mean "model-info"?)
! hint: quern --help lists the tools
? 2
$ quern help | sed -n 1p
> usage: quern TOOL [OPTION ...] [MODEL]
