// A language model that reads tokens: graphs with input_ids and position_ids or attention_mask [batch, sequence], or both, and caches of
// keys and values that their runs hand on (past_key_values.N.key, present.N.key). One graph takes any number of tokens at once; several of
// fixed lengths, for prompts and for single tokens, share the caches.
#pragma once

#include <memory>

#include "libcore/deploy/engine.h"

namespace quern {

// Why it is none; "" if it is one.
std::string language_model_obstacle(const Graph& graph);

// The positions that its tables of angles or places have; INT64_MAX: it does not say.
int64_t positions_of_tables(const Graph& graph);

// Caches of such a graph, as pairs of an input and the output that it is in the next run; what each begins with: no positions, or zeros.
std::vector<std::pair<size_t, size_t>> cache_loops(const Graph& graph);
std::vector<Tensor> empty_caches(const Graph& graph);

// Tokens that one run reads at once; 0: any number.
int64_t tokens_at_once(const Graph& graph);
// The inputs of a run that reads `tokens` behind `position` others. Tokens are filled up to `length`. Caches are left undefined.
std::vector<Tensor> token_inputs(const Graph& graph, std::span<const int32_t> tokens, int64_t position, int64_t length);

// The graph as LanguageModel runs it: caches that grow become ones of `capacity` positions that are written in place, and unless all logits
// are wanted those of the last token alone are computed. Throws Exit::bad_input for a graph with an obstacle.
Graph as_language_model(Graph graph, int64_t capacity, bool all_logits);

class LanguageModel {
   public:
    struct Part {
        Graph interface;  // inputs and outputs
        std::unique_ptr<Engine> engine;
    };
    // `capacity`: of caches that grow. Throws Exit::bad_input for a part with an obstacle, or whose caches are not those of the others.
    LanguageModel(std::vector<Part> parts, int64_t capacity);

    // Reads tokens behind those read so far. The logits: [lines, vocabulary] of the last tokens, of all or of one as the graph gives them.
    // Throws Exit::bad_input for tokens beyond the vocabulary, or more than the caches have places for.
    std::span<const float> feed(std::span<const int32_t> tokens);
    void rewind();  // to the beginning: what was read is forgotten
    int64_t position() const { return position_; }
    int64_t capacity() const { return capacity_; }
    int64_t vocabulary() const { return vocabulary_; }

   private:
    struct Lane {
        Part part;
        int64_t length = 0;                             // tokens at once; 0: any
        size_t logits = 0;                              // which output
        std::vector<std::pair<size_t, size_t>> caches;  // input, output
    };
    Lane lane_of(Part part) const;
    Lane& best_for(int64_t tokens);
    void hand_caches_to(Lane& lane);
    void run(Lane& lane, std::span<const int32_t> tokens);

    std::vector<Lane> lanes_;
    Lane* holder_ = nullptr;  // has the caches
    int64_t capacity_, position_ = 0, vocabulary_ = 0;
    std::vector<float> logits_;
};

}  // namespace quern
