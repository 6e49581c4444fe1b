// A tokenizer in the form of Hugging Face's library, tokenizer.json, and what stands beside it, tokenizer_config.json: for runtimes that
// take texts. Ids are those of Tokenizer with `parse_special`: that form knows no other way.
#pragma once

#include <string>

#include "libcore/base/json.h"
#include "libcore/tokens/vocabulary.h"

namespace quern {

struct HuggingFaceFiles {
    std::string tokenizer, config;
};

// Throws Exit::unsupported with what it is that the form cannot say, and what Tokenizer throws.
HuggingFaceFiles hugging_face_files(const TokenizerData& data);

namespace tokens {

// The parts of tokenizer.json that a kind of tokenizer decides: normalizer, pre_tokenizer, model and decoder.
struct HuggingFaceParts {
    Json normalizer, pre_tokenizer, model, decoder;
};
HuggingFaceParts sentence_piece_parts(const Vocabulary& vocabulary);
HuggingFaceParts byte_pair_parts(const Vocabulary& vocabulary);
Json byte_pair_model(const Vocabulary& vocabulary, Json merges);  // "BPE", with what both have

}  // namespace tokens

}  // namespace quern
