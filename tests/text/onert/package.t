nnpackages: a folder with metadata/MANIFEST, which names the model and its settings; products lie inside, named after it.
$ cp "$TEST_MODELS/relu_chain.mlir" net.mlir && mkdir -p pack/metadata && cp net.mlir pack/net.mlir && model-convert net.mlir -o pack/net.circle
+ echo '{"major-version": "1", "minor-version": "2", "patch-version": "0", "configs": ["config.cfg"], "models": ["net.circle"], "model-types": ["circle"]}' >pack/metadata/MANIFEST
+ printf 'BACKENDS=ref\nNUM_THREADS=1\nTRACING_MODE=1\n' >pack/metadata/config.cfg
$ onert_run pack -q uint8 --minmax_runs 2 -p 2>&1 | sed '/takes\|:  /d' && ls pack *.csv
> onert_run: config: TRACING_MODE has no effect
> onert_run: input "arg0" is float32[?,?,?]: open dims are taken as 1 (--shape_run sets others)
> onert_run: warning: ranges come from 2 runs on random inputs: the quantized model will not be accurate
> hint: quern minmax-collect and quern compile collect ranges on samples
> onert_run: 3 operators are written as asked, which onert has no kernel for: operator "0" (RELU): form is uint8; operator "1" (RELU): form is uint8; operator "2" (RELU): form is uint8
> Package Filename pack
> ===================================
> warning: ranges come from 2 runs on random inputs: the quantized model will not be accurate
> ===================================
> onert_run-pack-ref.csv
>
> pack:
> metadata
> net.circle
> net.mlir
> pack_quantized_q8.circle
$ onert_run pack -q int8_wo >/dev/null && ls pack
> metadata
> net.circle
> net.mlir
> pack_quantized_q8.circle
> pack_quantized_q8wo.circle
! onert_run: config: TRACING_MODE has no effect
! onert_run: input "arg0" is float32[?,?,?]: open dims are taken as 1 (--shape_run sets others)
