// Is a file of a format whose front end is a library of its own? That is asked of every file, and answered without the library.
#pragma once

#include <string>
#include <string_view>

#include "formats/archive/zip.h"

namespace quern::torch_format {

bool sniff(const Bytes& bytes);
bool is_executorch(const Bytes& bytes);

// What a ZIP of PyTorch is, else "": "package" for programs of torch.export, "state" for a dictionary of tensors or another pickle, or the
// description of what cannot be read ("a TorchScript archive").
std::string kind_of(const ZipArchive& zip);

inline constexpr std::string_view flat_program = "serialized_exported_program.json";  // the program of a package in its older form
bool is_program(const std::string& member);                                           // the name of one in the newer form
// "ROOT/" of the member "ROOT/data.pkl", which torch.save writes; "": there is none.
std::string pickle_root(const ZipArchive& zip);

}  // namespace quern::torch_format

namespace quern::tensorflow_format {

bool sniff(const Bytes& bytes);
bool is_saved_model(const Bytes& bytes);  // else a graph by itself

}  // namespace quern::tensorflow_format
