#include "formats/samples/sound_feed.h"

#include <algorithm>

#include "formats/sound/steps.h"
#include "formats/tensors/map_sample.h"
#include "formats/tensors/sample_folder.h"
#include "libcore/base/digest.h"

namespace quern {
namespace {

class SoundFeed : public Feed {
   public:
    SoundFeed(const NamedSteps& steps, const std::string& text, const InputSpec& spec, bool native)
        : spec_(spec),
          native_(native),
          files_(files_of(steps.path)),
          plan_(at_place(text, [&] { return SoundPlan(sound_steps(steps), info_of(map_sample(files_[0])), spec, native); })) {
        file = text;
        count = 0;
        Digest names;
        for (const std::string& path : files_) {
            const Bytes data = map_sample(path);
            bytes += data.size();
            names.update(path + "\n");
            first_.push_back(count);
            at_place(path, [&] {
                const SoundInfo info = info_of(data);
                plan_.take_in(info);
                count += static_cast<uint64_t>(plan_.windows(info));
            });
        }
        contents = names.hex();
        group = at_place(text, [&] { return fit_array(plan_.dims(), spec.type).group; });
        if (!plan_.taken().empty()) notices.push_back(fmt::format("sound of input \"{}\": {}", escape(spec.name), plan_.taken()));
    }
    Tensor load(uint64_t item) const override {
        const auto i = static_cast<size_t>(std::ranges::upper_bound(first_, item) - first_.begin() - 1);
        return at_place(files_[i], [&] {
            const auto sound = open_sound_file(map_sample(files_[i]));
            Tensor tensor = plan_.read(*sound, static_cast<int64_t>(item - first_[i]));
            tensor.dims = fit_array(tensor.dims, spec_.type).dims;
            return to_logical(tensor, spec_, native_);
        });
    }

   private:
    static SoundInfo info_of(const Bytes& data) { return open_sound_file(data)->info(); }
    std::vector<std::string> files_of(const std::string& path) {
        if (!is_folder(path)) return {path};
        SampleFolder folder = sample_folder(path, "WAV files", is_sound);
        if (!folder.notice.empty()) notices.push_back(folder.notice);
        return std::move(folder.files);
    }

    const InputSpec& spec_;
    bool native_;
    std::vector<std::string> files_;
    SoundPlan plan_;
    std::vector<uint64_t> first_;  // items before each file's
};

}  // namespace

std::unique_ptr<Feed> open_sound(const NamedSteps& steps, const std::string& text, const InputSpec& spec, bool native) {
    return std::make_unique<SoundFeed>(steps, text, spec, native);
}

}  // namespace quern
