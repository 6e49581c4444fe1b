#include "tools/run/language.h"

#include <csignal>
#include <cstdio>

#include "libcore/base/json.h"
#include "libcore/cli/progress.h"
#include "libcore/os/io.h"
#include "libcore/runs/statistics.h"
#include "libcore/text/language_model.h"
#include "libcore/text/perplexity.h"
#include "libcore/tokens/chat.h"
#include "libcore/tokens/tokenizer.h"

namespace quern {
namespace {

volatile std::sig_atomic_t interrupted = 0;

// Ctrl-C ends the text behind the token that is being made; then the process dies of it, as its parent expects.
class Interruption {
   public:
    Interruption() {
        struct sigaction action = {};
        action.sa_handler = [](int) { interrupted = 1; };
        action.sa_flags = static_cast<int>(SA_RESETHAND);  // a second one ends at once
        sigaction(SIGINT, &action, &before_);
    }
    ~Interruption() {
        sigaction(SIGINT, &before_, nullptr);
        if (interrupted) std::raise(SIGINT);
    }
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

   private:
    struct sigaction before_ = {};
};

struct Speed {
    int64_t tokens = 0;
    double seconds = 0;
    double per_second() const { return seconds > 0 ? static_cast<double>(tokens) / seconds : 0; }
};

class LanguageRunner {
   public:
    LanguageRunner(const LanguageSource& source, const LanguageFlags& flags, const LanguageReport& how)
        : source_(source), flags_(flags), how_(how), tokenizer_(source.make_tokenizer()) {}

    Exit perplexity() {
        const int64_t length = flags_.context > 0 ? flags_.context : default_window;
        const TokenWindows windows(read_token_text(tokenizer_ ? &*tokenizer_ : nullptr, flags_.perplexity), length);
        LanguageModel model = source_.open(length, true);
        Progress progress("scoring", static_cast<uint64_t>(windows.count()));
        const Stopwatch watch;
        const Perplexity found = quern::perplexity(model, windows, [&] { progress.step(); });
        const double rate = static_cast<double>(windows.count() * length) / watch.seconds();
        if (how_.json)
            print(json_document({{"perplexity", found.value},
                                 {"error", found.error},
                                 {"context", length},
                                 {"windows", windows.count()},
                                 {"scored", found.scored},
                                 {"tokens_per_second", rate}}));
        else
            print(fmt::format("perplexity {:.4f} +/- {:.4f} over {} windows of {} tokens, {:.1f} tokens/s\n", found.value, found.error,
                              windows.count(), length, rate));
        return Exit::ok;
    }

    Exit go_on() {
        const std::vector<int32_t> prompt = prompt_tokens();
        if (prompt.empty()) throw usage_error("the prompt has no tokens, and the model begins with none of its own");
        const auto length = static_cast<int64_t>(prompt.size());
        const int64_t max = source_.positions;
        const int64_t wanted = flags_.count >= 0 ? length + flags_.count : std::max(length + 1, std::min<int64_t>(max, 4096));
        LanguageModel model = source_.open(flags_.context > 0 ? flags_.context : std::min(wanted, max), false);
        const Interruption interruption;
        return generate(model, prompt);
    }

   private:
    std::vector<int32_t> prompt_tokens() const {
        if (!flags_.prompt_tokens.empty()) return read_token_text(nullptr, flags_.prompt_tokens).tokens;
        if (!tokenizer_) throw unsupported("the model brings no tokenizer").with_hint("--prompt-tokens FILE takes ids");
        const std::string text = *flags_.prompt == "-" ? std::string(map_input("-").text()) : *flags_.prompt;
        if (flags_.chat.empty()) return tokenizer_->encode(text, {.add_special = !flags_.no_special});
        std::vector<ChatMessage> messages;
        if (!flags_.system.empty()) messages.push_back({"system", flags_.system});
        messages.push_back({"user", text});
        return tokenizer_->encode(render_chat(chat_form(), messages, true), {.add_special = !flags_.no_special, .parse_special = true});
    }

    const ChatForm& chat_form() const {
        if (flags_.chat != "auto") return chat_form_named(flags_.chat);
        if (const ChatForm* found = recognize_chat_form(tokenizer_->data().chat_template)) return *found;
        throw unsupported("the model's chat template is not known").with_hint("give --chat NAME");
    }

    Exit generate(LanguageModel& model, const std::vector<int32_t>& prompt) {
        std::string text;
        const auto say = [&](const std::string& piece) {
            if (how_.json)
                text += piece;
            else if (!piece.empty())
                print(piece);
            if (!how_.json) std::fflush(stdout);
        };
        std::optional<TextStream> stream;
        if (tokenizer_) stream.emplace(*tokenizer_, true);
        const auto piece_of = [&](int32_t id) { return stream ? stream->add(id) : fmt::format("{}\n", id); };
        for (const int32_t id : prompt) {  // which the blank before the text belongs to
            const std::string piece = piece_of(id);
            if (flags_.echo) say(piece);
        }
        const Stopwatch reading;
        std::span<const float> logits;
        for (size_t at = 0; at < prompt.size() && !interrupted; at += static_cast<size_t>(flags_.batch))
            logits = model.feed(std::span(prompt).subspan(at, std::min(static_cast<size_t>(flags_.batch), prompt.size() - at)));
        const Speed read{static_cast<int64_t>(prompt.size()), reading.seconds()};
        std::vector<int32_t> made;
        Sampler sampler(flags_.sampler);
        const Stopwatch writing;
        bool ended = false;
        while (!interrupted && (flags_.count < 0 || static_cast<int64_t>(made.size()) < flags_.count)) {
            const int32_t id = sampler.next(logits.last(static_cast<size_t>(model.vocabulary())));
            if (!flags_.ignore_end && tokenizer_ && tokenizer_->is_end(id)) {
                ended = true;
                break;
            }
            made.push_back(id);
            say(piece_of(id));
            if (model.position() >= model.capacity() || static_cast<int64_t>(made.size()) == flags_.count) break;
            logits = model.feed(std::span(&id, 1));
        }
        const Speed wrote{static_cast<int64_t>(made.size()), writing.seconds()};
        if (stream) say(stream->rest());
        if (!how_.json && stream) print("\n");
        report(text, made, read, wrote, ended);
        return Exit::ok;
    }

    void report(const std::string& text, const std::vector<int32_t>& made, const Speed& read, const Speed& wrote, bool ended) const {
        if (how_.json) {
            Json out{{"tokens", made},
                     {"prompt_tokens", read.tokens},
                     {"prompt_tokens_per_second", read.per_second()},
                     {"decode_tokens_per_second", wrote.per_second()},
                     {"ended", ended}};
            if (tokenizer_) out["text"] = text;
            print(json_document(out));
        } else if (how_.timing) {
            notice(fmt::format("prompt {} tokens, {:.1f} tokens/s; decode {} tokens, {:.1f} tokens/s", read.tokens, read.per_second(),
                               wrote.tokens, wrote.per_second()));
        }
    }

    const LanguageSource& source_;
    const LanguageFlags& flags_;
    const LanguageReport& how_;
    std::optional<Tokenizer> tokenizer_;
};

}  // namespace

void LanguageFlags::add(Options& add) {
    add.group("Text");
    add.text(prompt, "--prompt", "TEXT", "go on from this text, or from standard input (-), and write what follows as it comes");
    add.input(prompt_tokens, "--prompt-tokens", "FILE", "the same from ids, which are numbers in a text; - is standard input");
    add.integer(count, "-n,--predict", "N", "tokens to write (default: until the model ends, or the context is full)", 0);
    add.integer(context, "--ctx", "N",
                "positions of the caches, prompt included (default: as many as are needed); for --perplexity of a window (512)", 1);
    add.integer(batch, "--batch", "N", "prompt tokens that are read at once (default: 512)", 1);
    add.text(chat, "--chat", "NAME", "put the prompt into a conversation in this form, or as the model's own template has it (auto)");
    add.text(system, "--system", "TEXT", "what a conversation begins with");
    add.real(sampler.temperature, "--temp", "T", "draw tokens, logits divided by T (default: 0, the most likely one)", {0, 1e6});
    add.integer(sampler.top_k, "--top-k", "N", "of the N most likely ones (default: 40; 0: all)", 0);
    add.real(sampler.top_p, "--top-p", "P", "of those that have P of the probability (default: 0.95)", {0, 1});
    add.real(sampler.min_p, "--min-p", "P", "of those with at least P of the greatest probability (default: 0.05)", {0, 1});
    add.integer(seed, "--seed", "N", "of what is drawn (default: 0)", 0);
    add.flag(echo, "--echo", "write the prompt, too");
    add.flag(ignore_end, "--ignore-eos", "go on behind tokens that end a text");
    add.flag(no_special, "--no-bos", "begin with the prompt's own tokens only");
    add.input(perplexity, "--perplexity", "FILE", "score how well the model foresees a text, in windows of --ctx tokens");
}

void check_language_usage(const GivenOptions& given) {
    static constexpr std::string_view writing[] = {"--predict", "--chat", "--system", "--temp",  "--top-k",     "--top-p",
                                                   "--min-p",   "--seed", "--echo",   "--batch", "--ignore-eos"};
    static constexpr std::string_view reading[] = {"--ctx", "--no-bos"};
    static constexpr std::string_view samples[] = {"--input-list", "--input",          "--random",       "--skip-rows",   "--rows",
                                                   "--native-io",  "--labels",         "--num-runs",     "--warmup-runs", "--output-dir",
                                                   "--format",     "--label-offset",   "--score-output", "--stateful",    "--state",
                                                   "--parallel",   "--verify-backend", "--metric"};
    const bool prompt = given.has("--prompt") || given.has("--prompt-tokens"), scored = given.has("--perplexity");
    if (prompt || scored) given.refuse(samples, "is not for texts");
    if (scored) given.refuse(writing, "is not for --perplexity");
    if (prompt || scored) return;
    given.refuse(writing, "is for --prompt and --prompt-tokens");
    given.refuse(reading, "is for texts: --prompt, --prompt-tokens and --perplexity");
}

Exit run_language(const LanguageSource& source, const LanguageFlags& flags, const LanguageReport& how) {
    LanguageFlags own = flags;
    own.sampler.seed = static_cast<uint64_t>(flags.seed);
    LanguageRunner runner(source, own, how);
    return flags.perplexity.empty() ? runner.go_on() : runner.perplexity();
}

}  // namespace quern
