// Pictures of any bytes, decoded and brought into a model's form; the first byte chooses the steps.
#include "formats/pictures/exif.h"
#include "formats/pictures/steps.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace quern;
    static const std::vector<std::string> steps{"x:resize=9,crop=8", "x:letterbox,fill=114,method=bicubic", "x:crop,channels=bgr",
                                                "x:resize,method=nearest,upright"};
    static const InputSpec spec{"x", Type::tensor(DType::f32, Shape::of(std::vector<int64_t>{1, 3, 8, 8})), {}};
    if (size == 0) return 0;
    const Bytes bytes = Bytes::borrow(data + 1, size - 1);
    const PictureKind* kind = picture_kind(bytes);
    if (kind == nullptr) return 0;
    expect_only_refusals([&] {
        const PictureSize said = kind->size(bytes);
        if (said.width * said.height > (1 << 22)) return;  // a quick run for each input
        const PicturePlan plan(picture_steps(*named_steps(steps[data[0] % steps.size()])), spec, false);
        const int orientation = plan.upright() ? exif_orientation(bytes.text()) : 1;
        const Picture picture = turned(kind->decode(bytes), orientation);
        if (picture.size != turned(said, orientation)) std::abort();
        plan.result(picture.size);
        if (plan.apply(picture).count() != 3 * 8 * 8) std::abort();
    });
    return 0;
}
