// What may stand behind the path of samples: rows of blobs and named steps.
#include "formats/pictures/steps.h"
#include "formats/tensors/rows.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace quern;
    static const InputSpec spec{"x", Type::tensor(DType::f32, Shape::of(std::vector<int64_t>{1, 3, 8, 8})), {}};
    const std::string text = "/no/such/file:" + std::string(reinterpret_cast<const char*>(data), size);
    expect_only_refusals([&] { parse_rows(text); });
    expect_only_refusals([&] {
        const auto named = named_steps(text);
        if (!named) return;
        if (named->path + ":" + named->text != text || named->steps.empty()) std::abort();
        const PicturePlan plan(picture_steps(*named), spec, false);
        if (plan.result({20, 30}) != PictureSize{8, 8}) std::abort();
    });
    return 0;
}
