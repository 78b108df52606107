#include "engine/tokenizers/pattern.h"

#include <oniguruma.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/core/stopping.h"
#include "engine/json/json_fields.h"
#include "engine/unicode/unicode.h"

namespace headlight {
namespace {

using Clock = std::chrono::steady_clock;

struct FreeRegion {
  void operator()(OnigRegion* region) const { onig_region_free(region, 1); }
};
template <auto free>
struct Free {
  template <class T>
  void operator()(T* held) const {
    free(held);
  }
};
using Code = std::unique_ptr<regex_t, Free<onig_free>>;
using Region = std::unique_ptr<OnigRegion, FreeRegion>;
using Limits = std::unique_ptr<OnigMatchParam, Free<onig_free_match_param>>;

const OnigUChar* bytes_of(std::string_view text) {
  return reinterpret_cast<const OnigUChar*>(text.data());
}

std::string message_of(int code, OnigErrorInfo* info = nullptr) {
  std::array<OnigUChar, ONIG_MAX_ERROR_MESSAGE_LEN> text{};
  const int length = onig_error_code_to_str(text.data(), code, info);
  return {reinterpret_cast<const char*>(text.data()), static_cast<std::size_t>(length)};
}

// Oniguruma's tables are made once, by the first thread that compiles an expression.
void begin_oniguruma() {
  static const int begun = [] {
    OnigEncoding encoding = ONIG_ENCODING_UTF8;
    return onig_initialize(&encoding, 1);
  }();
  if (begun != ONIG_NORMAL)
    throw Error("regular expressions cannot be used: " + message_of(begun), "Oniguruma",
                "install the package of Oniguruma again");
}

Code compiled(const std::string& text, const std::string& place) {
  begin_oniguruma();
  OnigRegex code = nullptr;
  OnigErrorInfo info{};
  const int result = onig_new(&code, bytes_of(text), bytes_of(text) + text.size(), ONIG_OPTION_NONE,
                              ONIG_ENCODING_UTF8, ONIG_SYNTAX_ONIGURUMA, &info);
  if (result != ONIG_NORMAL)
    throw Error("the expression " + in_quotes(text) + " cannot be used: " + message_of(result, &info), place,
                "mend it, or save the tokenizer with another expression");
  return Code(code);
}

// One pass of an expression through a text.
class Walk {
 public:
  Walk(regex_t* code, std::string_view text, const std::function<Error(const std::string&)>& refusal)
      : code_(code), text_(text), refusal_(refusal) {
    // A million consecutive spaces may each be tried and released once; more steps mean an endless search.
    onig_initialize_match_param(limits_.get());
    onig_set_retry_limit_in_match_of_match_param(limits_.get(), 10'000'000);
    onig_set_match_stack_limit_size_of_match_param(limits_.get(), 4'000'000);
  }

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
  // Matches at one place at a time: Walk advances through the text itself, and can measure the time.
  std::optional<Stretch> match_at(std::size_t at) {
    watch_time();
    const OnigUChar* const begin = bytes_of(text_);
    const int length = onig_match_with_param(code_, begin, begin + text_.size(), begin + at, region_.get(),
                                             ONIG_OPTION_NONE, limits_.get());
    if (length == ONIG_MISMATCH) return std::nullopt;
    if (length < 0) throw refusal_(message_of(length));
    const auto first = static_cast<std::size_t>(region_->beg[0]);
    const auto end = static_cast<std::size_t>(region_->end[0]);
    if (first < at || end < first) throw refusal_("a match that does not go forward");
    return Stretch{first, end, true};
  }

  // Oniguruma limits the steps at one position; this limits expressions that read far at every position.
  void watch_time() {
    constexpr unsigned kPlaces = 64;
    if (++places_ % kPlaces != 0) return;
    throw_if_stopped();
    const std::chrono::duration<double> taken = Clock::now() - start_;
    const double megabytes = static_cast<double>(text_.size()) / 1e6;
    if (taken.count() > 1 + 2 * megabytes) throw refusal_("it takes too long");
  }

  regex_t* code_;
  Region region_{onig_region_new()};
  Limits limits_{onig_new_match_param()};
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
  const std::shared_ptr<regex_t> code = compiled(text, place);
  const std::function<Error(const std::string&)> refusal = [text, place](const std::string& why) {
    return Error("the expression " + in_quotes(text) + " cannot be followed through this text: " + why, place,
                 "use an expression that does not try the same text in so many ways");
  };
  return Pattern([code, refusal](std::string_view in,
                                 const Found& found) { Walk(code.get(), in, refusal).stretches(found); },
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
