module attributes {quern.lineage = "b2c700a1615534bf2f92b25231b50351"} {
  func.func @llama(%input_ids: tensor<1x2xi64>, %attention_mask: tensor<1x5xi64>, %mask_out: tensor<1x1x2x5xi1>, %blk.0.attn_q_out: tensor<1x2x16xf32>, %blk.0.attn_k_out: tensor<1x2x8xf32>, %blk.0.attn_v_out: tensor<1x2x8xf32>, %cos_out: tensor<1x2x2xf32>, %sin_out: tensor<1x2x2xf32>, %past_key_values.0.key: tensor<1x2x3x4xf32>, %past_key_values.0.value: tensor<1x2x3x4xf32>) -> (tensor<1x2x16xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>) {
    %blk.0.attn_q_rope_axes = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_q_rope_axes_1 = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_q_rope_heads = "onnx.Constant"() {value = dense<[0, 0, 4, 4]> : tensor<4xi64>} : () -> tensor<4xi64>
    %blk.0.attn_q_rope_from = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_q_rope_to = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_q_rope_axis = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_q_rope_step = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_q_rope_from_1 = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_q_rope_to_1 = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_q_rope_axis_1 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_q_rope_step_1 = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_q_rope_last = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_q_rope_last_1 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_q_rope_pairs = "onnx.Constant"() {value = dense<[0, 0, 4, 4]> : tensor<4xi64>} : () -> tensor<4xi64>
    %blk.0.attn_q_rope_joined = "onnx.Constant"() {value = dense<[0, 0, 16]> : tensor<3xi64>} : () -> tensor<3xi64>
    %blk.0.attn_k_rope_axes = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_k_rope_axes_1 = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_k_rope_heads = "onnx.Constant"() {value = dense<[0, 0, 2, 4]> : tensor<4xi64>} : () -> tensor<4xi64>
    %blk.0.attn_k_rope_from = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_k_rope_to = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_k_rope_axis = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_k_rope_step = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_k_rope_from_1 = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_k_rope_to_1 = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_k_rope_axis_1 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_k_rope_step_1 = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_k_rope_last = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_k_rope_last_1 = "onnx.Constant"() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_k_rope_pairs = "onnx.Constant"() {value = dense<[0, 0, 2, 4]> : tensor<4xi64>} : () -> tensor<4xi64>
    %blk.0.attn_k_rope_joined = "onnx.Constant"() {value = dense<[0, 0, 8]> : tensor<3xi64>} : () -> tensor<3xi64>
    %blk.0.attn_query = "onnx.Constant"() {value = dense<[0, 0, 4, -1]> : tensor<4xi64>} : () -> tensor<4xi64>
    %blk.0.attn_key = "onnx.Constant"() {value = dense<[0, 0, 2, -1]> : tensor<4xi64>} : () -> tensor<4xi64>
    %blk.0.attn_value = "onnx.Constant"() {value = dense<[0, 0, 2, -1]> : tensor<4xi64>} : () -> tensor<4xi64>
    %blk.0.attn_number = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %blk.0.attn_grouped = "onnx.Constant"() {value = dense<[0, 2, -1, 0]> : tensor<4xi64>} : () -> tensor<4xi64>
    %blk.0.attn_apart = "onnx.Constant"() {value = dense<[0, 4, -1, 0]> : tensor<4xi64>} : () -> tensor<4xi64>
    %blk.0.attn_axis = "onnx.Constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
    %blk.0.attn_whole = "onnx.Constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
    %blk.0.attn_whole_1 = "onnx.Constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
    %blk.0.attn_axis_1 = "onnx.Constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
    %blk.0.attn_axes = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %blk.0.attn_number_1 = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %blk.0.attn_number_2 = "onnx.Constant"() {value = dense<-3.4028235e+38> : tensor<f32>} : () -> tensor<f32>
    %blk.0.attn_grouped_1 = "onnx.Constant"() {value = dense<[0, 2, -1, 0]> : tensor<4xi64>} : () -> tensor<4xi64>
    %blk.0.attn_heads = "onnx.Constant"() {value = dense<[0, 4, -1, 4]> : tensor<4xi64>} : () -> tensor<4xi64>
    %blk.0.attn_joined = "onnx.Constant"() {value = dense<[0, 0, 16]> : tensor<3xi64>} : () -> tensor<3xi64>
    %blk.0.attn_q_rope_Unsqueeze = "onnx.Unsqueeze"(%cos_out, %blk.0.attn_q_rope_axes) {onnx_node_name = "blk.0.attn_q_rope_Unsqueeze"} : (tensor<1x2x2xf32>, tensor<1xi64>) -> tensor<1x2x1x2xf32>
    %blk.0.attn_q_rope_Unsqueeze_1 = "onnx.Unsqueeze"(%sin_out, %blk.0.attn_q_rope_axes_1) {onnx_node_name = "blk.0.attn_q_rope_Unsqueeze_1"} : (tensor<1x2x2xf32>, tensor<1xi64>) -> tensor<1x2x1x2xf32>
    %blk.0.attn_q_rope_Reshape = "onnx.Reshape"(%blk.0.attn_q_out, %blk.0.attn_q_rope_heads) {onnx_node_name = "blk.0.attn_q_rope_Reshape"} : (tensor<1x2x16xf32>, tensor<4xi64>) -> tensor<1x2x4x4xf32>
    %blk.0.attn_q_rope_Slice = "onnx.Slice"(%blk.0.attn_q_rope_Reshape, %blk.0.attn_q_rope_from, %blk.0.attn_q_rope_to, %blk.0.attn_q_rope_axis, %blk.0.attn_q_rope_step) {onnx_node_name = "blk.0.attn_q_rope_Slice"} : (tensor<1x2x4x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x4x2xf32>
    %blk.0.attn_q_rope_Slice_1 = "onnx.Slice"(%blk.0.attn_q_rope_Reshape, %blk.0.attn_q_rope_from_1, %blk.0.attn_q_rope_to_1, %blk.0.attn_q_rope_axis_1, %blk.0.attn_q_rope_step_1) {onnx_node_name = "blk.0.attn_q_rope_Slice_1"} : (tensor<1x2x4x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x4x2xf32>
    %blk.0.attn_q_rope_Mul = "onnx.Mul"(%blk.0.attn_q_rope_Slice, %blk.0.attn_q_rope_Unsqueeze) {onnx_node_name = "blk.0.attn_q_rope_Mul"} : (tensor<1x2x4x2xf32>, tensor<1x2x1x2xf32>) -> tensor<1x2x4x2xf32>
    %blk.0.attn_q_rope_Mul_1 = "onnx.Mul"(%blk.0.attn_q_rope_Slice_1, %blk.0.attn_q_rope_Unsqueeze_1) {onnx_node_name = "blk.0.attn_q_rope_Mul_1"} : (tensor<1x2x4x2xf32>, tensor<1x2x1x2xf32>) -> tensor<1x2x4x2xf32>
    %blk.0.attn_q_rope_Sub = "onnx.Sub"(%blk.0.attn_q_rope_Mul, %blk.0.attn_q_rope_Mul_1) {onnx_node_name = "blk.0.attn_q_rope_Sub"} : (tensor<1x2x4x2xf32>, tensor<1x2x4x2xf32>) -> tensor<1x2x4x2xf32>
    %blk.0.attn_q_rope_Mul_2 = "onnx.Mul"(%blk.0.attn_q_rope_Slice, %blk.0.attn_q_rope_Unsqueeze_1) {onnx_node_name = "blk.0.attn_q_rope_Mul_2"} : (tensor<1x2x4x2xf32>, tensor<1x2x1x2xf32>) -> tensor<1x2x4x2xf32>
    %blk.0.attn_q_rope_Mul_3 = "onnx.Mul"(%blk.0.attn_q_rope_Slice_1, %blk.0.attn_q_rope_Unsqueeze) {onnx_node_name = "blk.0.attn_q_rope_Mul_3"} : (tensor<1x2x4x2xf32>, tensor<1x2x1x2xf32>) -> tensor<1x2x4x2xf32>
    %blk.0.attn_q_rope_Add = "onnx.Add"(%blk.0.attn_q_rope_Mul_2, %blk.0.attn_q_rope_Mul_3) {onnx_node_name = "blk.0.attn_q_rope_Add"} : (tensor<1x2x4x2xf32>, tensor<1x2x4x2xf32>) -> tensor<1x2x4x2xf32>
    %blk.0.attn_q_rope_Unsqueeze_2 = "onnx.Unsqueeze"(%blk.0.attn_q_rope_Sub, %blk.0.attn_q_rope_last) {onnx_node_name = "blk.0.attn_q_rope_Unsqueeze_2"} : (tensor<1x2x4x2xf32>, tensor<1xi64>) -> tensor<1x2x4x2x1xf32>
    %blk.0.attn_q_rope_Unsqueeze_3 = "onnx.Unsqueeze"(%blk.0.attn_q_rope_Add, %blk.0.attn_q_rope_last_1) {onnx_node_name = "blk.0.attn_q_rope_Unsqueeze_3"} : (tensor<1x2x4x2xf32>, tensor<1xi64>) -> tensor<1x2x4x2x1xf32>
    %blk.0.attn_q_rope_Concat = "onnx.Concat"(%blk.0.attn_q_rope_Unsqueeze_2, %blk.0.attn_q_rope_Unsqueeze_3) {axis = -1 : si64, onnx_node_name = "blk.0.attn_q_rope_Concat"} : (tensor<1x2x4x2x1xf32>, tensor<1x2x4x2x1xf32>) -> tensor<1x2x4x2x2xf32>
    %blk.0.attn_q_rope_Reshape_1 = "onnx.Reshape"(%blk.0.attn_q_rope_Concat, %blk.0.attn_q_rope_pairs) {onnx_node_name = "blk.0.attn_q_rope_Reshape_1"} : (tensor<1x2x4x2x2xf32>, tensor<4xi64>) -> tensor<1x2x4x4xf32>
    %blk.0.attn_q_rope_out = "onnx.Reshape"(%blk.0.attn_q_rope_Reshape_1, %blk.0.attn_q_rope_joined) {onnx_node_name = "blk.0.attn_q_rope"} : (tensor<1x2x4x4xf32>, tensor<3xi64>) -> tensor<1x2x16xf32>
    %blk.0.attn_k_rope_Unsqueeze = "onnx.Unsqueeze"(%cos_out, %blk.0.attn_k_rope_axes) {onnx_node_name = "blk.0.attn_k_rope_Unsqueeze"} : (tensor<1x2x2xf32>, tensor<1xi64>) -> tensor<1x2x1x2xf32>
    %blk.0.attn_k_rope_Unsqueeze_1 = "onnx.Unsqueeze"(%sin_out, %blk.0.attn_k_rope_axes_1) {onnx_node_name = "blk.0.attn_k_rope_Unsqueeze_1"} : (tensor<1x2x2xf32>, tensor<1xi64>) -> tensor<1x2x1x2xf32>
    %blk.0.attn_k_rope_Reshape = "onnx.Reshape"(%blk.0.attn_k_out, %blk.0.attn_k_rope_heads) {onnx_node_name = "blk.0.attn_k_rope_Reshape"} : (tensor<1x2x8xf32>, tensor<4xi64>) -> tensor<1x2x2x4xf32>
    %blk.0.attn_k_rope_Slice = "onnx.Slice"(%blk.0.attn_k_rope_Reshape, %blk.0.attn_k_rope_from, %blk.0.attn_k_rope_to, %blk.0.attn_k_rope_axis, %blk.0.attn_k_rope_step) {onnx_node_name = "blk.0.attn_k_rope_Slice"} : (tensor<1x2x2x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x2x2xf32>
    %blk.0.attn_k_rope_Slice_1 = "onnx.Slice"(%blk.0.attn_k_rope_Reshape, %blk.0.attn_k_rope_from_1, %blk.0.attn_k_rope_to_1, %blk.0.attn_k_rope_axis_1, %blk.0.attn_k_rope_step_1) {onnx_node_name = "blk.0.attn_k_rope_Slice_1"} : (tensor<1x2x2x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x2x2xf32>
    %blk.0.attn_k_rope_Mul = "onnx.Mul"(%blk.0.attn_k_rope_Slice, %blk.0.attn_k_rope_Unsqueeze) {onnx_node_name = "blk.0.attn_k_rope_Mul"} : (tensor<1x2x2x2xf32>, tensor<1x2x1x2xf32>) -> tensor<1x2x2x2xf32>
    %blk.0.attn_k_rope_Mul_1 = "onnx.Mul"(%blk.0.attn_k_rope_Slice_1, %blk.0.attn_k_rope_Unsqueeze_1) {onnx_node_name = "blk.0.attn_k_rope_Mul_1"} : (tensor<1x2x2x2xf32>, tensor<1x2x1x2xf32>) -> tensor<1x2x2x2xf32>
    %blk.0.attn_k_rope_Sub = "onnx.Sub"(%blk.0.attn_k_rope_Mul, %blk.0.attn_k_rope_Mul_1) {onnx_node_name = "blk.0.attn_k_rope_Sub"} : (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
    %blk.0.attn_k_rope_Mul_2 = "onnx.Mul"(%blk.0.attn_k_rope_Slice, %blk.0.attn_k_rope_Unsqueeze_1) {onnx_node_name = "blk.0.attn_k_rope_Mul_2"} : (tensor<1x2x2x2xf32>, tensor<1x2x1x2xf32>) -> tensor<1x2x2x2xf32>
    %blk.0.attn_k_rope_Mul_3 = "onnx.Mul"(%blk.0.attn_k_rope_Slice_1, %blk.0.attn_k_rope_Unsqueeze) {onnx_node_name = "blk.0.attn_k_rope_Mul_3"} : (tensor<1x2x2x2xf32>, tensor<1x2x1x2xf32>) -> tensor<1x2x2x2xf32>
    %blk.0.attn_k_rope_Add = "onnx.Add"(%blk.0.attn_k_rope_Mul_2, %blk.0.attn_k_rope_Mul_3) {onnx_node_name = "blk.0.attn_k_rope_Add"} : (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
    %blk.0.attn_k_rope_Unsqueeze_2 = "onnx.Unsqueeze"(%blk.0.attn_k_rope_Sub, %blk.0.attn_k_rope_last) {onnx_node_name = "blk.0.attn_k_rope_Unsqueeze_2"} : (tensor<1x2x2x2xf32>, tensor<1xi64>) -> tensor<1x2x2x2x1xf32>
    %blk.0.attn_k_rope_Unsqueeze_3 = "onnx.Unsqueeze"(%blk.0.attn_k_rope_Add, %blk.0.attn_k_rope_last_1) {onnx_node_name = "blk.0.attn_k_rope_Unsqueeze_3"} : (tensor<1x2x2x2xf32>, tensor<1xi64>) -> tensor<1x2x2x2x1xf32>
    %blk.0.attn_k_rope_Concat = "onnx.Concat"(%blk.0.attn_k_rope_Unsqueeze_2, %blk.0.attn_k_rope_Unsqueeze_3) {axis = -1 : si64, onnx_node_name = "blk.0.attn_k_rope_Concat"} : (tensor<1x2x2x2x1xf32>, tensor<1x2x2x2x1xf32>) -> tensor<1x2x2x2x2xf32>
    %blk.0.attn_k_rope_Reshape_1 = "onnx.Reshape"(%blk.0.attn_k_rope_Concat, %blk.0.attn_k_rope_pairs) {onnx_node_name = "blk.0.attn_k_rope_Reshape_1"} : (tensor<1x2x2x2x2xf32>, tensor<4xi64>) -> tensor<1x2x2x4xf32>
    %blk.0.attn_k_rope_out = "onnx.Reshape"(%blk.0.attn_k_rope_Reshape_1, %blk.0.attn_k_rope_joined) {onnx_node_name = "blk.0.attn_k_rope"} : (tensor<1x2x2x4xf32>, tensor<3xi64>) -> tensor<1x2x8xf32>
    %blk.0.attn_Reshape = "onnx.Reshape"(%blk.0.attn_q_rope_out, %blk.0.attn_query) {onnx_node_name = "blk.0.attn_Reshape"} : (tensor<1x2x16xf32>, tensor<4xi64>) -> tensor<1x2x4x4xf32>
    %blk.0.attn_Transpose = "onnx.Transpose"(%blk.0.attn_Reshape) {onnx_node_name = "blk.0.attn_Transpose", perm = [0, 2, 1, 3]} : (tensor<1x2x4x4xf32>) -> tensor<1x4x2x4xf32>
    %blk.0.attn_Reshape_1 = "onnx.Reshape"(%blk.0.attn_k_rope_out, %blk.0.attn_key) {onnx_node_name = "blk.0.attn_Reshape_1"} : (tensor<1x2x8xf32>, tensor<4xi64>) -> tensor<1x2x2x4xf32>
    %blk.0.attn_Transpose_1 = "onnx.Transpose"(%blk.0.attn_Reshape_1) {onnx_node_name = "blk.0.attn_Transpose_1", perm = [0, 2, 1, 3]} : (tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
    %present.0.key = "onnx.Concat"(%past_key_values.0.key, %blk.0.attn_Transpose_1) {axis = 2 : si64, onnx_node_name = "blk.0.attn_Concat"} : (tensor<1x2x3x4xf32>, tensor<1x2x2x4xf32>) -> tensor<1x2x5x4xf32>
    %blk.0.attn_Reshape_2 = "onnx.Reshape"(%blk.0.attn_v_out, %blk.0.attn_value) {onnx_node_name = "blk.0.attn_Reshape_2"} : (tensor<1x2x8xf32>, tensor<4xi64>) -> tensor<1x2x2x4xf32>
    %blk.0.attn_Transpose_2 = "onnx.Transpose"(%blk.0.attn_Reshape_2) {onnx_node_name = "blk.0.attn_Transpose_2", perm = [0, 2, 1, 3]} : (tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
    %present.0.value = "onnx.Concat"(%past_key_values.0.value, %blk.0.attn_Transpose_2) {axis = 2 : si64, onnx_node_name = "blk.0.attn_Concat_1"} : (tensor<1x2x3x4xf32>, tensor<1x2x2x4xf32>) -> tensor<1x2x5x4xf32>
    %blk.0.attn_Mul = "onnx.Mul"(%blk.0.attn_Transpose, %blk.0.attn_number) {onnx_node_name = "blk.0.attn_Mul"} : (tensor<1x4x2x4xf32>, tensor<f32>) -> tensor<1x4x2x4xf32>
    %blk.0.attn_Transpose_3 = "onnx.Transpose"(%present.0.key) {onnx_node_name = "blk.0.attn_Transpose_3", perm = [0, 1, 3, 2]} : (tensor<1x2x5x4xf32>) -> tensor<1x2x4x5xf32>
    %blk.0.attn_Reshape_3 = "onnx.Reshape"(%blk.0.attn_Mul, %blk.0.attn_grouped) {onnx_node_name = "blk.0.attn_Reshape_3"} : (tensor<1x4x2x4xf32>, tensor<4xi64>) -> tensor<1x2x4x4xf32>
    %blk.0.attn_MatMul = "onnx.MatMul"(%blk.0.attn_Reshape_3, %blk.0.attn_Transpose_3) {onnx_node_name = "blk.0.attn_MatMul"} : (tensor<1x2x4x4xf32>, tensor<1x2x4x5xf32>) -> tensor<1x2x4x5xf32>
    %blk.0.attn_Reshape_4 = "onnx.Reshape"(%blk.0.attn_MatMul, %blk.0.attn_apart) {onnx_node_name = "blk.0.attn_Reshape_4"} : (tensor<1x2x4x5xf32>, tensor<4xi64>) -> tensor<1x4x2x5xf32>
    %blk.0.attn_Shape = "onnx.Shape"(%attention_mask) {onnx_node_name = "blk.0.attn_Shape"} : (tensor<1x5xi64>) -> tensor<2xi64>
    %blk.0.attn_Gather = "onnx.Gather"(%blk.0.attn_Shape, %blk.0.attn_axis) {onnx_node_name = "blk.0.attn_Gather"} : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
    %blk.0.attn_Shape_1 = "onnx.Shape"(%input_ids) {onnx_node_name = "blk.0.attn_Shape_1"} : (tensor<1x2xi64>) -> tensor<2xi64>
    %blk.0.attn_Gather_1 = "onnx.Gather"(%blk.0.attn_Shape_1, %blk.0.attn_axis_1) {onnx_node_name = "blk.0.attn_Gather_1"} : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
    %blk.0.attn_Range = "onnx.Range"(%blk.0.attn_whole, %blk.0.attn_Gather, %blk.0.attn_whole_1) {onnx_node_name = "blk.0.attn_Range"} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<5xi64>
    %blk.0.attn_Sub = "onnx.Sub"(%blk.0.attn_Gather, %blk.0.attn_Gather_1) {onnx_node_name = "blk.0.attn_Sub"} : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %blk.0.attn_Range_1 = "onnx.Range"(%blk.0.attn_Sub, %blk.0.attn_Gather, %blk.0.attn_whole_1) {onnx_node_name = "blk.0.attn_Range_1"} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<2xi64>
    %blk.0.attn_Unsqueeze = "onnx.Unsqueeze"(%blk.0.attn_Range_1, %blk.0.attn_axes) {onnx_node_name = "blk.0.attn_Unsqueeze"} : (tensor<2xi64>, tensor<1xi64>) -> tensor<2x1xi64>
    %blk.0.attn_LessOrEqual = "onnx.LessOrEqual"(%blk.0.attn_Range, %blk.0.attn_Unsqueeze) {onnx_node_name = "blk.0.attn_LessOrEqual"} : (tensor<5xi64>, tensor<2x1xi64>) -> tensor<2x5xi1>
    %blk.0.attn_And = "onnx.And"(%blk.0.attn_LessOrEqual, %mask_out) {onnx_node_name = "blk.0.attn_And"} : (tensor<2x5xi1>, tensor<1x1x2x5xi1>) -> tensor<1x1x2x5xi1>
    %blk.0.attn_Where = "onnx.Where"(%blk.0.attn_And, %blk.0.attn_number_1, %blk.0.attn_number_2) {onnx_node_name = "blk.0.attn_Where"} : (tensor<1x1x2x5xi1>, tensor<f32>, tensor<f32>) -> tensor<1x1x2x5xf32>
    %blk.0.attn_Add = "onnx.Add"(%blk.0.attn_Reshape_4, %blk.0.attn_Where) {onnx_node_name = "blk.0.attn_Add"} : (tensor<1x4x2x5xf32>, tensor<1x1x2x5xf32>) -> tensor<1x4x2x5xf32>
    %blk.0.attn_Softmax = "onnx.Softmax"(%blk.0.attn_Add) {axis = -1 : si64, onnx_node_name = "blk.0.attn_Softmax"} : (tensor<1x4x2x5xf32>) -> tensor<1x4x2x5xf32>
    %blk.0.attn_Reshape_5 = "onnx.Reshape"(%blk.0.attn_Softmax, %blk.0.attn_grouped_1) {onnx_node_name = "blk.0.attn_Reshape_5"} : (tensor<1x4x2x5xf32>, tensor<4xi64>) -> tensor<1x2x4x5xf32>
    %blk.0.attn_MatMul_1 = "onnx.MatMul"(%blk.0.attn_Reshape_5, %present.0.value) {onnx_node_name = "blk.0.attn_MatMul_1"} : (tensor<1x2x4x5xf32>, tensor<1x2x5x4xf32>) -> tensor<1x2x4x4xf32>
    %blk.0.attn_Reshape_6 = "onnx.Reshape"(%blk.0.attn_MatMul_1, %blk.0.attn_heads) {onnx_node_name = "blk.0.attn_Reshape_6"} : (tensor<1x2x4x4xf32>, tensor<4xi64>) -> tensor<1x4x2x4xf32>
    %blk.0.attn_Transpose_4 = "onnx.Transpose"(%blk.0.attn_Reshape_6) {onnx_node_name = "blk.0.attn_Transpose_4", perm = [0, 2, 1, 3]} : (tensor<1x4x2x4xf32>) -> tensor<1x2x4x4xf32>
    %blk.0.attn_out = "onnx.Reshape"(%blk.0.attn_Transpose_4, %blk.0.attn_joined) {onnx_node_name = "blk.0.attn"} : (tensor<1x2x4x4xf32>, tensor<3xi64>) -> tensor<1x2x16xf32>
    onnx.Return %blk.0.attn_out, %present.0.key, %present.0.value : tensor<1x2x16xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>
  }
}
