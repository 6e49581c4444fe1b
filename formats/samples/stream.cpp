#include "formats/samples/stream.h"

#include "formats/tensors/npy.h"
#include "libcore/base/digest.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

std::string percent_unescape(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        unsigned code = 0;
        const auto digit = [&](char c) -> int { return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; };
        if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0) {
            code = static_cast<unsigned>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
            out += static_cast<char>(code);
            i += 2;
        } else if (text[i] != '%' || text.size() > 1) {
            out += text[i];
        }
    }
    return out;
}

class StreamSource : public SampleSource {
   public:
    StreamSource(const std::vector<InputSpec>& specs, Bytes stream, const std::string& name, bool native)
        : specs_(specs), stream_(std::move(stream)), name_(name), native_(native) {
        for (size_t at = 0; at < stream_.size();) at_place(fmt::format("{}: sample {}", name_, count()), [&] { at = read_frame(at); });
        if (count() == 0) throw bad_input("{}: has no samples", name_);
    }
    uint64_t count() const override { return specs_.empty() ? 0 : places_.size() / specs_.size(); }
    std::vector<Tensor> sample(uint64_t i) const override {
        std::vector<Tensor> tensors;
        for (size_t k = 0; k < specs_.size(); ++k) {
            const auto& [offset, size] = places_[i * specs_.size() + k];
            const Bytes part = stream_.slice(offset, size);
            at_place(fmt::format("{}: sample {}: input \"{}\"", name_, i, escape(specs_[k].name)), [&] {
                Tensor tensor = parse_npy(part);
                tensor.dims = fit_array(tensor.dims, specs_[k].type).dims;
                tensor.data = Bytes::copy(tensor.data.data(), tensor.data.size());
                tensors.push_back(to_logical(tensor, specs_[k], native_));
            });
            part.release();
        }
        return tensors;
    }
    std::string place(uint64_t i) const override { return fmt::format("sample {} ({})", i, name_); }
    std::string digest() const override { return Digest().update(stream_.text()).hex(); }

   private:
    std::string_view line(size_t& at) const {
        const std::string_view rest = stream_.text().substr(at, 4096);
        const size_t end = rest.find('\n');
        if (end == std::string_view::npos) throw bad_input("frame is cut short at byte {}", at);
        at += end + 1;
        return rest.substr(0, end);
    }
    size_t input_named(const std::string& name, size_t position) const {
        if (name.empty()) return position;
        for (size_t k = 0; k < specs_.size(); ++k)
            if (specs_[k].name == name) return k;
        std::vector<std::string> names;
        for (const InputSpec& spec : specs_) names.push_back(spec.name);
        throw bad_input("the model has no input \"{}\"{}", escape(name), did_you_mean(name, names));
    }
    size_t read_frame(size_t at) {
        const size_t start = at;
        const std::string_view head = line(at);
        const auto tensors = head.substr(0, 7) == "sample " ? parse_int(head.substr(7)) : std::nullopt;
        if (!tensors) throw bad_input("need \"sample N\" at byte {}, got \"{}\"", start, escape(head.substr(0, 40)));
        if (*tensors != static_cast<long long>(specs_.size()))
            throw bad_input("has {} tensors, the model takes {}", *tensors, specs_.size());
        std::vector<std::pair<size_t, size_t>> frame(specs_.size());
        for (size_t position = 0; position < specs_.size(); ++position) {
            const size_t k = input_named(percent_unescape(line(at)), position);
            if (frame[k].second) throw bad_input("input \"{}\" twice", escape(specs_[k].name));
            at_place(fmt::format("input \"{}\"", escape(specs_[k].name)), [&] {
                const NpyArray array = parse_npy_header(stream_.text().substr(at));
                if (fit_array(array.dims, specs_[k].type).count != 1) throw bad_input("holds more than one sample");
                frame[k] = {at, array.header_size + array.data_size};
                at += frame[k].second;
            });
        }
        places_.insert(places_.end(), frame.begin(), frame.end());
        return at;
    }

    std::vector<InputSpec> specs_;
    Bytes stream_;
    std::string name_;
    bool native_;
    std::vector<std::pair<size_t, size_t>> places_;  // sample by sample, in the order of the specs
};

}  // namespace

std::unique_ptr<SampleSource> stream_samples(const std::vector<InputSpec>& specs, Bytes stream, const std::string& name, bool native) {
    return std::make_unique<StreamSource>(specs, std::move(stream), name, native);
}

void write_frame(OutputFile& file, const std::vector<std::string>& names, const std::vector<Tensor>& tensors) {
    file.write(fmt::format("sample {}\n", tensors.size()));
    for (size_t i = 0; i < tensors.size(); ++i) {
        file.write(percent_escape(names[i]) + "\n" + npy_header(tensors[i].dtype, tensors[i].dims));
        file.write(tensors[i].data);
    }
}

}  // namespace quern
