#include "tools/foreign/plugin_library.h"

#include <dlfcn.h>

#include "libcore/backend/library_place.h"

namespace quern {
namespace {

template <class Function>
Function symbol(void* library, const char* name) {
    return reinterpret_cast<Function>(::dlsym(library, name));
}

#define NEED(field) need_field(QUERN_HAS(&table, field) && table.field, #field)

void check_options(const quern_codegen_plugin& table) {
    if (table.option_count > 0 && !table.options) throw unsupported("its table has no options");
    for (size_t i = 0; i < table.option_count; ++i)
        if (!table.options[i] || !table.options[i]->name || !table.options[i]->doc)
            throw unsupported("option {} of its table has no name or doc", i);
}

void check_plugin(const quern_codegen_plugin& table) {
    NEED(name), NEED(version), NEED(doc), NEED(generate);
    check_options(table);
    if (table.input < QUERN_INPUT_GRAPH || table.input > QUERN_INPUT_TFLITE)
        throw unsupported("its table has the input {}, need 0 to {}", table.input, int{QUERN_INPUT_TFLITE});
    if (table.product < QUERN_PRODUCT_STREAM || table.product > QUERN_PRODUCT_PATH)
        throw unsupported("its table has the product {}, need 0 or 1", table.product);
}

}  // namespace

PluginLibrary::PluginLibrary(const std::string& path) {
    void* library = ::dlmopen(LM_ID_NEWLM, path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char* why = ::dlerror();
        throw unsupported("cannot be loaded: {}", why ? why : "no reason given");
    }
    flush_ = symbol<int (*)(void*)>(library, "fflush");
    if (const auto entry = symbol<quern_codegen_entry_fn>(library, QUERN_CODEGEN_ENTRY)) {
        table_ = &checked_table(entry(QUERN_CODEGEN_ABI), QUERN_CODEGEN_ABI, "codegen plugin");
        check_plugin(*table_);
        return;
    }
    create_ = symbol<OnertCodegen* (*)()>(library, "create_codegen");
    destroy_ = symbol<void (*)(OnertCodegen*)>(library, "destroy_codegen");
    if (!create_ && !destroy_) throw unsupported("has neither a function {} nor onert's create_codegen", QUERN_CODEGEN_ENTRY);
    if (!create_ || !destroy_) throw unsupported("has no function {}", create_ ? "destroy_codegen" : "create_codegen");
}

void PluginLibrary::flush() const {
    if (flush_) flush_(nullptr);
}

// The class is the plugin's own, with onert's functions in their order, so its type is none that a sanitizer knows.
__attribute__((no_sanitize("vptr"))) int PluginLibrary::onert_codegen(const char* model, const char* output) const {
    OnertCodegen* codegen = create_();
    if (!codegen) throw unsupported("create_codegen gave nothing");
    const int status = codegen->codegen(model, output);
    destroy_(codegen);
    return status;
}

}  // namespace quern
