// A protobuf message field by field, as it lies in the file: nothing is copied.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/base/bytes.h"

namespace quern::tensorflow_format {

struct WireField {
    uint32_t number = 0;
    enum class Kind : uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 } kind = Kind::varint;
    uint64_t value = 0;  // of a varint or a fixed number
    Bytes bytes;

    // What the field must be; throws Exit::bad_input if it is encoded in another way.
    const Bytes& message() const;
    std::string text() const { return std::string(message().text()); }
    int64_t integer() const;
    bool flag() const { return integer() != 0; }
    float real() const;
};

class WireReader {
   public:
    explicit WireReader(Bytes message) : message_(std::move(message)) {}
    // nullopt at the end; throws Exit::bad_input where the message is broken.
    std::optional<WireField> next();

   private:
    uint64_t varint();
    uint64_t fixed(size_t size);

    Bytes message_;
    size_t at_ = 0;
};

// A repeated number: one in a field, or many packed.
void append_integers(const WireField& field, std::vector<int64_t>& to);
void append_reals(const WireField& field, std::vector<float>& to);
void append_reals(const WireField& field, std::vector<double>& to);

}  // namespace quern::tensorflow_format
