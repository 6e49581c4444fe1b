// quantize's options about number formats.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcore/cli/tool.h"
#include "libcore/quant/types/rules.h"

namespace quern {

class TypeFlags {
   public:
    void add(Options& add);
    // The name given, else that of the target or of --dynamic, else i8. Says which a target takes. Throws Exit::usage.
    void choose();
    const Scheme& scheme() const { return own_ ? *own_ : scheme_named(name_); }
    // Adds the rules of --op-types; nothing if it is not given.
    void add_rules(std::optional<Rules>& rules) const;
    const std::string& name() const { return name_; }
    // The format whose runtime the target is; "": none is given, or it takes any.
    const std::string& format() const { return format_; }
    // Whose rules encodings follow; "": the format's.
    const std::string& runtime() const { return runtime_; }
    // Whose shapes are static; "": open dims stay.
    const std::string& static_for() const { return static_for_; }
    bool is_ours() const;  // else a type of ggml
    bool per_tensor() const { return per_tensor_; }
    std::optional<int64_t> block() const { return given_.block; }  // as --block says

   private:
    SchemeChanges choose_dynamic();
    void choose_target();
    void change(SchemeChanges changes);

    std::string name_, target_, format_, runtime_, static_for_, dynamic_;
    std::vector<std::string> op_types_;
    std::string act_sym_, weight_sym_;
    bool per_tensor_ = false, per_channel_ = false, per_row_ = false, two_level_ = false;
    SchemeChanges given_;
    std::optional<Scheme> own_;  // a type that is changed
};

void list_spellings();  // of types, that other tools have

}  // namespace quern
