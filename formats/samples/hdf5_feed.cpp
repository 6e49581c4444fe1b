#include "formats/samples/hdf5_feed.h"

#include <algorithm>

#include "formats/hdf5/hdf5.h"
#include "formats/tensors/map_sample.h"
#include "libcore/base/text.h"
#include "libcore/os/io.h"

namespace quern {
namespace {

// The files that feeds have open: each has a process, so of a long list only the last ones stay.
class OpenFiles {
   public:
    static std::shared_ptr<OpenFiles> shared() {
        static std::mutex mutex;
        static std::weak_ptr<OpenFiles> last;
        const std::scoped_lock lock(mutex);
        auto files = last.lock();
        if (!files) last = files = std::make_shared<OpenFiles>();
        return files;
    }
    std::shared_ptr<Hdf5File> get(const std::string& path) {
        const std::scoped_lock lock(mutex_);
        auto found = std::ranges::find(files_, path, &Entry::first);
        Entry entry = found != files_.end() ? *found : Entry{path, std::make_shared<Hdf5File>(path)};
        if (found != files_.end()) files_.erase(found);
        files_.push_back(entry);
        if (files_.size() > most) files_.erase(files_.begin());
        return entry.second;
    }

   private:
    using Entry = std::pair<std::string, std::shared_ptr<Hdf5File>>;
    static constexpr size_t most = 4;
    std::mutex mutex_;
    std::vector<Entry> files_;  // the one used last is behind
};

class Hdf5Feed : public Feed {
   public:
    Hdf5Feed(const std::string& text, const InputSpec& spec, bool native, size_t index)
        : spec_(spec), native_(native), index_(index), path_(hdf5_place(text).path), files_(OpenFiles::shared()) {
        file = text;
        if (is_pipe(path_)) throw bad_input("{}: is a pipe, and HDF5 is read here and there: need a file", path_);
        bytes = map_input(path_).size();
        const auto open = files_->get(path_);
        at_place(path_, [&] { choose(*open, hdf5_place(text).dataset); });
    }
    Tensor load(uint64_t item) const override {
        const auto open = files_->get(path_);
        const auto found = open->find(name_of_item(item));
        if (!found || map_input(path_).size() != bytes) throw io_error("{}: has changed while it was in use", path_);
        const Hdf5Dataset& dataset = open->datasets()[*found];
        const bool apart = records_ > 0;
        const Fit fit = fit_of(dataset);
        const uint64_t rows = dataset.dims.empty() ? 1 : static_cast<uint64_t>(dataset.dims[0]) / (apart ? 1 : fit.count);
        Tensor tensor = open->rows(*found, apart ? 0 : item * rows, rows);
        return at_place(place(dataset), [&] {
            tensor.dims = fit.dims;
            return to_logical(tensor, spec_, native_);
        });
    }

   private:
    std::string place(const Hdf5Dataset& dataset) const { return fmt::format("{}: dataset \"{}\"", path_, escape(dataset.path)); }
    std::string record(uint64_t number) const { return fmt::format("value/{}/{}", number, index_); }
    std::string name_of_item(uint64_t item) const { return records_ > 0 ? record(item) : name_; }

    Fit fit_of(const Hdf5Dataset& dataset) const {
        return at_place(fmt::format("dataset \"{}\"", escape(dataset.path)), [&] {
            if (!dataset.refusal.empty()) throw bad_input("{}", dataset.refusal);
            return records_ > 0 ? fit_array(dataset.dims, spec_.type) : fit_rows(dataset.dims, spec_);
        });
    }
    void choose(const Hdf5File& open, const std::string& wanted) {
        if (open.datasets().empty()) throw bad_input("has no datasets");
        while (wanted.empty() && !open.find(spec_.name) && open.find(record(records_))) ++records_;
        if (records_ > 0) return look_at_records(open);
        const auto found = one_dataset(open, wanted);
        if (!found) throw none(open, wanted);
        name_ = contents = open.datasets()[*found].path;
        const Fit fit = fit_of(open.datasets()[*found]);
        count = fit.count;
        group = fit.group;
    }
    std::optional<size_t> one_dataset(const Hdf5File& open, const std::string& wanted) const {
        if (!wanted.empty()) return open.find(wanted);
        if (const auto own = open.find(spec_.name)) return own;
        if (const auto numbered = open.find(fmt::format("value/{}", index_))) return numbered;
        return open.datasets().size() == 1 ? std::optional<size_t>(0) : std::nullopt;
    }
    void look_at_records(const Hdf5File& open) {
        for (uint64_t i = 0; i < records_; ++i) {
            const Hdf5Dataset& dataset = open.datasets()[*open.find(record(i))];
            const Fit fit = fit_of(dataset);
            if (fit.count != 1) throw bad_input("dataset \"{}\": a record is {} samples, need one", escape(dataset.path), fit.count);
            if (i > 0 && fit.group != group) throw bad_input("dataset \"{}\": other records are of another size", escape(dataset.path));
            group = fit.group;
        }
        count = records_;
        contents = "value";
    }
    Error none(const Hdf5File& open, const std::string& wanted) const {
        std::vector<std::string> names, shown;
        for (const Hdf5Dataset& dataset : open.datasets()) names.push_back(dataset.path);
        constexpr size_t most = 8;
        for (size_t i = 0; i < std::min(names.size(), most); ++i) shown.push_back(printable(names[i]));
        if (names.size() > most) shown.emplace_back("...");
        const std::string hint = fmt::format("its datasets: {}; {}:/{} names one", join(shown, ", "), printable(path_), shown[0]);
        if (!wanted.empty()) return bad_input("has no dataset \"{}\"{}", escape(wanted), did_you_mean(wanted, names)).with_hint(hint);
        return bad_input("has no dataset for input \"{}\": neither its name nor value/{}", escape(spec_.name), index_).with_hint(hint);
    }

    const InputSpec& spec_;
    bool native_;
    size_t index_;
    std::string path_, name_;
    std::shared_ptr<OpenFiles> files_;
    uint64_t records_ = 0;  // of ONE's layout, each sample a group; 0: the samples are rows of one dataset
};

}  // namespace

std::unique_ptr<Feed> open_hdf5(const std::string& text, const InputSpec& spec, bool native, size_t index) {
    return std::make_unique<Hdf5Feed>(text, spec, native, index);
}

}  // namespace quern
