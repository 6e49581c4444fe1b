// Model files: one row per format. Any tool reads any of them (found by content, then by suffix) and writes the one asked for.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "formats/shared/format.h"

namespace quern {

std::span<const Format> all_formats();
const Format& format_named(std::string_view name);  // throws Exit::usage with a suggestion

// Reads, infers types, verifies. "-" is standard input. Errors begin with the file's name. `signature`: of a file with several graphs, the
// one that it names; "": the first.
Model read_model(const std::string& path, const std::string& signature = "");

// The format named `format`, or when that is empty the one of the suffix of `path`, or native for streams and devices.
const Format& format_for_writing(const std::string& path, std::string_view format);

// What a user can do about an operator that its format's front end knows in other forms, or whose exporter can take it apart; "" for
// others.
std::string hint_for_kept(const Op& op);

// Throws Exit::usage if write_model() would refuse its arguments: tools ask before long work.
void check_output(const std::string& path, std::string_view format, const WriteOptions& options);

// Writes in format_for_writing().
void write_model(const Model& model, const std::string& path, std::string_view format, const WriteOptions& options = {});

}  // namespace quern
