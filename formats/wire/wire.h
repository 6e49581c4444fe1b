// A protobuf message field by field, as it lies in the file: nothing is copied.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/bytes.h"

namespace quern {

// Where a field lies among the bytes of its message.
struct WireSpan {
    uint32_t number = 0;
    enum class Kind : uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 } kind = Kind::varint;
    size_t start = 0, body = 0, end = 0;  // tag, contents, past the end
    uint64_t value = 0;                   // of a varint or a fixed number
};

// The field at byte `at` of `bytes`, in a message that ends before byte `end`, with `at` < `end` <= bytes.size(). Throws Exit::bad_input if
// it is broken or passes that end.
WireSpan wire_span(std::string_view bytes, size_t at, size_t end);

struct WireField : WireSpan {
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
    Bytes message_;
    size_t at_ = 0;
};

// A repeated number: one in a field, or many packed.
void append_integers(const WireField& field, std::vector<int64_t>& to);
void append_reals(const WireField& field, std::vector<float>& to);
void append_reals(const WireField& field, std::vector<double>& to);

}  // namespace quern
