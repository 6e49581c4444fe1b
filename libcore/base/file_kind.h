// What a file of another kind is, by its first bytes: for errors that say what to do with it.
#pragma once

#include <string>
#include <string_view>

#include "libcore/base/bytes.h"

namespace quern {

// "a JPEG image, which can be a sample only"; "" if it is nothing that is known.
std::string file_kind(std::string_view bytes);
// Throws Exit::bad_input if it is something that is known.
void refuse_other_kind(std::string_view bytes);
// Does a file's name end so (".npy"), whatever the case of its letters?
bool has_suffix(std::string_view name, std::string_view suffix);
// Is it numbers as people write them: digits, signs, blanks, commas and brackets?
bool is_number_text(const Bytes& bytes);

}  // namespace quern
