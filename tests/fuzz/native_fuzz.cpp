// The native reader on any bytes. The input is a file without its trailer's digest, which the target sets, else nothing would get past it.
#include <cstring>

#include "formats/native/layout.h"
#include "formats/native/native.h"
#include "formats/text/text.h"
#include "libcore/base/digest.h"
#include "libcore/graph/op.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace quern;
    using namespace quern::native_format;
    MutableBytes file(size);
    if (size) std::memcpy(file.data(), data, size);
    if (size >= sizeof(Header) + sizeof(Trailer)) {
        Trailer trailer;
        std::byte* const last = file.data() + size - sizeof trailer;
        std::memcpy(&trailer, last, sizeof trailer);
        if (trailer.offset <= size && trailer.size <= size - trailer.offset) {
            const std::string digest = Digest().update(file.data() + trailer.offset, trailer.size).hex();
            std::memcpy(last + offsetof(Trailer, digest), digest.data(), sizeof trailer.digest);
        }
    }
    const Bytes bytes = std::move(file).freeze();
    expect_only_refusals([&] {
        Model model = read(bytes, "-");
        for_each_graph(model.graph, [](Graph& graph, const std::string&) { graph.sort(); });
        infer_types(model.graph);
        verify(model.graph);
        print_text(model, {}, [](std::string_view) {});
        check_digests(bytes);
    });
    return 0;
}
