#include "libcore/backend/shared_tensors.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "libcore/backend/view.h"
#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/graph/from_c.h"
#include "libcore/os/descriptors.h"

namespace quern {
namespace {

constexpr uint64_t alignment = 64;

uint64_t after(uint64_t at, uint64_t size) { return (at + size + alignment - 1) / alignment * alignment; }

void put(int memory, const Bytes& bytes, uint64_t at) {
    size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t written = ::pwrite(memory, bytes.data() + done, bytes.size() - done, static_cast<off_t>(at + done));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) throw io_error("shared memory: {}", errno_text());
        done += static_cast<size_t>(written);
    }
}

// Bytes [at, at + size) of the memory.
using Source = std::function<Bytes(uint64_t at, uint64_t size)>;

Bytes get(int memory, uint64_t at, uint64_t size) {
    MutableBytes bytes(size);
    size_t done = 0;
    while (done < size) {
        const ssize_t got = ::pread(memory, bytes.data() + done, size - done, static_cast<off_t>(at + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) throw unsupported("the memory of its values ends early");
        done += static_cast<size_t>(got);
    }
    return std::move(bytes).freeze();
}

void check_strings(const Tensor& tensor) {
    const size_t count = static_cast<size_t>(tensor.count()), head = (count + 1) * sizeof(uint64_t);
    uint64_t before = 0;
    for (size_t i = 0; i <= count; ++i) {
        uint64_t at = 0;
        std::memcpy(&at, tensor.data.data() + i * sizeof at, sizeof at);
        if (at < before || at > tensor.data.size() - head) throw bad_input("string {} does not lie in its tensor", i);
        before = at;
    }
}

Tensor tensor_at(const JsonView& entry, uint64_t& at, uint64_t end, const Source& source) {
    Tensor out;
    const auto dtype = dtype_named(entry.at(0).text());
    if (!dtype) entry.at(0).fail("is not an element type");
    out.dtype = *dtype;
    for (size_t d = 0; d < entry.at(1).size(); ++d) out.dims.push_back(entry.at(1).at(d).integer());
    const uint64_t size = entry.at(2).natural();
    if (*dtype == DType::none) return {};
    if (at > end || size > end - at) throw bad_input("the memory of its values ends early");
    out.data = source(at, size);
    at = after(at, size);
    borrowed_from(buffer_of(out));  // dims and bytes fit
    if (out.dtype == DType::string) check_strings(out);
    return out;
}

std::vector<Stored> values_from(const Json& list, std::span<const Port> ports, uint64_t end, const Source& source) {
    std::vector<Stored> out;
    const JsonView values(list, "values");
    if (values.size() != ports.size()) throw unsupported("gave {} values, need {}", values.size(), ports.size());
    uint64_t at = 0;
    for (size_t i = 0; i < ports.size(); ++i) {
        Stored value{tensor_at(values.at(i).at(0), at, end, source), ports[i].encoding};
        if (value.encoding && value.encoding->is_dynamic()) {
            value.encoding->scale = tensor_at(values.at(i).at(1), at, end, source);
            value.encoding->zero = tensor_at(values.at(i).at(2), at, end, source);
        }
        out.push_back(std::move(value));
    }
    return out;
}

uint64_t size_of(int memory) {
    const off_t size = ::lseek(memory, 0, SEEK_END);
    return size > 0 ? static_cast<uint64_t>(size) : 0;
}

// Without what was never written, which would take memory here only.
uint64_t written_size(int memory) {
    struct stat facts {};
    if (::fstat(memory, &facts) != 0) return 0;
    return std::min(static_cast<uint64_t>(facts.st_size), static_cast<uint64_t>(facts.st_blocks) * 512);
}

template <class Body>
std::vector<Stored> theirs(const Body& body) {
    try {
        return body();
    } catch (const Error& error) {
        throw unsupported("{}", error.message());
    }
}

}  // namespace

int make_shared_memory(const char* name) {
    const int fd = ::memfd_create(name, MFD_CLOEXEC);
    if (fd < 0) throw io_error("shared memory: {}", errno_text());
    return fd;
}

Bytes read_memory(int memory) {
    constexpr uint64_t max = 64 << 20;  // of a description
    const uint64_t size = size_of(memory);
    if (size > max) throw unsupported("{} bytes in the memory of a description", size);
    return get(memory, 0, size);
}

Json write_values(int memory, std::span<const Stored> values) {
    Json list = Json::array();
    uint64_t at = 0;
    const auto add = [&](Json& value, const Tensor& tensor) {
        put(memory, tensor.data, at);
        at = after(at, tensor.data.size());
        value.push_back({name_of(tensor.dtype), tensor.dims, tensor.data.size()});
    };
    for (const Stored& stored : values) {
        Json value = Json::array();
        add(value, stored.tensor);
        if (stored.encoding && stored.encoding->is_dynamic()) add(value, stored.encoding->scale), add(value, stored.encoding->zero);
        list.push_back(std::move(value));
    }
    // Whole units after the last tensor, which the other side may map.
    if (size_of(memory) < at && ::ftruncate(memory, static_cast<off_t>(at)) != 0) throw io_error("shared memory: {}", errno_text());
    return list;
}

std::vector<Stored> read_values(int memory, const Json& list, std::span<const Port> ports) {
    return theirs(
        [&] { return values_from(list, ports, written_size(memory), [&](uint64_t at, uint64_t size) { return get(memory, at, size); }); });
}

std::vector<Stored> map_values(int memory, const Json& list, std::span<const Port> ports) {
    const uint64_t size = size_of(memory);
    void* start = size > 0 ? ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0) : nullptr;
    if (start == MAP_FAILED) throw io_error("shared memory: {}", errno_text());
    const std::shared_ptr<const void> owner(start, [size](void* at) {
        if (at) ::munmap(at, size);
    });
    return theirs([&] {
        return values_from(list, ports, size,
                           [&](uint64_t at, uint64_t bytes) { return Bytes(owner, static_cast<const std::byte*>(start) + at, bytes); });
    });
}

}  // namespace quern
