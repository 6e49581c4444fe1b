// The GGUF reader on any bytes: what is accepted is written, and its copy read back the same, in either byte order; the facts of its
// metadata read back, and a graph is made of what can be one.
#include "formats/gguf/file/facts.h"
#include "formats/gguf/file/open.h"
#include "formats/gguf/gguf.h"
#include "libcore/graph/op.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace quern;

void copy_and_compare(const gguf::File& file, bool big_endian) {
    std::string written;
    OutputFile to([&](const void* data, size_t size) { written.append(static_cast<const char*>(data), size); });
    gguf::copy(file, to, {.big_endian = big_endian});
    to.commit();
    const gguf::File copy = gguf::open(Bytes::copy(written.data(), written.size()), "-");
    if (copy.tensors.size() != file.tensors.size()) std::abort();
    for (const gguf::TensorInfo& info : file.tensors)
        if (copy.find(info.name)->data().text() != info.data().text()) std::abort();
    for (const auto& [key, value] : copy.metadata.entries())
        if (!(value == *file.metadata.find(key))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const Bytes bytes = Bytes::copy(data, size);
    expect_only_refusals([&] {
        const gguf::File file = gguf::open(bytes, "-");
        copy_and_compare(file, false);
        copy_and_compare(file, true);
        if (gguf::parse_facts(gguf::facts_json(file, {}), file.metadata).tensors.size() != file.tensors.size()) std::abort();
    });
    if (gguf::has_magic(bytes))
        expect_only_refusals([&] {
            Model model = gguf_format::read(bytes, "-");
            infer_types(model.graph);
            verify(model.graph);
        });
    return 0;
}
