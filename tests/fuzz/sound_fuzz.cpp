// WAV files of any bytes, and windows of them in a model's form; the first byte chooses the steps.
#include "formats/sound/steps.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace quern;
    static const std::vector<std::string> steps{"x:window=64,hop=16,mono", "x:mel=4,frame=32,stride=16,window=64,mono",
                                                "x:channel=0,scale=2,window=64", "x:rate=11025,window=64,mono"};
    static const InputSpec flat{"x", Type::tensor(DType::f32, Shape::of(std::vector<int64_t>{1, 64})), {}};
    static const InputSpec bands{"x", Type::tensor(DType::f32, Shape::of(std::vector<int64_t>{1, 3, 4})), {}};
    if (size == 0) return 0;
    const Bytes bytes = Bytes::borrow(data + 1, size - 1);
    const size_t way = data[0] % steps.size();
    if (!is_sound(bytes)) return 0;
    expect_only_refusals([&] {
        const auto file = open_sound_file(bytes);
        SoundPlan plan(sound_steps(*named_steps(steps[way])), file->info(), way == 1 ? bands : flat, false);
        plan.take_in(file->info());
        const int64_t windows = plan.windows(file->info());
        for (int64_t i = 0; i < std::min<int64_t>(windows, 4); ++i)
            if (plan.read(*file, windows - 1 - i).dims != plan.dims()) std::abort();
    });
    return 0;
}
