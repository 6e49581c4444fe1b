Help of a tool by the driver, as wide as the terminal, with examples; what a build reads and computes with.

$ quern help model-info | sed -n 1,2p
> usage: quern model-info [OPTION ...] [MODEL]
> show what is inside a model
$ quern help modle-info
! quern: unknown tool "modle-info" (did you mean "model-info"?)
! hint: quern --help lists the tools
? 2
$ quern help run place
! quern: help: unexpected argument "place"
! hint: quern help TOOL
? 2
$ quern model-info --help | sed -n '/^Examples/,$p'
> Examples:
>   quern model-info digits.onnx
>   quern model-info digits.onnx --json | grep parameters
$ for tool in $(quern completion words | grep -v '^-\|help\|completion'); do quern help $tool | sed -n '/^Examples/,$p' | grep -c "^  quern $tool "; done | sort | uniq -c | sed 's/^ *//'
> 11 2
$ for columns in 60 80 100 120; do COLUMNS=$columns run --help | sed '/^Examples/,$d' | awk -v most=$columns 'length > most { print FILENAME most ": " $0 }' | grep -v '^..*:  *-'; done
? 1
$ COLUMNS=72 model-info --help | sed -n '/--signature/,/--json/p'
>       --signature NAME        the graph that this signature of a TFLite,
>                               Circle, .pt2 or SavedModel file names
>                               (default: the first)
>       --json                  print JSON
$ COLUMNS=7 model-info --help | sed -n '/--signature/,/--json/p'
>       --signature NAME        the graph that this signature
>                               of a TFLite, Circle, .pt2 or
>                               SavedModel file names
>                               (default: the first)
>       --json                  print JSON
$ COLUMNS=wide model-info --help | cmp - <(model-info --help) && script -qec 'stty cols 72; unset COLUMNS; model-info --help' log </dev/null | tr -d '\r' | cmp - <(COLUMNS=72 model-info --help)
$ quern --version -v; run --version --isa base -v | sed -n 2p; quern -v --version | sed -n 1p
> quern 0.1.0
> isa           [...]
> oneDNN        [...].[...].[...]
> ONNX opsets   read up to 28, written from 7 to 28
> reads         native, tflite, circle, tf, onnx, gguf, pt2, library, text
> writes        native, tflite, circle, onnx, gguf, text
> isa           base (by --isa)
> quern 0.1.0

On a terminal a tool without arguments says how it is called, and does not wait.
$ script -qec 'model-info' log </dev/null | tr -d '\r' | sed -n 1,2p
> usage: quern model-info [OPTION ...] [MODEL]
> show what is inside a model
? 2
$ for tool in model-convert minmax-collect quantize check place codegen compile run model-diff backend-test; do script -qec $tool log </dev/null | sed -n 1p | tr -d '\r'; done
> usage: quern model-convert [OPTION ...] [MODEL]
> usage: quern minmax-collect [OPTION ...] [MODEL] [FILES ...]
> usage: quern quantize [OPTION ...] [MODEL]
> usage: quern check [OPTION ...] [MODEL] [QUANTIZED]
> usage: quern place [OPTION ...] [MODEL]
> usage: quern codegen [OPTION ...] [MODEL]
> usage: quern compile [OPTION ...] [MODEL] [MODELS ...]
> usage: quern run [OPTION ...] [MODEL]
> usage: quern model-diff [OPTION ...] [MODEL] [SECOND]
> usage: quern backend-test [OPTION ...] [LIB]
? 2

Completion is the shell's, the words are the tools'.
$ quern completion
! quern: completion: need the name of a shell, bash or zsh
! hint: source <(quern completion bash)
? 2
$ quern completion fish
! quern: completion: need the name of a shell, bash or zsh
! hint: source <(quern completion bash)
? 2
$ quern completion zsh | sed -n 1p
> #compdef quern
$ cat >complete.sh <<'END'
+ source <(quern completion bash)
+ words() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=(); _quern; echo "$*: ${COMPREPLY[*]}"; }
+ END
$ . ./complete.sh; complete -p quern; words quern ''; words quern mo; words quern help qu; words quern completion ''
> complete -o bashdefault -o default -F _quern quern
> quern : model-convert minmax-collect quantize check place codegen compile run model-info model-diff backend-test help completion --help --version
> quern mo: model-convert model-info model-diff
> quern help qu: quantize
> quern completion : bash zsh
$ . ./complete.sh; words quern model-info --; words quern run --iso; words quern run --isa ''; words quern run --isa a; words quern run --isa = av; words quern quantize --type i8
> quern model-info --: --signature --json --text --verify --encodings --output --allow-missing-encodings --metadata --tensor --values --op-package --no-libraries --memory-limit --time-limit --follow-links --verbose --quiet --help --version
> quern run --iso: 
> quern run --isa : base avx2 avx512
> quern run --isa a: avx2 avx512
> quern run --isa = av: avx2 avx512
> quern quantize --type i8: i8 i8-sym
$ . ./complete.sh; words quern model-info ''; words quern nothing --; words quern model-info --output ''
> quern model-info : 
> quern nothing --: 
> quern model-info --output : 
$ for tool in $(quern completion words | grep -v '^-\|help\|completion'); do diff <(quern completion words $tool | grep '^--' | sort) <($tool --help | sed '/^Examples/,$d' | grep -o '^  \(-., \|    \)--[a-z0-9_:-]*' | grep -o -- '--.*' | sort) || echo $tool; done
