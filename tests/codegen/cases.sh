#!/usr/bin/env bash
# The generated C of operators beside the reference, on ONNX's node cases of Debian's libonnx-testdata.
#
#     cases.sh BUILD
set -euo pipefail
data=/usr/share/libonnx-testdata/data/node
if [ ! -d $data ]; then
    echo "skipped: libonnx-testdata is not there"
    [ -z "${CI:-}" ] && exit 77 || exit 1
fi
cases=(arg{max,min}_{default_axis_example,keepdims_random,no_keepdims_random,negative_axis_keepdims_random,keepdims_example_select_last_index}
    top_k top_k_smallest top_k_negative_axis hardmax_axis_1 hardmax_one_hot cumsum_{1d_reverse_exclusive,2d_axis_0,2d_negative_axis}
    scatter_elements_with_{axis,negative_indices,duplicate_indices} scatternd scatternd_{add,multiply}
    resize_{upsample_scales_linear,upsample_scales_cubic,downsample_scales_linear,upsample_scales_linear_align_corners,downsample_sizes_cubic}
    resize_{upsample_sizes_cubic,downsample_scales_cubic_A_n0p5_exclude_outside,upsample_scales_nearest} instancenorm_example shrink_{hard,soft}
    castlike_DOUBLE_to_FLOAT reduce_l2_default_axes_keepdims_random reduce_log_sum reduce_max_bool_inputs softmax_axis_1 logsoftmax_axis_0
    gru_{defaults,with_initial_bias,seq_length,batchwise} lstm_{defaults,with_peepholes,batchwise} rnn_seq_length simple_rnn_{defaults,batchwise}
    convtranspose_{pads,dilations,2d} layer_normalization_2d_axis1 expand_dim_changed eyelike_with_dtype shape)
models=()
for name in "${cases[@]}"; do
    [ -e "$data/test_$name/model.onnx" ] && models+=("$data/test_$name/model.onnx")
done
[ ${#models[@]} -ge 45 ]
"$1/tests/generated" --cases "${models[@]}" | tee /dev/stderr | grep -q ' 0 refused, 0 failures'
