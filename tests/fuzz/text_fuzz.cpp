// The text form on any bytes: what is accepted prints, and its print reads back and prints the same.
#include "formats/text/text.h"
#include "libcore/graph/op.h"
#include "tests/fuzz/fuzz.h"

namespace {

std::string text_of(const quern::Model& model) {
    std::string out;
    quern::print_text(model, {}, [&](std::string_view part) { out += part; });
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace quern;
    expect_only_refusals([&] {
        Model model = parse_text({reinterpret_cast<const char*>(data), size});
        const std::string once = text_of(model);
        if (text_of(parse_text(once)) != once) {
            std::fprintf(stderr, "the text changes when it is read and printed again:\n%s", once.c_str());
            std::abort();
        }
        for_each_graph(model.graph, [](Graph& graph, const std::string&) { graph.sort(); });
        infer_types(model.graph);
        verify(model.graph);
    });
    return 0;
}
