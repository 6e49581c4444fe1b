// Comparisons of the results of two runs (compare.h), folders or npz archives.
#include <filesystem>

#include "formats/samples/results.h"
#include "formats/tensors/npy.h"
#include "formats/tensors/npz.h"
#include "libcore/base/text.h"
#include "libcore/os/folder.h"
#include "libcore/os/io.h"
#include "libcore/runs/compare.h"

namespace quern {
namespace {

namespace fs = std::filesystem;

// "Result_0/a/b" of an archive as the file of a folder is named: "Result_0/a%2Fb".
std::string as_file(const std::string& member) {
    const size_t slash = member.find('/');
    return slash == std::string::npos ? member : member.substr(0, slash + 1) + result_stem(member.substr(slash + 1));
}

// The arrays of a run by "Result_<i>/<tensor>"; each is read when it is compared.
class Results {
   public:
    explicit Results(const std::string& path) : path_(path) {
        if (!fs::is_directory(path)) {
            at_place(path, [&] { npz_.emplace(map_input(path)); });
            for (size_t i = 0; i < npz_->names().size(); ++i) add(npz_->names()[i], std::to_string(i));
            return;
        }
        for (const auto& folder : fs::directory_iterator(path)) {
            const std::string result = folder.path().filename().string();
            if (!folder.is_directory() || result.rfind("Result_", 0) != 0) continue;
            for (const auto& file : fs::directory_iterator(folder.path())) {
                const auto extension = file.path().extension();
                if (extension == ".raw" || extension == ".npy") add(result + "/" + file.path().stem().string(), file.path().string());
            }
        }
        if (names_.empty()) throw bad_input("{}: has no Result_<i>/<tensor>.raw or .npy", path);
    }
    const std::map<std::string, std::string>& names() const { return names_; }
    // The name here of an array that another holder calls `name`, as a tensor or as a file; nullptr if there is none.
    const std::string* find(const std::string& name) const {
        if (const auto same = names_.find(name); same != names_.end()) return &same->first;
        if (const auto file = names_.find(as_file(name)); file != names_.end()) return &file->first;
        const auto member = members_.find(name);
        return member == members_.end() ? nullptr : &member->second;
    }
    Tensor read(const std::string& name) const {
        const std::string& place = names_.at(name);
        if (npz_) return at_place(path_, [&] { return npz_->array(static_cast<size_t>(*parse_int(place))); });
        return at_place(place, [&] {
            const Bytes bytes = map_regular(place);
            if (place.ends_with(".npy")) return parse_npy(bytes);
            if (bytes.size() % 4) throw bad_input("got {} bytes, need a multiple of 4 (float32)", bytes.size());
            return Tensor{DType::f32, {static_cast<int64_t>(bytes.size() / 4)}, bytes};
        });
    }

   private:
    void add(const std::string& name, const std::string& place) {
        names_.emplace(name, place);
        members_.emplace(as_file(name), name);
    }

    std::string path_;
    std::map<std::string, std::string> names_, members_;  // to their places; of files to names
    std::optional<Npz> npz_;
};

}  // namespace

Comparison compare_results(const std::string& a, const std::string& b) {
    const Results first(a), second(b);
    Comparison comparison;
    std::map<std::string, Difference> values;
    std::map<std::string, bool> samples;
    for (const auto& [name, place] : first.names()) {
        const std::string* other = second.find(name);
        if (!other) {
            comparison.only_first.push_back(name);
            continue;
        }
        const size_t slash = name.find('/');
        samples[name.substr(0, slash == std::string::npos ? 0 : slash)] = true;
        Tensor x = first.read(name), y = second.read(*other);
        if (x.dims.size() == 1 || y.dims.size() == 1) x.dims = {x.count()}, y.dims = {y.count()};  // one of them has no header
        values[slash == std::string::npos ? name : name.substr(slash + 1)].add(x, y);
    }
    for (const auto& [name, place] : second.names())
        if (!first.find(name)) comparison.only_second.push_back(name);
    comparison.samples = samples.size();
    for (auto& [name, difference] : values) comparison.values.push_back({name, true, std::move(difference)});
    return comparison;
}

}  // namespace quern
