#include "formats/samples/picture_feed.h"

#include "formats/pictures/exif.h"
#include "formats/pictures/steps.h"
#include "formats/tensors/map_sample.h"
#include "formats/tensors/sample_folder.h"
#include "libcore/base/digest.h"

namespace quern {
namespace {

const PictureKind& kind_of(const Bytes& bytes) {
    if (const PictureKind* kind = picture_kind(bytes)) return *kind;
    throw bad_input("is not a picture that can be read (JPEG, PNG, PPM, PGM, BMP)");
}

class PictureFeed : public Feed {
   public:
    PictureFeed(const NamedSteps& steps, const std::string& text, const InputSpec& spec, bool native)
        : spec_(spec), native_(native), plan_(at_place(text, [&] { return PicturePlan(picture_steps(steps), spec, native); })) {
        file = text;
        files_ = files_of(steps.path);
        count = files_.size();
        Digest names;
        for (const std::string& path : files_) {
            const Bytes data = map_sample(path);
            bytes += data.size();
            names.update(path + "\n");
            at_place(path, [&] { look_at(data); });
        }
        contents = names.hex();
        if (!plan_.taken().empty()) notices.push_back(fmt::format("pictures of input \"{}\": {}", escape(spec.name), plan_.taken()));
    }
    Tensor load(uint64_t item) const override {
        const std::string& path = files_[item];
        return at_place(path, [&] {
            const Bytes data = map_sample(path);
            Tensor tensor = plan_.apply(turned(kind_of(data).decode(data), orientation(data)));
            const Fit fit = fit_array(tensor.dims, spec_.type);
            if (fit.count != 1 || fit.group != group) throw bad_input("has changed while it was in use");
            tensor.dims = fit.dims;
            return to_logical(tensor, spec_, native_);
        });
    }

   private:
    std::vector<std::string> files_of(const std::string& path) {
        if (!is_folder(path)) return {path};
        SampleFolder folder = sample_folder(path, "pictures", is_picture);
        if (!folder.notice.empty()) notices.push_back(folder.notice);
        return std::move(folder.files);
    }
    int orientation(const Bytes& data) const { return plan_.upright() ? exif_orientation(data.text()) : 1; }
    void look_at(const Bytes& data) {
        const Fit fit = fit_array(plan_.dims(plan_.result(turned(kind_of(data).size(data), orientation(data)))), spec_.type);
        group = fit.group;
    }

    const InputSpec& spec_;
    bool native_;
    PicturePlan plan_;
    std::vector<std::string> files_;
};

}  // namespace

bool is_picture(const Bytes& bytes) { return picture_kind(bytes) != nullptr; }

std::unique_ptr<Feed> open_pictures(const NamedSteps& steps, const std::string& text, const InputSpec& spec, bool native) {
    return std::make_unique<PictureFeed>(steps, text, spec, native);
}

}  // namespace quern
