// Refuses GGUF files that hold no language model (gguf.h), by what they are.
#include "formats/gguf/gguf.h"

#include <array>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern::gguf {
namespace {

struct OtherKind {
    std::string_view type, what;  // of "general.type"
};
constexpr std::array others{
    OtherKind{"adapter", "an adapter (LoRA), which is part of no graph by itself"},
    OtherKind{"mmproj", "a projector of images, which is part of no graph by itself"},
    OtherKind{"imatrix", "an importance matrix, not a model"},
    OtherKind{"dataset", "a data set, not a model"},
};

Error not_a_model(std::string_view what) { return unsupported("is {}", what).with_hint("quern model-info shows what is in it"); }

}  // namespace

void need_model(const File& file) {
    const std::string type = file.metadata.text("general.type").value_or("model");
    for (const OtherKind& other : others)
        if (type == other.type) throw not_a_model(other.what);
    if (type != "model") throw not_a_model(fmt::format("of type \"{}\" (metadata \"general.type\"), not a model", escape(type)));
    if (file.metadata.text("general.architecture") == "clip") throw not_a_model(others[1].what);
    if (file.tensors.empty()) throw not_a_model("a vocabulary alone, without tensors");
}

}  // namespace quern::gguf
