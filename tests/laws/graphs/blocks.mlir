// Weights in blocks of ggml's formats: tables whose rows are looked up, one with minima, and a matrix with minima.
func.func @blocks(%ids: tensor<?xi64>) -> (tensor<?x6xf32>) {
  %table = "onnx.Constant"() {quern.encoding = [{format = "q4_0", axis = 1}], value = dense<"0xF3A642BDF22106F0847762F0F3CB4D764DC768292051159A0F89F2C6DACAE344BB311245762884DF9AD7C5B3D076AC0E8F53A7356C884F2720F6F72DB022D24D0A96DAD43C1617C1762884DF9AD7C5B3D076AC0E8F53A7356C884F2720F6F72DB022D24D0A96DAD43C1617C1F32642BDF22106F0847762F0F3CB4D764DC768292051159A0F89F2C6DACAE344BB311245"> : tensor<8x18xui8>} : () -> tensor<8x32xf32>
  %other = "onnx.Constant"() {quern.encoding = [{format = "q4_1", axis = 1}], value = dense<"0xF42870B40EEE7F1A5039BEF07EC2347F066ED08F8526ACB3C7512447E3404300026B6E545594A065A128BFB4685D64C4980BB8D4544A8721A99A01ADA1254BB69CF6A15EF6F15A1D830BB7CE09D6BBC0C828F5B7175C643C7DECB0B580EC37BC9712DD2EB9268AB5B94BAE8D2F9FA29C5A284C9EF7521829592A70B5CF1079B080E9D74A1C10FCAB6A4243D3F025EAB54C1ED79648E856E8F9A2F58C95F0CE4B"> : tensor<8x20xui8>} : () -> tensor<8x32xf32>
  %weights = "onnx.Constant"() {quern.encoding = [{format = "q4_1", axis = 0}], value = dense<"0x52A969B68E78129E0327371065D095864F15ADA0E32756B7C1C0EBC5348ADC799ADF849BAD05D4A146250BB5441EAAEEB4B48EFA0B1F0ABD80E998A37C261CB7BD8799C1350D439E71897AA75FDE3134DE28E3B272E05628AC6FE68A733D1161A15D8EAEA929EBB4B042D7958AEDB1D594D6D112D34F6602"> : tensor<6x20xui8>} : () -> tensor<32x6xf32>
  %rows = "onnx.Gather"(%table, %ids) {onnx_node_name = "rows", axis = 0} : (tensor<8x32xf32>, tensor<?xi64>) -> tensor<?x32xf32>
  %more = "onnx.Gather"(%other, %ids) {onnx_node_name = "more", axis = 0} : (tensor<8x32xf32>, tensor<?xi64>) -> tensor<?x32xf32>
  %sum = "onnx.Add"(%rows, %more) {onnx_node_name = "sum"} : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
  %product = "onnx.MatMul"(%sum, %weights) {onnx_node_name = "product"} : (tensor<?x32xf32>, tensor<32x6xf32>) -> tensor<?x6xf32>
  onnx.Return %product : tensor<?x6xf32>
}
