What each tool says of itself.

$ model-convert --help
> usage: quern model-convert [OPTION ...] [MODEL]
> convert a model from any format to any other; fix shapes, simplify, cut
>
> Arguments:
>   MODEL                       model file of any format; - or nothing: standard input
>
> Options:
>       --signature NAME        the graph that this signature of a TFLite or Circle file names
>                               (default: the first)
>   -o, --output FILE           where the model goes (default: standard output, native format)
>   -f, --format FORMAT         format of the output (default: by the suffix of FILE)
>       --shape NAME=DIMS       fix the shape of an input: x=1,3,224,224; may repeat
>       --pin NAME=NUMBER       the input always has this value: sr=16000; what follows from it is
>                               folded; may repeat
>       --extract FROM:TO       keep what computes values TO from values FROM (names, comma-separated;
>                               empty: the model's own)
>       --opset N               opset of an ONNX output (default: the lowest from 13 on that can
>                               express the model)
>       --form qdq|qoperator    how encodings are represented in an ONNX output
>       --external-data         put the weights of an ONNX or text output beside it, in FILE.data
>       --io float|int8|uint8|int16
>                               how a TFLite or Circle file stores inputs and outputs (default: as
>                               encoded)
>       --strict                fail if the output's runtime has no kernel for an operator as it
>                               stands
>
> Passes:
>       --passes A,B            run these passes in this order (default: the pipeline of
>                               --list-passes; none: no pass)
>       --skip A,B              leave these passes out
>       --dump-each FOLDER      write the graph as text after each pass that changed it
>       --verify-each           verify the graph after each pass
>
> Lists:
>       --list-passes           print the passes and exit
>       --list-ops              print the operators and exit
>       --list-formats          print the formats and exit
>
> Common options:
>       --op-package LIBRARY    load custom operators from a library; may repeat
>       --memory-limit SIZE     memory limit of a run, such as 512M or 8G (default: the machine's
>                               memory)
>   -v, --verbose               print more; may repeat
>   -q, --quiet                 print errors only
>   -h, --help                  print this help and exit
>       --version               print the version and exit

$ minmax-collect --help
> usage: quern minmax-collect [OPTION ...] [MODEL] [FILES ...]
> measure the range of every value of a model over samples; merge FILES: put shards together
>
> Arguments:
>   MODEL                       model file of any format; - or nothing: standard input
>   FILES                       with "merge" as the model: ranges of shards of one model
>
> Options:
>       --signature NAME        the graph that this signature of a TFLite or Circle file names
>                               (default: the first)
>       --shape NAME=DIMS       fix the shape of an input: x=1,3,224,224; may repeat
>       --pin NAME=NUMBER       the input always has this value: sr=16000; what follows from it is
>                               folded; may repeat
>
> Samples:
>       --input-list FILE       one sample per line: paths in input order, or name:=path
>       --input NAME=FILE       a file (.npy, .npz, .pb, .csv, else raw) or rows of a blob,
>                               FILE:u8[96,96,3]/255; - is a framed stream
>       --random SEED           random samples: floats in [-1, 1), integers 0 or 1
>       --skip-rows N           leave out the first N samples
>       --rows N                use N samples (default: all; with --random: 1)
>       --native-io             headerless samples and written results are in each tensor's storage
>                               type
>       --minmax-bin FILE       instead of samples: what onert recorded of this Circle model on a
>                               device
>
> Collecting:
>       --stateful              samples are a sequence: carry the state of recurrent operators and
>                               variables, and outputs to inputs of similar names
>       --state IN=OUT          feed output OUT back to input IN
>       --masks A,B             values in which minus infinity is intended, beside those made from
>                               constants that contain it
>       --per-channel           minimum and maximum per channel, too
>       --no-histogram          minima and maxima only
>       --until-converged       stop when no range grew by more than the tolerance in two windows of
>                               32 samples
>       --tolerance X           growth up to which a range counts as stable, as a fraction of its
>                               width (default: 0.01); from 0 to 1
>       --checkpoint FILE       save the state there periodically, and resume from it
>       --checkpoint-interval SECONDS
>                               time between checkpoints (default: 2); from 0 to 1000000
>       --threads N             threads to use (default: all processors of this process)
>       --isa base|avx2|avx512  widest instruction set of float kernels (default: the machine's)
>
> Output:
>   -o, --output FILE           where the ranges go (default: standard output)
>   -f, --format json|minmax-bin
>                               of the ranges; minmax-bin: extremes of each run of a Circle model, as
>                               onert records them
>       --embed                 write the model in native format with the ranges inside
>       --renumber              merge: samples of each file follow those of the files before
>
> Common options:
>       --op-package LIBRARY    load custom operators from a library; may repeat
>       --memory-limit SIZE     memory limit of a run, such as 512M or 8G (default: the machine's
>                               memory)
>   -v, --verbose               print more; may repeat
>   -q, --quiet                 print errors only
>   -h, --help                  print this help and exit
>       --version               print the version and exit

$ quantize --help
> usage: quern quantize [OPTION ...] [MODEL]
> quantize a model: encodings from measured ranges, quantized weights, and a report with reasons
>
> Arguments:
>   MODEL                       model file of any format; - or nothing: standard input
>
> Options:
>       --signature NAME        the graph that this signature of a TFLite or Circle file names
>                               (default: the first)
>       --shape NAME=DIMS       fix the shape of an input: x=1,3,224,224; may repeat
>       --pin NAME=NUMBER       the input always has this value: sr=16000; what follows from it is
>                               folded; may repeat
>   -o, --output FILE           where the model goes (default: standard output, native format)
>   -f, --format FORMAT         format of the output (default: by the suffix of FILE)
>       --ranges FILE           ranges that minmax-collect made (default: those embedded in the model)
>       --force                 accept ranges that were collected on another model
>       --strict                fail if any operator on float values stays float, or has no kernel in
>                               the output's runtime
>
> Quantization:
>       --type i8|i8-sym|u8-asym|u8i8|w8a16|i16-sym|dynamic-i8|wo-i8-sym|wo-i16-sym|wo-i4|f16|bf16|uint8|int16|int8_wo|int16_wo
>                               number formats (see --list-types)
>       --method auto|min-max|moving-average|percentile|run-percentile|mse|sqnr|entropy
>                               how ranges are found (see --list-methods)
>       --percentile P          share of values that --method percentile keeps, in percent (default:
>                               99.99); above 50 to 100
>       --run-percentile P      percentile of the runs' extremes for --method run-percentile (default:
>                               99); above 50 to 100
>       --per-tensor            one scale for each weight
>       --full-integer          also quantize operators that lose much accuracy in eight bits
>       --min-sqnr DB           keep elementwise operators in float when their SQNR would fall below
>                               DB; from 0 to 200
>       --block N               block size of wo-i4 (default: 32; for TFLite none)
>       --rules FILE            rules for parts of the model
>       --overrides FILE        encodings to use as they are, as AIMET writes them (versions 0.4.0 to
>                               2.0.0)
>
> Reports:
>       --report FILE           a report: one page of HTML, or JSON if FILE ends in .json
>       --dump-encodings FILE   all encodings as AIMET writes them
>       --encodings-version 0.6.1|1.0.0|2.0.0
>                               their version
>       --explain NAME          print on standard error how the encoding of a value or node was chosen
>
> Output:
>       --opset N               opset of an ONNX output (default: the lowest from 13 on that can
>                               express the model)
>       --form qdq|qoperator    how encodings are represented in an ONNX output
>       --external-data         put the weights of an ONNX or text output beside it, in FILE.data
>       --io float|int8|uint8|int16
>                               how a TFLite or Circle file stores inputs and outputs (default: as
>                               encoded)
>       --threads N             threads to use (default: all processors of this process)
>
> Lists:
>       --list-types            print the types and exit
>       --list-methods          print the methods and exit
>
> Common options:
>       --op-package LIBRARY    load custom operators from a library; may repeat
>       --memory-limit SIZE     memory limit of a run, such as 512M or 8G (default: the machine's
>                               memory)
>   -v, --verbose               print more; may repeat
>   -q, --quiet                 print errors only
>   -h, --help                  print this help and exit
>       --version               print the version and exit

$ run --help
> usage: quern run [OPTION ...] [MODEL]
> run a model over samples: results, times, scores
>
> Arguments:
>   MODEL                       model file of any format; - or nothing: standard input
>
> Options:
>       --signature NAME        the graph that this signature of a TFLite or Circle file names
>                               (default: the first)
>       --shape NAME=DIMS       fix the shape of an input: x=1,3,224,224; may repeat
>       --pin NAME=NUMBER       the input always has this value: sr=16000; what follows from it is
>                               folded; may repeat
>
> Samples:
>       --input-list FILE       one sample per line: paths in input order, or name:=path
>       --input NAME=FILE       a file (.npy, .npz, .pb, .csv, else raw) or rows of a blob,
>                               FILE:u8[96,96,3]/255; - is a framed stream
>       --random SEED           random samples: floats in [-1, 1), integers 0 or 1
>       --skip-rows N           leave out the first N samples
>       --rows N                use N samples (default: all; with --random: 1)
>       --native-io             headerless samples and written results are in each tensor's storage
>                               type
>
> Running:
>       --mode float|fake|int|auto
>                               in float, in float with every value rounded to its encoding, or on
>                               quantized values; auto, the default: int if activations are encoded,
>                               else float
>       --arithmetic onnx|tflite|tflm|one
>                               arithmetic profile of integer runs (default: what the model names,
>                               else onnx)
>       --reference             reference kernels only
>       --check-codes           integer runs: compute every step by its reference, too; end with 70 if
>                               a code differs
>       --strict                fail if an operator of an integer run has to compute in float
>       --stateful              carry state from sample to sample: recurrent operators, outputs and
>                               inputs of similar names
>       --state IN=OUT          feed output OUT back to input IN
>       --parallel              run samples in parallel, each on one thread
>       --threads N             threads to use (default: all processors of this process)
>       --isa base|avx2|avx512  widest instruction set of float kernels (default: the machine's)
>       --graph NAME            of a context: the graph to run (default: the first)
>
> Devices:
>       --backend NAME[;NAME]   run every node on the first of these back ends that can (default: on
>                               the device where it is placed)
>       --backend-options JSON  for back ends that are libraries: {"device": "npu1"}
>       --target TARGET         target whose devices name their back ends, as in quern-place(1)
>       --list-backends         print the back ends with their devices, and exit
>
> Results:
>   -o, --output-dir PATH       where results go: a folder, for npz and stream a file or -
>       --format raw|npy|npz|stream
>                               Result_<i>/<tensor>.raw or .npy, one .npz, or a framed stream
>       --labels FILE[:COLUMN]  score top-1 and top-5 against a CSV column of classes (default:
>                               label), or next-token
>       --label-offset N        add N to each label
>       --score-output NAME     the output with the scores (default: the first)
>
> Report:
>       --num-runs N            run each sample N times
>       --warmup-runs N         run the first sample N times beforehand, not measured
>       --profile               time of each node
>       --explain               which kernel runs each node, and why faster ones do not
>       --json                  report as JSON
>
> Common options:
>       --op-package LIBRARY    load custom operators from a library; may repeat
>       --memory-limit SIZE     memory limit of a run, such as 512M or 8G (default: the machine's
>                               memory)
>   -v, --verbose               print more; may repeat
>   -q, --quiet                 print errors only
>   -h, --help                  print this help and exit
>       --version               print the version and exit

$ model-info --help
> usage: quern model-info [OPTION ...] [MODEL]
> show what is inside a model
>
> Arguments:
>   MODEL                       model file of any format; - or nothing: standard input
>
> Options:
>       --signature NAME        the graph that this signature of a TFLite or Circle file names
>                               (default: the first)
>       --json                  print JSON
>       --text                  print the graph in the text form, without the elements of large
>                               constants
>       --verify                compare weights with their digests (native models, contexts)
>
> Common options:
>       --op-package LIBRARY    load custom operators from a library; may repeat
>       --memory-limit SIZE     memory limit of a run, such as 512M or 8G (default: the machine's
>                               memory)
>   -v, --verbose               print more; may repeat
>   -q, --quiet                 print errors only
>   -h, --help                  print this help and exit
>       --version               print the version and exit

$ model-diff --help
> usage: quern model-diff [OPTION ...] [MODEL] [SECOND]
> compare the values of two models on the same samples, or the results of two runs
>
> Arguments:
>   MODEL                       model file of any format; - or nothing: standard input
>   SECOND                      the model to compare with; or both are folders or .npz files that run
>                               wrote
>
> Options:
>       --shape NAME=DIMS       fix the shape of an input: x=1,3,224,224; may repeat
>       --pin NAME=NUMBER       the input always has this value: sr=16000; what follows from it is
>                               folded; may repeat
>
> Samples:
>       --input-list FILE       one sample per line: paths in input order, or name:=path
>       --input NAME=FILE       a file (.npy, .npz, .pb, .csv, else raw) or rows of a blob,
>                               FILE:u8[96,96,3]/255; - is a framed stream
>       --random SEED           random samples: floats in [-1, 1), integers 0 or 1
>       --skip-rows N           leave out the first N samples
>       --rows N                use N samples (default: all; with --random: 1)
>       --native-io             headerless samples and written results are in each tensor's storage
>                               type
>
> Comparing:
>       --first-mode auto|float|fake|int
>                               how the first model runs; auto: integer codes if its activations are
>                               encoded, else float
>       --second-mode auto|float|fake|int
>                               the same for the second
>       --outputs-only          compare the outputs only
>       --threshold DB          exit with 1 if a value's signal-to-noise ratio is below DB decibel;
>                               from -300 to 300
>       --threads N             threads to use (default: all processors of this process)
>       --isa base|avx2|avx512  widest instruction set of float kernels (default: the machine's)
>       --json                  print JSON
>
> Common options:
>       --op-package LIBRARY    load custom operators from a library; may repeat
>       --memory-limit SIZE     memory limit of a run, such as 512M or 8G (default: the machine's
>                               memory)
>   -v, --verbose               print more; may repeat
>   -q, --quiet                 print errors only
>   -h, --help                  print this help and exit
>       --version               print the version and exit

$ model-convert --list-passes
> drop_identity         drop nodes that do nothing: Identity, Dropout, no-op Cast, Reshape, Pad ...
> fold_qdq              QuantizeLinear, DequantizeLinear, QLinear products and dynamic chains become encodings of values
> fold_constants        compute what depends on constants and known shapes only
> inline_branches       put the branch that runs in the place of an If whose condition is known
> fuse_batchnorm        fold BatchNormalization into the Conv, ConvTranspose or Gemm before it
> fuse_lstm             recognise LSTM in loops over the elements of a sequence (not by default)
> fuse_gru              recognise GRU in loops over the elements of a sequence (not by default)
> fuse_gelu             recognise Gelu (erf and tanh forms) in its elementary operations
> fuse_layernorm        recognise LayerNormalization in its elementary operations
> fuse_rmsnorm          recognise RMSNormalization in its elementary operations
> drop_transpose_pairs  drop or join Transposes that follow each other, also across elementwise operators
> merge_common          keep equal constants and equal computations once
> drop_dead             drop nodes and constants that nothing reads
> move_layout           move to channels-last (NHWC) (not by default)
> move_layout_back      move to channels-first (NCHW) (not by default)
> make_gemm             rewrite products with constant matrices, and what is added to them, as Gemm (not by default)

$ model-convert --list-formats
> native    .qn .quern              everything a model has, in one mapped file
> tflite    .tflite .lite           TFLite, schema version 3
> circle    .circle                 Circle 0.10, the format of ONE and onert
> onnx      .onnx                   ONNX, opsets 7 to 28
> library   .so                     a model library of codegen --plugin cpp --lib; reading it runs its code (read only)
> text      .mlir .txt              the text form: generic MLIR syntax, weights in hex

$ quantize --list-types
> i8          asymmetric int8 activations, symmetric int8 weights per channel
> i8-sym      symmetric int8 activations and weights
> u8-asym     asymmetric uint8 activations, asymmetric uint8 weights per channel (of products one scale), by ONE's rules (onert: uint8)
> u8i8        asymmetric uint8 activations, symmetric int8 weights per channel
> w8a16       symmetric int16 activations, symmetric int8 weights per channel
> i16-sym     symmetric int16 activations and weights, by ONE's rules (onert: int16)
> dynamic-i8  int8 weights of MatMul and Gemm, uint8 inputs whose range is found at run time
> wo-i8-sym   int8 weights only, per channel, by ONE's rules (onert: int8_wo)
> wo-i16-sym  int16 weights only, per channel, by ONE's rules (onert: int16_wo)
> wo-i4       int4 weights only, in blocks of input channels where the shape allows
> f16         float16 weights only
> bf16        bfloat16 weights only

$ quantize --list-methods
> auto            min-max, clipped where that halves the noise; twice as far on 16 bits
> min-max         the observed extremes
> moving-average  moving average of the extremes of each run, in list order
> percentile      all but a small share of the values
> run-percentile  percentiles of the extremes of the runs
> mse             least mean squared error
> sqnr            least noise, clipping weighted by 3 (tf-enhanced)
> entropy         least Kullback-Leibler divergence

$ codegen --help
> usage: quern codegen [OPTION ...] [MODEL]
> turn a model into what a target compiles or loads
>
> Arguments:
>   MODEL                       model file of any format; - or nothing: standard input
>
> Options:
>   -p, --plugin NAME           the generator, one of --list-plugins, or the path of a plugin
>   -o, --output PATH           where the product goes: a file, or a folder where it is several
>                               (default: here; of a plugin: beside the model)
>       --preference default|speed|size
>                               what the product is optimized for
>       --option NAME=TEXT      an option of the generator; may repeat
>       --lib                   compile what the generator cpp writes into libNAME.so, which run and
>                               the other tools read
>       --cxx COMPILER          the compiler for --lib, with flags if need be; may be a cross compiler
>                               (default: c++)
>       --cache DIR             keep what the generator context compiles in a folder, so that only
>                               changed partitions are compiled again
>       --isa base|avx2|avx512  widest instruction set of float kernels (default: the machine's)
>       --shape NAME=DIMS       fix the shape of an input: x=1,3,224,224; may repeat
>       --pin NAME=NUMBER       the input always has this value: sr=16000; what follows from it is
>                               folded; may repeat
>       --list-plugins          print the generators, what they take and their options, and exit
>
> Common options:
>       --op-package LIBRARY    load custom operators from a library; may repeat
>       --memory-limit SIZE     memory limit of a run, such as 512M or 8G (default: the machine's
>                               memory)
>   -v, --verbose               print more; may repeat
>   -q, --quiet                 print errors only
>   -h, --help                  print this help and exit
>       --version               print the version and exit

$ codegen --list-plugins
> context   a compiled context: what run starts at once, mapped; with -o NAME.onnx in an EPContext node
>           takes any model that run runs
>           --option mode=...: float, fake or int: what run computes (default: int if its activations are encoded, else float)
>           --option backend=...: NAME[;NAME]: every node goes to the first that runs it (default: the device where it is placed)
>           --option target=...: whose devices name their back ends
>           --option cache=...: folder that keeps what was compiled, so that only changed partitions are compiled again
>           --option graphs=...: NAME=FILE[;NAME=FILE]: more models for the same file, run by --graph NAME
>           --option name=...: of the model's own graph (default: main)
>           --option embed=...: yes: an .onnx output has the context inside, not beside it
> c         one .c and one .h file of C99 for microcontrollers: no malloc, a static arena or the caller's, bit-exact with run --mode int
>           takes float and quantized models (8 and 16 bits) with fixed shapes
>           --option name=...: prefix of the functions and name of the files (default: the model's file name)
>           --option mode=...: float or int (default: int if the model has codes)
> cpp       C++ that builds the graph through a builder, its weights, and a JSON for Netron; --lib makes a library that run runs
>           takes any model
>           --option name=...: name of the files (default: the model's file name)
>           --option lib=...: compile into libNAME.so, too (the flag --lib)
>           --option cxx=...: the compiler, which may be a cross compiler (the flag --cxx; default: c++)
> tflite    a TensorFlow Lite file
>           takes any model that model-convert -f tflite writes
>           --option io=...: how inputs and outputs are stored: float, int8, uint8 or int16 (default: as encoded)
>           --option strict=...: yes: what the format's runtime has no kernel for is an error (default: no)
> circle    a Circle file, the format of Samsung's ONE
>           takes any model that model-convert -f circle writes
>           --option io=...: how inputs and outputs are stored: float, int8, uint8 or int16 (default: as encoded)
>           --option strict=...: yes: what the format's runtime has no kernel for is an error (default: no)
> vela      a TFLite file compiled for Arm's Ethos-U by Vela, which must be installed
>           takes any model that model-convert -f tflite writes; what is not int8 or int16 stays on the CPU
>           --option accelerator-config=...: as Vela's (default: ethos-u55-128)
>           --option system-config=...: as Vela's
>           --option memory-mode=...: as Vela's
>           --option config=...: Vela's configuration file
