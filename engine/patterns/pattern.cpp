#include "engine/patterns/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/core/stopping.h"
#include "engine/json/json_fields.h"
#include "engine/patterns/pattern_dialect.h"
#include "engine/unicode/unicode.h"

namespace headlight {
namespace {

using Clock = std::chrono::steady_clock;

template <auto free>
struct Free {
  template <class T>
  void operator()(T* held) const {
    free(held);
  }
};
using Code = std::unique_ptr<pcre2_code, Free<pcre2_code_free>>;
using CompileContext = std::unique_ptr<pcre2_compile_context, Free<pcre2_compile_context_free>>;
using MatchContext = std::unique_ptr<pcre2_match_context, Free<pcre2_match_context_free>>;
using MatchData = std::unique_ptr<pcre2_match_data, Free<pcre2_match_data_free>>;
using JitStack = std::unique_ptr<pcre2_jit_stack, Free<pcre2_jit_stack_free>>;

// What a match needs besides the expression.
struct MatchMemory {
  MatchMemory() {
    // A million consecutive spaces may each be tried and released once; more steps mean an endless search.
    pcre2_set_match_limit(context.get(), 10'000'000);
    pcre2_set_depth_limit(context.get(), 10'000'000);
    pcre2_set_heap_limit(context.get(), 1 << 16);  // KiB
    pcre2_jit_stack_assign(context.get(), nullptr, stack.get());
  }
  MatchData data{pcre2_match_data_create(1, nullptr)};
  MatchContext context{pcre2_match_context_create(nullptr)};
  JitStack stack{pcre2_jit_stack_create(1 << 15, 1 << 24, nullptr)};
};

// A compiled expression and the memory for its matches, which later searches reuse: a text is searched in
// pieces. Concurrent searches have separate memory.
class Expression {
 public:
  explicit Expression(Code code) : code_(std::move(code)) {}
  const pcre2_code* code() const { return code_.get(); }

  class MemoryLease {
   public:
    explicit MemoryLease(Expression& from) : from_(from), memory_(from.take()) {}
    ~MemoryLease() { from_.give_back(std::move(memory_)); }
    MemoryLease(const MemoryLease&) = delete;
    MemoryLease& operator=(const MemoryLease&) = delete;
    MatchMemory& operator*() const { return *memory_; }

   private:
    Expression& from_;
    std::unique_ptr<MatchMemory> memory_;
  };

 private:
  std::unique_ptr<MatchMemory> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<MatchMemory>();
    std::unique_ptr<MatchMemory> memory = std::move(idle_.back());
    idle_.pop_back();
    return memory;
  }
  void give_back(std::unique_ptr<MatchMemory> memory) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(memory));
  }

  Code code_;
  std::mutex mutex_;  // guards idle_
  std::vector<std::unique_ptr<MatchMemory>> idle_;
};

std::string message_of(int code) {
  std::array<PCRE2_UCHAR, 200> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  return std::string(reinterpret_cast<const char*>(text.data()));
}

Code compiled(const std::string& text, const std::string& place) {
  const std::string expression = pcre_expression(text, place);
  const CompileContext context(pcre2_compile_context_create(nullptr));
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  pcre2_set_max_pattern_length(context.get(), 500'000);
  int error = 0;
  PCRE2_SIZE at = 0;
  // Anchored: Walk advances through the text itself, and can measure the time.
  constexpr std::uint32_t kOptions =
      PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_ANCHORED | PCRE2_NEVER_BACKSLASH_C;
  Code code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.data()), expression.size(), kOptions,
                          &error, &at, context.get()));
  if (!code)
    throw Error("the expression " + in_quotes(text) + " cannot be used: " + message_of(error), place,
                "mend it, or save the tokenizer with another expression");
  pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);  // without a JIT compiler it is interpreted
  return code;
}

// One pass of an expression through a text.
class Walk {
 public:
  Walk(const pcre2_code* code, MatchMemory& memory, std::string_view text,
       const std::function<Error(const std::string&)>& refusal)
      : code_(code), memory_(memory), text_(text), refusal_(refusal) {}

  // Calls found(stretch) for each stretch in order.
  template <class Found>
  void stretches(const Found& found) {
    std::size_t done = 0;
    std::optional<std::size_t> last;  // end of the previous match: an empty one there does not count
    for (std::size_t at = 0; at <= text_.size();) {
      const std::optional<Stretch> match = match_at(at);
      if (!match || (match->begin == match->end && match->end == last)) {
        if (at == text_.size()) break;
        next_character(text_, at);
        continue;
      }
      if (done < match->begin) found({done, match->begin, false});
      found(*match);
      last = done = at = match->end;
    }
    if (done < text_.size()) found({done, text_.size(), false});
  }

 private:
  std::optional<Stretch> match_at(std::size_t at) {
    watch_time();
    const int result = pcre2_match(code_, reinterpret_cast<PCRE2_SPTR>(text_.data()), text_.size(), at,
                                   PCRE2_NO_UTF_CHECK, memory_.data.get(), memory_.context.get());
    if (result == PCRE2_ERROR_NOMATCH) return std::nullopt;
    if (result < 0) throw refusal_(message_of(result));
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(memory_.data.get());
    if (ends[0] < at || ends[1] < ends[0]) throw refusal_("a match that does not go forward");
    return Stretch{ends[0], ends[1], true};
  }

  // PCRE2 limits the steps at one position; this limits expressions that read far at every position.
  void watch_time() {
    constexpr unsigned kPlaces = 64;
    if (++places_ % kPlaces != 0) return;
    throw_if_stopped();
    const std::chrono::duration<double> taken = Clock::now() - start_;
    const double megabytes = static_cast<double>(text_.size()) / 1e6;
    if (taken.count() > 1 + 2 * megabytes) throw refusal_("it takes too long");
  }

  const pcre2_code* code_;
  MatchMemory& memory_;
  std::string_view text_;
  const std::function<Error(const std::string&)>& refusal_;
  Clock::time_point start_ = Clock::now();
  unsigned places_ = 0;
};

template <class Found>
void literal_stretches(std::string_view text, const std::string& wanted, const Found& found) {
  std::size_t done = 0;
  for (std::size_t at = 0; (at = text.find(wanted, done)) != std::string_view::npos;) {
    if (done < at) found({done, at, false});
    done = at + wanted.size();
    found({at, done, true});
  }
  if (done < text.size()) found({done, text.size(), false});
}

}  // namespace

Pattern Pattern::read(const Json& value, const std::string& place) {
  const JsonFields fields(value, place, {"String", "Regex"});
  if (fields.has("String") == fields.has("Regex"))
    throw Error("a pattern has either \"String\" or \"Regex\"", place, "keep one of the two");
  const char* kind = fields.has("String") ? "String" : "Regex";
  const std::string text = fields.text(kind, "");
  return fields.has("String") ? literal(text, fields.place(kind)) : expression(text, fields.place(kind));
}

Pattern Pattern::literal(const std::string& text, const std::string& place) {
  if (text.empty()) throw Error("the text to look for is empty", place, "write the text that is meant");
  return Pattern([text](std::string_view in, const Found& found) { literal_stretches(in, text, found); },
                 place);
}

Pattern Pattern::expression(const std::string& text, const std::string& place) {
  const auto shared = std::make_shared<Expression>(compiled(text, place));
  const std::function<Error(const std::string&)> refusal = [text, place](const std::string& why) {
    return Error("the expression " + in_quotes(text) + " cannot be followed through this text: " + why, place,
                 "use an expression that does not try the same text in so many ways");
  };
  return Pattern(
      [shared, refusal](std::string_view in, const Found& found) {
        const Expression::MemoryLease memory(*shared);
        Walk(shared->code(), *memory, in, refusal).stretches(found);
      },
      place);
}

std::vector<Stretch> Pattern::stretches(std::string_view text) const {
  std::vector<Stretch> all;
  search_(text, [&](const Stretch& stretch) { all.push_back(stretch); });
  return all;
}

std::string Pattern::replaced(std::string_view text, const std::string& content,
                              const Allowance& allowance) const {
  std::string made;
  search_(text, [&](const Stretch& stretch) {
    made +=
        stretch.match ? std::string_view(content) : text.substr(stretch.begin, stretch.end - stretch.begin);
    allowance.require_room(made.size(), place_);
  });
  return made;
}

}  // namespace headlight
