#include "tests/unit/attention_draw.h"

#include <algorithm>

namespace quern {
namespace {

class Drawing {
   public:
    explicit Drawing(uint32_t seed) : random_(seed) {}

    DrawnAttention draw() {
        batch_ = number(1, 2), kv_heads_ = number(1, 3), q_heads_ = kv_heads_ * pick({1, 1, 2, 4}), size_ = pick({2, 8, 20, 64});
        v_size_ = pick({size_, 8, 13, 72}), q_len_ = pick({1, 1, 3, 17, 70}), fresh_ = chance(3) ? q_len_ : pick({1, 5, 70, 150, 600});
        const bool has_past = chance(3), valid = !has_past && chance(3);
        past_ = has_past ? pick({0, 1, 30, 130}) : 0;
        kv_len_ = past_ + fresh_;
        result_.in.resize(7);
        result_.in[0] = heads(q_heads_, q_len_, size_, "q_num_heads"), result_.in[1] = heads(kv_heads_, fresh_, size_, "kv_num_heads"),
        result_.in[2] = heads(kv_heads_, fresh_, v_size_, {});
        if (chance(2)) result_.in[3] = mask();
        if (has_past) {
            result_.in[4] = random_floats(random_, {batch_, kv_heads_, past_, size_});
            result_.in[5] = random_floats(random_, {batch_, kv_heads_, past_, v_size_});
        }
        if (valid) result_.in[6] = lengths();
        result_.outputs = chance(3) ? 3 : 1;
        rules();
        return result_;
    }

   private:
    int64_t number(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }
    bool chance(int64_t one_of) { return number(1, one_of) == 1; }
    int64_t pick(const std::vector<int64_t>& all) { return all[static_cast<size_t>(number(0, static_cast<int64_t>(all.size()) - 1))]; }
    void set(std::string_view name, Attr value) { result_.attrs[std::string(name)] = std::move(value); }

    // The first operand says whether all are of rank 3.
    Tensor heads(int64_t heads, int64_t length, int64_t size, std::string_view attribute) {
        if (attribute == "q_num_heads") packed_ = chance(2);
        if (packed_ && !attribute.empty()) set(attribute, heads);
        return random_floats(random_, packed_ ? Dims{batch_, length, heads * size} : Dims{batch_, heads, length, size});
    }
    Tensor mask() {
        const int64_t columns = chance(4) ? number(1, kv_len_) : kv_len_;
        const std::vector<Dims> shapes{
            {columns}, {q_len_, columns}, {batch_, 1, q_len_, columns}, {1, q_heads_, 1, columns}, {batch_, q_heads_, q_len_, columns}};
        const Dims dims = shapes[static_cast<size_t>(number(0, 4))];
        if (chance(2)) return random_floats(random_, dims, 2);
        std::vector<uint8_t> items(static_cast<size_t>(count_of(dims)));
        for (uint8_t& item : items) item = chance(4) ? 0 : 1;
        return {DType::boolean, dims, Bytes::copy_of(std::span<const uint8_t>(items))};
    }
    Tensor lengths() {
        std::vector<int64_t> all;
        for (int64_t b = 0; b < batch_; ++b) all.push_back(number(0, kv_len_));
        return ints_of(all);
    }
    void rules() {
        if (chance(2)) set("is_causal", int64_t{1});
        if (chance(4)) set("left_window_size", number(0, 40));
        if (chance(5)) set("right_window_size", number(0, 40));
        if (chance(3)) set("softcap", 1.5f);
        if (chance(3)) set("scale", 0.3f);
    }

    std::mt19937 random_;
    int64_t batch_ = 0, kv_heads_ = 0, q_heads_ = 0, size_ = 0, v_size_ = 0, q_len_ = 0, fresh_ = 0, past_ = 0, kv_len_ = 0;
    bool packed_ = false;
    DrawnAttention result_;
};

}  // namespace

DrawnAttention draw_attention(uint32_t seed) { return Drawing(seed).draw(); }

}  // namespace quern
