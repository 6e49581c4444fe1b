// The reader of safetensors on any bytes: what is read can be written, and is the same again.
#include "formats/safetensors/safetensors.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace quern;
    const Bytes bytes = Bytes::copy(data, size);
    expect_only_refusals([&] {
        const safetensors::Container container = safetensors::parse(bytes);
        std::vector<safetensors::Named> tensors(container.tensors.begin(), container.tensors.end());
        std::string text = safetensors::header_of(tensors, container.metadata);
        for (const auto& [name, tensor] : tensors) text += tensor.data.text();
        const safetensors::Container again = safetensors::parse(Bytes::copy(text.data(), text.size()));
        if (again.tensors.size() != container.tensors.size())
            throw bug("{} tensors, were {}", again.tensors.size(), container.tensors.size());
        for (const auto& [name, tensor] : tensors)
            if (!identical(again.tensors.at(name), tensor)) throw bug("a tensor is another one");
    });
    return 0;
}
