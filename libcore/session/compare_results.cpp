#include <algorithm>
#include <cstring>
#include <filesystem>

#include "formats/tensors/npy.h"
#include "formats/tensors/npz.h"
#include "formats/tensors/results.h"
#include "libcore/base/folder.h"
#include "libcore/base/io.h"
#include "libcore/base/text.h"
#include "libcore/session/compare.h"

namespace quern {
namespace {

namespace fs = std::filesystem;

// "Result_0/a/b" of an archive as the file of a folder is named: "Result_0/a%2Fb", which stays as it is.
std::string as_file(const std::string& member) {
    const size_t slash = member.find('/');
    if (slash == std::string::npos) return member;
    const std::string name = member.substr(slash + 1);
    const bool is_file = std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || std::strchr("_-.%", c); });
    return is_file ? member : member.substr(0, slash + 1) + result_stem(name);
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
        if (arrays_.empty()) throw bad_input("{}: has no Result_<i>/<tensor>.raw or .npy", path);
    }
    struct Array {
        std::string name, place;
    };
    // By the names of files, whatever holds the arrays.
    const std::map<std::string, Array>& arrays() const { return arrays_; }
    Tensor read(const std::string& file) const {
        const std::string& place = arrays_.at(file).place;
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
        if (!arrays_.try_emplace(as_file(name), Array{name, place}).second) arrays_.try_emplace(name, Array{name, place});
    }

    std::string path_;
    std::map<std::string, Array> arrays_;
    std::optional<Npz> npz_;
};

}  // namespace

Comparison compare_results(const std::string& a, const std::string& b) {
    const Results first(a), second(b);
    Comparison comparison;
    std::map<std::string, Difference> values;
    std::map<std::string, bool> samples;
    for (const auto& [file, array] : first.arrays()) {
        const std::string& name = array.name;
        if (!second.arrays().contains(file)) {
            comparison.only_first.push_back(name);
            continue;
        }
        const size_t slash = name.find('/');
        samples[name.substr(0, slash == std::string::npos ? 0 : slash)] = true;
        Tensor x = first.read(file), y = second.read(file);
        if (x.dims.size() == 1 || y.dims.size() == 1) x.dims = {x.count()}, y.dims = {y.count()};  // one of them has no header
        values[slash == std::string::npos ? name : name.substr(slash + 1)].add(x, y);
    }
    for (const auto& [file, array] : second.arrays())
        if (!first.arrays().contains(file)) comparison.only_second.push_back(array.name);
    comparison.samples = samples.size();
    for (auto& [name, difference] : values) comparison.values.push_back({name, true, std::move(difference)});
    return comparison;
}

}  // namespace quern
