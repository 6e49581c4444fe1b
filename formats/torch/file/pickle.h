// What torch.save wrote: a ZIP with a pickle that names storages beside it. Tensors, containers and numbers are read; a pickle that names
// any other class or function is refused by that name: nothing of it is ever executed.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "formats/archive/zip.h"
#include "formats/torch/file/stored.h"

namespace quern::torch_format {

struct Pickled {
    enum class Kind : uint8_t { none, boolean, integer, real, text, list, dict, global, storage, tensor };
    Kind kind = Kind::none;
    int64_t integer = 0;  // and boolean
    double real = 0;
    std::string text;                                                // and the name of a global, "module name"
    std::vector<const Pickled*> items;                               // of a list or tuple
    std::vector<std::pair<const Pickled*, const Pickled*>> members;  // of a dictionary, in the file's order
    StoredTensor tensor;                                             // of a storage its bytes and element type
};

// Objects may hold each other and themselves.
struct PickledObjects {
    std::deque<Pickled> all;
    const Pickled* root = nullptr;
    uint64_t code_size = 0;  // of the pickle, in bytes
};

// The object of "ROOT/data.pkl". Throws Exit::bad_input and Exit::unsupported.
PickledObjects read_pickled(const ZipArchive& zip);

// The tensors of the root, a dictionary of the form {name: tensor}, as state dicts are; dictionaries inside join their names by ".". What
// is no tensor is passed over.
std::vector<std::pair<std::string, StoredTensor>> tensors_of(const PickledObjects& objects);

}  // namespace quern::torch_format
