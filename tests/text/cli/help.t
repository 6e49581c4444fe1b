What each tool says of itself.

$ model-convert --help
> usage: quern model-convert [OPTION ...] [MODEL]
> convert a model from any format to any other; fix shapes, simplify, cut
>
> Arguments:
>   MODEL                       model file of any format; - or nothing: standard input
>
> Options:
>       --signature NAME        the graph that this signature of a TFLite, Circle, .pt2 or SavedModel
>                               file names (default: the first)
>   -o, --output FILE           where the model goes (default: standard output, native format)
>   -f, --format FORMAT         format of the output (default: by the suffix of FILE)
>       --shape NAME=DIMS       fix the shape of an input: x=1,3,224,224; may repeat
>       --pin NAME=NUMBER       the input always has this value: sr=16000; what follows from it is
>                               folded; may repeat
>       --static-cache N        of a language model: caches of keys and values of N positions that
>                               each run writes into, in place of caches that grow
>       --extract FROM:TO       keep what computes values TO from values FROM (names, comma-separated;
>                               empty: the model's own)
>       --opset N               opset of an ONNX output (default: the lowest from 13 on that can
>                               express the model)
>       --form qdq|qoperator    how encodings are represented in an ONNX output (default: qdq)
>       --contrib               a language model in com.microsoft's operators in an ONNX output, with
>                               genai_config.json and tokenizer.json beside it
>       --external-data         put the weights of an ONNX or text output beside it, in FILE.data
>       --io float32|float|int8|uint8|int16
>                               how an ONNX, TFLite or Circle file stores inputs and outputs (default:
>                               as encoded, in ONNX as they are)
>       --input-type float32|float|int8|uint8|int16
>                               the same of inputs alone (default: as --io)
>       --output-type float32|float|int8|uint8|int16
>                               the same of outputs alone (default: as --io)
>       --strict                fail if the output's runtime has no kernel for an operator as it
>                               stands
>       --weights FILE          take the constants whose names it has from this safetensors file, or
>                               from the files of a .safetensors.index.json
>       --dump-weights FILE     the constants of the model as it was read, as a safetensors file
>       --dump-encodings FILE   the encodings of all values, weights in blocks among them
>       --encodings-version 0.6.1|1.0.0|2.0.0|ort|tensorrt|qnn
>                               AIMET's version of them, or the form of another tool (default: 2.0.0)
>       --allow-missing-encodings
>                               leave out what their form cannot say
>       --dry-run               write nothing: print what would be written, weights, operators and
>                               sizes, to the byte
>       --json                  print it as JSON
>       --verify                of a model that came from GGUF: read what was written, and compare
>                               every weight, decoded, bit for bit
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
>       --no-libraries          load no code of others: back ends, plugins, model libraries ...
>       --memory-limit SIZE     memory limit of a run, such as 512M or 8G (default: the machine's
>                               memory)
>       --time-limit SECONDS    end without a product after so many seconds (default: never)
>       --follow-links          files that a model names may be links that lead out of its folder
>   -v, --verbose               print more; may repeat
>   -q, --quiet                 print errors only
>   -h, --help                  print this help and exit
>       --version               print the version and exit; with -v the instruction set, libraries and
>                               formats, too
>
> Examples:
>   quern model-convert digits.onnx -o digits.qn
>   quern model-convert digits.qn --opset 17 -o digits17.onnx

$ minmax-collect --help
> usage: quern minmax-collect [OPTION ...] [MODEL] [FILES ...]
> measure the range of every value of a model over samples; merge FILES: put shards together
>
> Arguments:
>   MODEL                       model file of any format; - or nothing: standard input
>   FILES                       with "merge" as the model: ranges of shards of one model
>
> Options:
>       --signature NAME        the graph that this signature of a TFLite, Circle, .pt2 or SavedModel
>                               file names (default: the first)
>       --shape NAME=DIMS       fix the shape of an input: x=1,3,224,224; may repeat
>       --pin NAME=NUMBER       the input always has this value: sr=16000; what follows from it is
>                               folded; may repeat
>
> Samples:
>       --input-list FILE       one sample per line: paths in input order, or name:=path
>       --input NAME=FILE       a file (.npy, .npz, .pb, .csv, a picture, else raw) or a folder of
>                               pictures, FOLDER:resize=256,crop=224, or rows of a blob,
>                               FILE:u8[96,96,3]/255; - is a framed stream (quern-samples(7))
>       --random SEED           random samples: floats in [-1, 1), integers 0 or 1
>       --skip-rows N           leave out the first N samples (default: 0)
>       --rows N                use N samples (default: all; with --random: 1)
>       --native-io             headerless samples and written results are in each tensor's storage
>                               type
>       --minmax-bin FILE       instead of samples: what onert recorded of this Circle model on a
>                               device
>       --tokens FILE           instead of samples, of a language model: a text (- is standard input),
>                               in windows as run --perplexity reads them
>       --ctx N                 tokens of a window (default: 512, or what the model takes)
>       --chunks N              windows to read (default: all)
>
> Collecting:
>       --stateful              samples are a sequence: carry the state of recurrent operators and
>                               variables, and outputs to inputs of similar names
>       --state IN=OUT          feed output OUT back to input IN
>       --masks A,B             values in which minus infinity is intended, beside those made from
>                               constants that contain it
>       --per-channel           minimum, maximum and sum per channel, too
>       --no-histogram          minima and maxima only
>       --keep-runs             the extremes of each run of all samples, which moving-average and the
>                               percentiles of runs need of more than 1000
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
>                               onert records them (default: json)
>       --imatrix FILE          instead of ranges: an importance matrix, squares of what each weight
>                               of a GGUF model is multiplied by, for quantize
>       --embed                 write the model in native format with the ranges inside
>       --renumber              merge: samples of each file follow those of the files before
>
> Common options:
>       --op-package LIBRARY    load custom operators from a library; may repeat
>       --no-libraries          load no code of others: back ends, plugins, model libraries ...
>       --memory-limit SIZE     memory limit of a run, such as 512M or 8G (default: the machine's
>                               memory)
>       --time-limit SECONDS    end without a product after so many seconds (default: never)
>       --follow-links          files that a model names may be links that lead out of its folder
>   -v, --verbose               print more; may repeat
>   -q, --quiet                 print errors only
>   -h, --help                  print this help and exit
>       --version               print the version and exit; with -v the instruction set, libraries and
>                               formats, too
>
> Examples:
>   quern minmax-collect digits.onnx --input 'image=train.u8:u8[1,8,8]*0.0625-0' --rows 100 -o ranges.json
>   quern minmax-collect digits.onnx --input 'image=train.u8:u8[1,8,8]*0.0625-0' --skip-rows 100 --rows 100 -o more.json

$ quantize --help
> usage: quern quantize [OPTION ...] [MODEL]
> quantize a model: encodings from measured ranges, quantized weights, and a report with reasons
>
> Arguments:
>   MODEL                       model file of any format; - or nothing: standard input
>
> Options:
>       --signature NAME        the graph that this signature of a TFLite, Circle, .pt2 or SavedModel
>                               file names (default: the first)
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
> Types:
>       --type i8|i8-sym|u8-asym|u8i8|w8a16|w4a16|w4a16-lpbq|w8u16|w4u16|w4u16-lpbq|w4a8|w16a16|i16-asym|i16-sym|dynamic-i8|dynamic-nnpa|wo-i8-sym|wo-i16-sym|wo-i8|wo-i16|wo-i4|wo-i2|wo-u8|wo-u4|wo-u2|f8-e4m3|f8-e5m2|wo-f8|f16|bf16|uint8|int16|int8_wo|int16_wo|f32|q4_0|q4_1|q5_0|q5_1|q8_0|q2_k|q2_k_s|q3_k_s|q3_k_m|q3_k|q3_k_l|q4_k_s|q4_k_m|q4_k|q5_k_s|q5_k_m|q5_k|q6_k|iq4_nl|iq4_xs|tq1_0|tq2_0|mxfp4|int8|w8a8|int16x8|a16w8|u16i8|uint16x8|u16i4|fp16|float16|bfloat16|int4|dynamic|fp8|float8|float8_e4m3fn|float8e4m3fn|e4m3|float8_e5m2|float8e5m2|e5m2
>                               number formats (see --list-types; default: i8)
>       --target TARGET         take the type and the rules of this target's runtime: a name of place
>                               --list-targets, or a file
>       --runtime qnn           whose rules encodings follow (default: the target's, else by the
>                               output's format)
>       --act-bits N            bits of activations: 8 or 16 (default: as the type says)
>       --weight-bits N         bits of weights: 2, 4, 8 or 16 (default: as the type says)
>       --bias-bits N           bits of biases beside quantized products: 8, with a scale of its own,
>                               or 32 (default: 32)
>       --float-bits N          bits of constants that stay floats: 16 or 32 (default: 32)
>       --act-sym yes|no        symmetric activations? (default: of int16 yes, else no, or as the type
>                               says)
>       --weight-sym yes|no     symmetric weights? (default: as the type says)
>       --per-channel           a scale for each output channel of a weight (default: as the type
>                               says)
>       --per-row               a scale for each output channel of a weight of MatMul and Gemm, one
>                               for each other weight
>       --per-tensor            one scale for each weight
>       --block N               a scale for each N weights along the input channels (default: of types
>                               in blocks 32; for TFLite none)
>       --two-level             scales of blocks are 4-bit integers times a float scale of the channel
>                               (LPBQ)
>       --dynamic [=WORDS]      quantize inputs of products at run time, for IBM's NNPA:
>                               asymActivation or symActivation, symWeight or asymWeight,
>                               comma-separated (default: asymActivation,symWeight)
>       --op-types OP,...       operators that --dynamic quantizes: MatMul, Gemm (default: both)
>
> Quantization:
>       --method auto|min-max|moving-average|percentile|run-percentile|mse|sqnr|optimal|tf-enhanced|entropy
>                               how ranges are found (see --list-methods; default: auto)
>       --percentile P          share of values that --method percentile keeps, in percent (default:
>                               99.999); above 50 to 100
>       --run-percentile P      percentile of the runs' extremes for --method run-percentile (default:
>                               99); above 50 to 100
>       --full-integer          also quantize operators that lose much accuracy in eight bits
>       --min-sqnr DB           keep elementwise operators in float when their SQNR would fall below
>                               DB (default: 0, none); from 0 to 200
>       --overrides FILE        encodings to use as they are: a file of AIMET, QNN, onnxruntime or
>                               TensorRT (docs/encodings.md)
>
> Rules:
>       --rules FILE            rules for parts of the model, or a quantsim configuration of AIMET:
>                               quern-rules(7)
>       --set-global RULE       for what no other rule names: a type, none, or TYPE,KEY=VALUE,...
>       --set-io RULE           for inputs and outputs of the model
>       --set-module-name NAME=RULE
>                               for a module and everything in it: /encoder/layer.0=none; may repeat
>       --set-module-type TYPE=RULE
>                               for modules of this name without its index: layer=w8a16; may repeat
>       --set-node-name NAME=RULE
>                               for one node, or all that a pattern fits: /encoder/*/MatMul=none; may
>                               repeat
>       --set-subgraph FIRST..LAST=RULE
>                               for every node on a way from one node to another; may repeat
>       --set-op-type OP=RULE   for all nodes of an operator: Softmax=none; may repeat
>       --allow-unmatched       a rule that matches nothing, or an override of no value, is told, and
>                               no error
>
> Algorithms:
>       --algorithms A,B        what improves the model for its type, in the order in which it runs
>                               (see --list-algorithms)
>       --iterations N          of adaround, per layer (default: 1000)
>       --fit-rows N            rows of a layer's inputs that seqmse, adaround and gptq fit to and are
>                               judged by (default: 4096)
>       --alpha X               how much of outliers smoothquant moves from activations to weights
>                               (default: 0.5); from 0 to 1
>       --smooth-mul [=each]    smoothquant puts a Mul before products whose input nothing can take a
>                               factor from; each: before every product one of its own
>
> Reports:
>       --report FILE           a report: one page of HTML, or JSON if FILE ends in .json
>       --dump-encodings FILE   all encodings, for other tools and --overrides
>       --encodings-version 0.6.1|1.0.0|2.0.0|ort|tensorrt|qnn
>                               AIMET's version of them, or the form of another tool (default: 2.0.0)
>       --allow-missing-encodings
>                               leave out what their form cannot say
>       --explain NAME          print on standard error how the encoding of a value or node was chosen
>
> Output:
>       --opset N               opset of an ONNX output (default: the lowest from 13 on that can
>                               express the model)
>       --form qdq|qoperator    how encodings are represented in an ONNX output (default: qdq)
>       --external-data         put the weights of an ONNX or text output beside it, in FILE.data
>       --io float32|float|int8|uint8|int16
>                               how an ONNX, TFLite or Circle file stores inputs and outputs (default:
>                               as encoded, in ONNX as they are)
>       --input-type float32|float|int8|uint8|int16
>                               the same of inputs alone (default: as --io)
>       --output-type float32|float|int8|uint8|int16
>                               the same of outputs alone (default: as --io)
>       --threads N             threads to use (default: all processors of this process)
>       --dry-run               write nothing: print what would be written, types and sizes to the
>                               byte
>       --json                  print it as JSON
>
> Types of ggml:
>       --pure                  every matrix in the type itself, also the output
>       --tensor-type NAME=TYPE
>                               tensors with NAME in their name in this type, whatever --type says;
>                               may repeat, the first that fits counts
>       --imatrix FILE          an importance matrix: how much each column of a weight counts
>       --allow-missing-importance
>                               quantize tensors that the importance matrix does not have
>       --allow-fallback        take another type, and say so, where rows are not whole blocks
>       --allow-requantize      quantize what is quantized already, whatever --type says; the error
>                               that it adds is told
>
> Budgets:
>       --max-drop POINTS|N%    give units finer types until top-1 falls by at most POINTS percent
>                               points against the float model, or the metric by at most N % of the
>                               float model's; needs samples, and --labels or --metric; from 0 to 100
>       --min-output-sqnr DB    the same until each output, and its worst part, has DB decibel; needs
>                               samples; from -300 to 300
>       --min-agreement PERCENT
>                               the same until the greatest score is of the same class in PERCENT of
>                               the samples; needs samples; from 0 to 100
>       --metric COMMAND        the metric of the task: cosine, top-5, iou, iou-center, or a command
>                               for sh that finds the outputs in $QUERN_OUTPUTS and prints a number
>       --min-metric X          the same until the metric is at least X; needs samples; from -1000000
>                               to 1000000
>       --max-metric X          the same until the metric is at most X; needs samples; from -1000000
>                               to 1000000
>       --max-bytes N           give units coarser types until the constants take at most N bytes;
>                               needs samples
>       --max-macs-float PERCENT
>                               leave at most PERCENT of the multiply-accumulates to float numbers,
>                               whatever the other budgets want; needs samples; from 0 to 100
>       --labels FILE[:COLUMN]  classes of the samples: a CSV column (default: label), or next-token
>       --label-offset N        add N to each label (default: 0)
>       --score-output NAME     the output with the scores (default: the first)
>
> Verification:
>       --verify-with ort|litert|onert
>                               run what was written in this runtime, too, where it is installed for
>                               Python, and compare the outputs; needs samples (default: in none)
>       --verify-sqnr DB        exit with 1 if an output has less than DB decibel against that
>                               runtime's (default: none is wanted); from -300 to 300
>
> Samples:
>       --input-list FILE       one sample per line: paths in input order, or name:=path
>       --input NAME=FILE       a file (.npy, .npz, .pb, .csv, a picture, else raw) or a folder of
>                               pictures, FOLDER:resize=256,crop=224, or rows of a blob,
>                               FILE:u8[96,96,3]/255; - is a framed stream (quern-samples(7))
>       --random SEED           random samples: floats in [-1, 1), integers 0 or 1
>       --skip-rows N           leave out the first N samples (default: 0)
>       --rows N                use N samples (default: all; with --random: 1)
>       --native-io             headerless samples and written results are in each tensor's storage
>                               type
>
> Lists:
>       --list-algorithms       print the algorithms and exit
>       --list-types            print the types and exit
>       --list-methods          print the methods and exit
>
> Common options:
>       --op-package LIBRARY    load custom operators from a library; may repeat
>       --no-libraries          load no code of others: back ends, plugins, model libraries ...
>       --memory-limit SIZE     memory limit of a run, such as 512M or 8G (default: the machine's
>                               memory)
>       --time-limit SECONDS    end without a product after so many seconds (default: never)
>       --follow-links          files that a model names may be links that lead out of its folder
>   -v, --verbose               print more; may repeat
>   -q, --quiet                 print errors only
>   -h, --help                  print this help and exit
>       --version               print the version and exit; with -v the instruction set, libraries and
>                               formats, too
>
> Examples:
>   quern quantize digits.onnx --ranges ranges.json --type i8 --report report.html -o digits-i8.onnx
>   quern quantize digits.onnx --dynamic --op-types Gemm -o digits-dynamic.onnx

$ run --help
> usage: quern run [OPTION ...] [MODEL]
> run a model over samples: results, times, scores
>
> Arguments:
>   MODEL                       model file of any format; - or nothing: standard input
>
> Options:
>       --signature NAME        the graph that this signature of a TFLite, Circle, .pt2 or SavedModel
>                               file names (default: the first)
>       --shape NAME=DIMS       fix the shape of an input: x=1,3,224,224; may repeat
>       --pin NAME=NUMBER       the input always has this value: sr=16000; what follows from it is
>                               folded; may repeat
>
> Samples:
>       --input-list FILE       one sample per line: paths in input order, or name:=path
>       --input NAME=FILE       a file (.npy, .npz, .pb, .csv, a picture, else raw) or a folder of
>                               pictures, FOLDER:resize=256,crop=224, or rows of a blob,
>                               FILE:u8[96,96,3]/255; - is a framed stream (quern-samples(7))
>       --random SEED           random samples: floats in [-1, 1), integers 0 or 1
>       --skip-rows N           leave out the first N samples (default: 0)
>       --rows N                use N samples (default: all; with --random: 1)
>       --native-io             headerless samples and written results are in each tensor's storage
>                               type
>
> Running:
>       --mode float|fake|int|auto
>                               in float, in float with every value rounded to its encoding, or on
>                               quantized values; auto, the default: int if activations are encoded,
>                               else float
>       --arithmetic onnx|tflite|tflm|one|ggml|nnpa
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
>       --backend-options JSON  for back ends that are libraries: {"device": "npu1"}; of a context:
>                               beside those that it was made with
>       --fallback cpu          where nodes run that the back end of their device refuses (default:
>                               nowhere, that is an error)
>       --in-process            run outside back ends in this process: faster, but their crashes end
>                               it
>       --backend-timeout SECONDS
>                               the longest that a call of an outside back end may take; 0: no limit
>                               (default: 60)
>       --verify-backend        run each partition on ref, too: end with 1 where a value differs, with
>                               4 where a back end writes outside its outputs
>       --verify-model FILE     of a context: the model that it was made of, for --verify-backend
>       --verify-tolerance X    what float values may differ by, of the largest in their output
>                               (default: 0.001); from 0 to 1
>       --verify-steps N        what quantized values may differ by (default: 0)
>       --target TARGET         target whose devices name their back ends, as in quern-place(1)
>       --list-backends         print the back ends with their devices, and exit
>
> Results:
>   -o, --output-dir PATH       where results go: a folder, for npz and stream a file or -
>       --format raw|npy|npz|stream
>                               Result_<i>/<tensor>.raw or .npy, one .npz, or a framed stream
>       --labels FILE[:COLUMN]  score top-1 and top-5 against a CSV column of classes (default:
>                               label), or next-token
>       --label-offset N        add N to each label (default: 0)
>       --score-output NAME     the output with the scores (default: the first)
>       --metric COMMAND        the metric of the task: a command for sh that finds the outputs in
>                               $QUERN_OUTPUTS and prints a number
>
> Text:
>       --prompt TEXT           go on from this text, or from standard input (-), and write what
>                               follows as it comes
>       --prompt-tokens FILE    the same from ids, which are numbers in a text; - is standard input
>   -n, --predict N             tokens to write (default: until the model ends, or the context is
>                               full)
>       --ctx N                 positions of the caches, prompt included (default: as many as are
>                               needed); for --perplexity of a window (512)
>       --batch N               prompt tokens that are read at once (default: 512)
>       --chat NAME             put the prompt into a conversation in this form, or as the model's own
>                               template has it (auto)
>       --system TEXT           what a conversation begins with
>       --temp T                draw tokens, logits divided by T (default: 0, the most likely one);
>                               from 0 to 1000000
>       --top-k N               of the N most likely ones (default: 40; 0: all)
>       --top-p P               of those that have P of the probability (default: 0.95); from 0 to 1
>       --min-p P               of those with at least P of the greatest probability (default: 0.05);
>                               from 0 to 1
>       --seed N                of what is drawn (default: 0)
>       --echo                  write the prompt, too
>       --ignore-eos            go on behind tokens that end a text
>       --no-bos                begin with the prompt's own tokens only
>       --perplexity FILE       score how well the model foresees a text, in windows of --ctx tokens
>
> Report:
>       --num-runs N            run each sample N times
>       --warmup-runs N         run the first sample N times beforehand, not measured
>       --profile [=FILE.html]  time of each node; with a file, as a page: by operator, over a run, by
>                               node
>       --trace FILE.json       what ran when, as the trace events that Perfetto and Chrome show
>       --explain               which kernel runs each node, and why faster ones do not
>       --json                  report as JSON
>
> Common options:
>       --op-package LIBRARY    load custom operators from a library; may repeat
>       --no-libraries          load no code of others: back ends, plugins, model libraries ...
>       --memory-limit SIZE     memory limit of a run, such as 512M or 8G (default: the machine's
>                               memory)
>       --time-limit SECONDS    end without a product after so many seconds (default: never)
>       --follow-links          files that a model names may be links that lead out of its folder
>   -v, --verbose               print more; may repeat
>   -q, --quiet                 print errors only
>   -h, --help                  print this help and exit
>       --version               print the version and exit; with -v the instruction set, libraries and
>                               formats, too
>
> Examples:
>   quern run digits.onnx --input 'image=test.u8:u8[1,8,8]*0.0625-0' --labels test.labels
>   quern run digits.onnx --random 1 --num-runs 100 --warmup-runs 10 --profile

$ model-info --help
> usage: quern model-info [OPTION ...] [MODEL]
> show what is inside a model
>
> Arguments:
>   MODEL                       model file of any format; - or nothing: standard input
>
> Options:
>       --signature NAME        the graph that this signature of a TFLite, Circle, .pt2 or SavedModel
>                               file names (default: the first)
>       --json                  print JSON
>       --text                  print the graph in the text form, without the elements of large
>                               constants
>       --verify                compare weights with their digests (native models, contexts)
>
> Encodings:
>       --encodings [=FORMAT]   print the encodings as other tools read them (docs/encodings.md):
>                               0.6.1, 1.0.0, 2.0.0, ort, tensorrt, qnn (default: 1.0.0)
>   -o, --output FILE           the file for --encodings (default: standard output)
>       --allow-missing-encodings
>                               leave out what the format cannot say
>
> GGUF files:
>       --metadata KEY          print this value whole
>       --tensor NAME           print the numbers of this tensor, with statistics
>       --values N              how many of its numbers (default: 32)
>
> Common options:
>       --op-package LIBRARY    load custom operators from a library; may repeat
>       --no-libraries          load no code of others: back ends, plugins, model libraries ...
>       --memory-limit SIZE     memory limit of a run, such as 512M or 8G (default: the machine's
>                               memory)
>       --time-limit SECONDS    end without a product after so many seconds (default: never)
>       --follow-links          files that a model names may be links that lead out of its folder
>   -v, --verbose               print more; may repeat
>   -q, --quiet                 print errors only
>   -h, --help                  print this help and exit
>       --version               print the version and exit; with -v the instruction set, libraries and
>                               formats, too
>
> Examples:
>   quern model-info digits.onnx
>   quern model-info digits.onnx --json | grep parameters

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
>       --input NAME=FILE       a file (.npy, .npz, .pb, .csv, a picture, else raw) or a folder of
>                               pictures, FOLDER:resize=256,crop=224, or rows of a blob,
>                               FILE:u8[96,96,3]/255; - is a framed stream (quern-samples(7))
>       --random SEED           random samples: floats in [-1, 1), integers 0 or 1
>       --skip-rows N           leave out the first N samples (default: 0)
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
>       --stateful              carry state from sample to sample, as run does, each model its own
>       --state IN=OUT          feed an output of a sample to an input of the next, in both models;
>                               may repeat
>       --outputs-only          compare the outputs only
>       --weights               compare the tensors of two GGUF files, without running them
>       --encodings             compare the encodings of two models or files of encodings, without
>                               running them: exit with 1 if one differs
>       --kld FILE              compare what two language models foresee in a text (- is standard
>                               input), in windows of --ctx tokens: perplexities, Kullback-Leibler
>                               divergence
>       --ctx N                 tokens of a window (default: 512)
>       --threshold DB          exit with 1 if a value's signal-to-noise ratio is below DB decibel;
>                               from -300 to 300
>       --threads N             threads to use (default: all processors of this process)
>       --isa base|avx2|avx512  widest instruction set of float kernels (default: the machine's)
>       --json                  print JSON
>       --report FILE.html      write the comparison as a page, too: what differs, the worst first, by
>                               output and by value
>
> Common options:
>       --op-package LIBRARY    load custom operators from a library; may repeat
>       --no-libraries          load no code of others: back ends, plugins, model libraries ...
>       --memory-limit SIZE     memory limit of a run, such as 512M or 8G (default: the machine's
>                               memory)
>       --time-limit SECONDS    end without a product after so many seconds (default: never)
>       --follow-links          files that a model names may be links that lead out of its folder
>   -v, --verbose               print more; may repeat
>   -q, --quiet                 print errors only
>   -h, --help                  print this help and exit
>       --version               print the version and exit; with -v the instruction set, libraries and
>                               formats, too
>
> Examples:
>   quern model-diff digits.onnx simple.onnx --random 1 --threshold 60
>   quern model-diff --encodings digits.onnx simple.onnx

$ backend-test --help
> usage: quern backend-test [OPTION ...] [LIB]
> try a back end: every function, every operator that it takes, misuse, threads, memory
>
> Arguments:
>   LIB                         the library, or the name of a back end as in quern-run(1)
>
> Options:
>       --backend-options JSON  for the back end: {"device": "npu1"}
>
> What is tried:
>       --op NAME,NAME          graphs of these operators only (default: all public ones, and its own)
>       --draw PATTERN          draw an operator so: 'Conv: f[1,8,9,9] f[8,8,3,3]w'; may repeat
>       --cases N               graphs of each operator, in float and in int mode, beside large ones,
>                               at least one for each of its patterns (default: 4)
>       --seed N                other graphs and numbers (default: 1)
>       --target TARGET         compare what the library takes with what this target says of its
>                               devices, as in quern-place(1)
>       --skip CHECK,CHECK      leave these checks out
>       --list-checks           print the checks, and exit
>       --show GRAPH            print the graph that a line names, as text that run reads, and exit:
>                               'Relu float 0'
>
> Limits:
>       --verify-tolerance X    what float values may differ by, of the largest in their output
>                               (default: 0.001); from 0 to 1
>       --verify-steps N        what quantized values may differ by (default: 0)
>       --backend-timeout SECONDS
>                               the longest that a call may take; 0: no limit (default: 60)
>
> Report:
>       --json                  report as JSON
>
> Common options:
>       --op-package LIBRARY    load custom operators from a library; may repeat
>       --no-libraries          load no code of others: back ends, plugins, model libraries ...
>       --memory-limit SIZE     memory limit of a run, such as 512M or 8G (default: the machine's
>                               memory)
>       --time-limit SECONDS    end without a product after so many seconds (default: never)
>       --follow-links          files that a model names may be links that lead out of its folder
>   -v, --verbose               print more; may repeat
>   -q, --quiet                 print errors only
>   -h, --help                  print this help and exit
>       --version               print the version and exit; with -v the instruction set, libraries and
>                               formats, too
>
> Examples:
>   quern backend-test ./libquern_abc_back.so
>   quern backend-test ./libquern_abc_back.so --op Relu,Neg --skip memory --backend-timeout 600 --json

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
> fuse_channelnorm      recognise LayerNormalization over dims that are not the last, between Transposes
> drop_transpose_pairs  drop or join Transposes that follow each other, also across elementwise operators
> drop_neutral          drop x + 0, x * 1, a Reshape before another, a Gather of everything, empty operands of a Concat
> merge_common          keep equal constants and equal computations once
> drop_dead             drop nodes and constants that nothing reads
> move_layout           move to channels-last (NHWC) (not by default)
> move_layout_back      move to channels-first (NCHW) (not by default)
> make_gemm             rewrite products with constant matrices, and what is added to them, as Gemm (not by default)
> unpack_blocks         constants in blocks of ggml's formats become codes with scales and minima (not by default)
> decode_floats         constants that are stored as float16 or bfloat16, or in blocks of floats, become float32 (not by default)
> decode_weights        what products multiply by, in blocks of any of ggml's formats, becomes float32 (not by default)
> fuse_rotary           recognise RotaryEmbedding in its elementary operations (not by default)
> fuse_attention        recognise causal Attention over caches in its elementary operations (not by default)
> fold_fake_quant       spelled-out fake quantization becomes QuantizeLinear and DequantizeLinear (not by default)
> split_attention       com.microsoft.Attention becomes the product that projects its input and MultiHeadAttention (not by default)
> expand_attention      Attention of all kinds, caches too, becomes the products and the softmax that it computes (not by default)
> unroll_recurrent      LSTM, GRU and RNN of sequences of a known length become the products of each step (not by default)
> to_float32            compute in float32 what is float16 or bfloat16, inputs and outputs included (not by default)
> fuse_lpnorm           recognise LpNormalization as TensorFlow and TFLite have it in its elementary operations (not by default)

$ model-convert --list-formats
> native    .qn .quern              everything a model has, in one mapped file
> tflite    .tflite .lite           TFLite, schema version 3
> circle    .circle                 Circle 0.10, the format of ONE and onert
> tf        .pb                     TensorFlow: frozen graphs, and SavedModel folders (read only)
> onnx      .onnx                   ONNX, opsets 7 to 28
> gguf      .gguf                   GGUF, versions 2 and 3, the format of llama.cpp
> pt2       .pt2 .pt .pth           programs of torch.export, torch 2.5 to 2.15 (read only)
> library   .so                     a model library of codegen --plugin cpp --lib; reading it runs its code (read only)
> text      .mlir .txt              the text form: generic MLIR syntax, weights in hex

$ quantize --list-types
> i8            asymmetric int8 activations, symmetric int8 weights per channel
> i8-sym        symmetric int8 activations and weights
> u8-asym       asymmetric uint8 activations, asymmetric uint8 weights per channel (of products one scale), by ONE's rules (onert: uint8)
> u8i8          asymmetric uint8 activations, symmetric int8 weights per channel
> w8a16         symmetric int16 activations, symmetric int8 weights per channel
> w4a16         symmetric int16 activations, int4 weights in blocks of input channels where the shape allows
> w4a16-lpbq    like w4a16, scales of blocks as 4-bit integers times a scale of the channel (LPBQ)
> w8u16         asymmetric uint16 activations, symmetric int8 weights per channel (Qualcomm's HTP)
> w4u16         asymmetric uint16 activations, int4 weights in blocks of input channels where the shape allows
> w4u16-lpbq    like w4u16, scales of blocks as 4-bit integers times a scale of the channel (LPBQ)
> w4a8          asymmetric int8 activations, symmetric int4 weights per channel
> w16a16        symmetric int16 activations, symmetric int16 weights per channel
> i16-asym      asymmetric int16 activations, symmetric int8 weights per channel (ONNX)
> i16-sym       symmetric int16 activations and weights, by ONE's rules (onert: int16)
> dynamic-i8    int8 weights of MatMul, Gemm and LSTM, uint8 inputs whose range is found at run time
> dynamic-nnpa  int8 weights of MatMul and Gemm, int8 inputs whose range is found at run time, one scale each: IBM's NNPA (--dynamic)
> wo-i8-sym     int8 weights only, per channel, by ONE's rules (onert: int8_wo)
> wo-i16-sym    int16 weights only, per channel, by ONE's rules (onert: int16_wo)
> wo-i8         int8 weights only, in blocks of input channels where the shape allows
> wo-i16        int16 weights only, in blocks of input channels where the shape allows
> wo-i4         int4 weights only, in blocks of input channels where the shape allows
> wo-i2         int2 weights only, in blocks of input channels where the shape allows
> wo-u8         asymmetric uint8 weights only, in blocks of input channels where the shape allows
> wo-u4         asymmetric uint4 weights only, in blocks of input channels where the shape allows
> wo-u2         asymmetric uint2 weights only, in blocks of input channels where the shape allows
> f8-e4m3       float8 E4M3FN activations with one scale, float8 E4M3FN weights with a scale per channel
> f8-e5m2       float8 E5M2 activations with one scale, float8 E5M2 weights with a scale per channel
> wo-f8         float8 E4M3FN weights only, per channel
> f16           float16 weights only
> bf16          bfloat16 weights only
> f32           GGUF: F32, 32 bits a weight
> f16           GGUF: F16, 16 bits a weight
> bf16          GGUF: BF16, 16 bits a weight
> q4_0          GGUF: Q4_0, 4.5 bits a weight; more where it counts
> q4_1          GGUF: Q4_1, 5 bits a weight
> q5_0          GGUF: Q5_0, 5.5 bits a weight; more where it counts
> q5_1          GGUF: Q5_1, 6 bits a weight
> q8_0          GGUF: Q8_0, 8.5 bits a weight
> q2_k          GGUF: Q2_K, 2.625 bits a weight; more where it counts
> q2_k_s        GGUF: Q2_K, 2.625 bits a weight; more where it counts
> q3_k_s        GGUF: Q3_K, 3.4375 bits a weight
> q3_k_m        GGUF: Q3_K, 3.4375 bits a weight; more where it counts
> q3_k          GGUF: Q3_K, 3.4375 bits a weight; more where it counts
> q3_k_l        GGUF: Q3_K, 3.4375 bits a weight; more where it counts
> q4_k_s        GGUF: Q4_K, 4.5 bits a weight; more where it counts
> q4_k_m        GGUF: Q4_K, 4.5 bits a weight; more where it counts
> q4_k          GGUF: Q4_K, 4.5 bits a weight; more where it counts
> q5_k_s        GGUF: Q5_K, 5.5 bits a weight
> q5_k_m        GGUF: Q5_K, 5.5 bits a weight; more where it counts
> q5_k          GGUF: Q5_K, 5.5 bits a weight; more where it counts
> q6_k          GGUF: Q6_K, 6.5625 bits a weight
> iq4_nl        GGUF: IQ4_NL, 4.5 bits a weight; more where it counts
> iq4_xs        GGUF: IQ4_XS, 4.25 bits a weight; more where it counts
> tq1_0         GGUF: TQ1_0, 1.6875 bits a weight; more where it counts
> tq2_0         GGUF: TQ2_0, 2.0625 bits a weight; more where it counts
> mxfp4         GGUF: MXFP4, 4.25 bits a weight
> int8          the same as i8
> w8a8          the same as i8
> int16x8       the same as w8a16
> a16w8         the same as w8a16
> u16i8         the same as w8u16
> uint16x8      the same as w8u16
> u16i4         the same as w4u16
> fp16          the same as f16
> float16       the same as f16
> bfloat16      the same as bf16
> int4          the same as wo-i4
> dynamic       the same as dynamic-i8
> fp8           the same as f8-e4m3
> float8        the same as f8-e4m3
> float8_e4m3fn the same as f8-e4m3
> float8e4m3fn  the same as f8-e4m3
> e4m3          the same as f8-e4m3
> float8_e5m2   the same as f8-e5m2
> float8e5m2    the same as f8-e5m2
> e5m2          the same as f8-e5m2

$ quantize --list-methods
> auto            min-max, clipped where that halves the noise; twice as far on 16 bits
> min-max         the observed extremes
> moving-average  moving average of the extremes of each run, in list order
> percentile      all but a small share of the values
> run-percentile  percentiles of the extremes of the runs
> mse             least mean squared error
> sqnr            least noise, clipping weighted by 3
> optimal         least mean squared error of all windows, not of a few
> tf-enhanced     as AIMET's: 512 bins by the first run, errors at their midpoints
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
>       --package cmake|arduino|zephyr|cmsis-pack
>                               put what the generator c writes into a library for these, with a
>                               program that runs it and checks the outputs
>       --report FILE           sizes, stack and layers of what the generator c writes, as text; JSON
>                               if FILE ends in .json
>       --lib                   compile what the generator cpp writes into libNAME.so, which run and
>                               the other tools read
>       --cxx COMPILER          the compiler for --lib, with flags if need be; may be a cross compiler
>                               (default: c++)
>       --cache DIR             keep what the generator context compiles in a folder, so that only
>                               changed partitions are compiled again
>       --backend-options JSON  for back ends that are libraries, kept in the context of the generator
>                               context: {"device": "npu1"}
>       --isa base|avx2|avx512|aarch64
>                               instruction set of the machine that it is for, any of them (default:
>                               this machine's)
>       --shape NAME=DIMS       fix the shape of an input: x=1,3,224,224; may repeat
>       --pin NAME=NUMBER       the input always has this value: sr=16000; what follows from it is
>                               folded; may repeat
>
> Verification:
>       --verify-with ort|litert|onert
>                               run what was written in this runtime, too, where it is installed for
>                               Python, and compare the outputs; needs samples (default: in none)
>       --verify-sqnr DB        exit with 1 if an output has less than DB decibel against that
>                               runtime's (default: none is wanted); from -300 to 300
>
> Samples:
>       --input-list FILE       one sample per line: paths in input order, or name:=path
>       --input NAME=FILE       a file (.npy, .npz, .pb, .csv, a picture, else raw) or a folder of
>                               pictures, FOLDER:resize=256,crop=224, or rows of a blob,
>                               FILE:u8[96,96,3]/255; - is a framed stream (quern-samples(7))
>       --random SEED           random samples: floats in [-1, 1), integers 0 or 1
>       --skip-rows N           leave out the first N samples (default: 0)
>       --rows N                use N samples (default: all; with --random: 1)
>       --native-io             headerless samples and written results are in each tensor's storage
>                               type
>       --threads N             threads to use (default: all processors of this process)
>
> Lists:
>       --list-plugins          print the generators, what they take and their options, and exit
>
> Common options:
>       --op-package LIBRARY    load custom operators from a library; may repeat
>       --no-libraries          load no code of others: back ends, plugins, model libraries ...
>       --memory-limit SIZE     memory limit of a run, such as 512M or 8G (default: the machine's
>                               memory)
>       --time-limit SECONDS    end without a product after so many seconds (default: never)
>       --follow-links          files that a model names may be links that lead out of its folder
>   -v, --verbose               print more; may repeat
>   -q, --quiet                 print errors only
>   -h, --help                  print this help and exit
>       --version               print the version and exit; with -v the instruction set, libraries and
>                               formats, too
>
> Examples:
>   quern codegen digits.onnx -p c -o c_digits
>   quern codegen digits.onnx -p context -o digits.qctx

$ codegen --list-plugins
> context     a compiled context: what run starts at once, mapped; with -o NAME.onnx in an EPContext node
>             takes any model that run runs
>             --option mode=...: float, fake or int: what run computes (default: int if its activations are encoded, else float)
>             --option arithmetic=...: profile of integer runs: onnx, tflite, tflm, one, ggml or nnpa (default: what the model names, else onnx)
>             --option backend=...: NAME[;NAME]: every node goes to the first that runs it (default: the device where it is placed)
>             --option prefer=...: NAME[;NAME]: nodes without device go to the first that runs it, or to cpu (default: all to cpu)
>             --option backend-options=...: JSON for back ends that are libraries, now and wherever the context is loaded: {"device": "npu1"}
>             --option target=...: whose devices name their back ends
>             --option cache=...: folder that keeps what was compiled, so that only changed partitions are compiled again
>             --option isa=...: base, avx2, avx512 or aarch64: for another machine, which packs weights of float kernels itself (default: for this one)
>             --option graphs=...: NAME=FILE[;NAME=FILE]: more models for the same file, run by --graph NAME
>             --option name=...: of the model's own graph (default: main)
>             --option embed=...: yes: an .onnx output has the context inside, not beside it
> c           one .c and one .h file of C99 for microcontrollers: no malloc, a static arena or the caller's, bit-exact with run --mode int
>             takes float and quantized models (8 and 16 bits) with fixed shapes
>             --option name=...: prefix of the functions and name of the files (default: the model's file name)
>             --option mode=...: float or int (default: int if the model has codes)
>             --option arithmetic=...: onnx, tflite, tflm, one, ggml or nnpa: whose codes it gives (default: what the model names, else onnx)
>             --option package=...: a library for cmake, arduino, zephyr or cmsis-pack, with a program that checks it (default: the two files)
>             --option report=...: a file for sizes and layers: text, or JSON where it ends in .json
> cpp         C++ that builds the graph through a builder, its weights, and a JSON for Netron; --lib makes a library that run runs
>             takes any model
>             --option name=...: name of the files (default: the model's file name)
>             --option lib=...: compile into libNAME.so, too (the flag --lib)
>             --option cxx=...: the compiler, which may be a cross compiler (the flag --cxx; default: c++)
> tflite      a TensorFlow Lite file
>             takes any model that model-convert -f tflite writes
>             --option io=...: how inputs and outputs are stored: float32, int8, uint8 or int16 (default: as encoded)
>             --option input-type=...: how inputs are stored
>             --option output-type=...: how outputs are stored
>             --option strict=...: yes: what the format's runtime has no kernel for is an error (default: no)
> circle      a Circle file, the format of Samsung's ONE
>             takes any model that model-convert -f circle writes
>             --option io=...: how inputs and outputs are stored: float32, int8, uint8 or int16 (default: as encoded)
>             --option input-type=...: how inputs are stored
>             --option output-type=...: how outputs are stored
>             --option strict=...: yes: what the format's runtime has no kernel for is an error (default: no)
> vela        a TFLite file compiled for Arm's Ethos-U by Vela, which must be installed
>             takes any model that model-convert -f tflite writes; what is not int8 or int16 stays on the CPU
>             --option accelerator-config=...: as Vela's (default: ethos-u55-128)
>             --option system-config=...: as Vela's
>             --option memory-mode=...: as Vela's
>             --option config=...: Vela's configuration file
> qnn-context a context of Qualcomm's HTP, made by QNN itself: an ONNX model of one EPContext node, which onnxruntime loads
>             takes a model whose operators HTP runs, quantized by quantize --target htp or float
>             --option soc=...: the chip: SM8650, "Snapdragon 8 Gen 3", or QNN's number of it, 57; needed
>             --option arch=...: of the HTP: 68, 69, 73, 75, 79, 81 (default: the chip's)
>             --option vtcm=...: megabytes of fast memory that the graph may use (default: all)
>             --option optimize=...: how long QNN tries to find a faster graph: 0 to 3 (default: 0)
>             --option prepare=...: only: the graph is prepared, and not made ready to run here
>             --option with=...: other models, "," between them, whose contexts have the same binary, in which equal weights are once: NAME_ctx.onnx beside -o
>             --option embed=...: no: the binary lies beside the model, not in it (default: yes; of -o NAME.bin, which is the binary, no)
> dlc         containers (.dlc) for Qualcomm's tools, made by QNN itself: one for each partition that HTP runs
>             takes a model, quantized by quantize --target htp or float
>             --option soc=...: the chip: SM8650, "Snapdragon 8 Gen 3", or QNN's number of it, 57; needed
>             --option arch=...: of the HTP: 68, 69, 73, 75, 79, 81 (default: the chip's)
