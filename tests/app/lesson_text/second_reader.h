// A check of evaluated lesson texts: an evaluated text is correct if it matches the file's text with the
// branches, numbers and names that plain_conditions.h computes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/figure/plan/names.h"
#include "app/lesson_text/lesson_controls.h"
#include "tests/app/lesson_text/plain_conditions.h"

namespace headlight_test {

class SecondReader : private PlainConditions {
 public:
  using PlainConditions::PlainConditions;

  // Whether `told` is a correct evaluation of `text` in these states.
  bool may_tell(const std::string& text, const std::string& told) {
    told_ = told;
    furthest_ = 0;
    std::size_t at = 0;
    const Pieces pieces = cut(text, at);
    return match(pieces, 0, 0, [this](std::size_t end) { return end == told_.size(); });
  }
  // The part of the evaluated text that matched.
  std::string read_so_far() const { return told_.substr(0, furthest_); }
  std::size_t conditions() const { return conditions_; }
  std::size_t sure() const { return sure_; }
  std::size_t numbers() const { return numbers_; }

 private:
  struct Piece;
  using Pieces = std::vector<Piece>;
  struct Branch {
    std::optional<std::string> condition;
    Pieces pieces;
  };
  struct Piece {
    std::string words, field;
    std::vector<Branch> branches;
  };
  using Then = std::function<bool(std::size_t)>;

  // --- the text ---

  static std::string first_word(const std::string& field) { return field.substr(0, field.find(' ')); }

  // Parses the text up to an unmatched {elif}, {else} or {end}, and sets `at` to its position.
  static Pieces cut(const std::string& text, std::size_t& at) {
    Pieces pieces;
    while (at < text.size()) {
      if (text[at] != '{') {
        const std::size_t end = std::min(text.find('{', at), text.size());
        pieces.push_back({text.substr(at, end - at), "", {}});
        at = end;
        continue;
      }
      const std::size_t end = text.find('}', at);
      const std::string field = text.substr(at + 1, end - at - 1), word = first_word(field);
      if (word == "elif" || word == "else" || word == "end") return pieces;
      at = end + 1;
      if (word != "if") {
        pieces.push_back({"", field, {}});
        continue;
      }
      Piece piece;
      std::optional<std::string> condition = field.substr(3);
      for (bool open = true; open;) {
        piece.branches.push_back({condition, cut(text, at)});
        const std::size_t close = text.find('}', at);
        const std::string mark = text.substr(at + 1, close - at - 1);
        at = close + 1;
        condition = first_word(mark) == "elif" ? std::optional(mark.substr(5)) : std::nullopt;
        open = mark != "end";
      }
      pieces.push_back(piece);
    }
    return pieces;
  }

  bool match(const Pieces& pieces, std::size_t index, std::size_t at, const Then& then) {
    furthest_ = std::max(furthest_, at);
    if (index == pieces.size()) return then(at);
    const Piece& piece = pieces[index];
    const Then on = [&, index](std::size_t end) { return match(pieces, index + 1, end, then); };
    if (!piece.branches.empty()) return match_branches(piece, 0, at, on);
    if (piece.field.empty()) return match_words(piece.words, at, on);
    return match_field(piece.field, at, on);
  }

  bool match_words(const std::string& words, std::size_t at, const Then& then) const {
    return told_.compare(at, words.size(), words) == 0 && then(at + words.size());
  }
  bool match_gone(std::size_t at, const Then& then) const { return match_words("–", at, then); }

  bool match_branches(const Piece& piece, std::size_t branch, std::size_t at, const Then& then) {
    if (branch == piece.branches.size()) return false;
    const Branch& one = piece.branches[branch];
    const Holds holds = one.condition ? decide(*one.condition) : Holds::Yes;
    ++conditions_;
    sure_ += holds != Holds::Either;
    if (holds == Holds::Yes) return match(one.pieces, 0, at, then);
    if (holds == Holds::No) return match_branches(piece, branch + 1, at, then);
    if (match_gone(at, then)) return true;
    return holds == Holds::Either &&
           (match(one.pieces, 0, at, then) || match_branches(piece, branch + 1, at, then));
  }

  bool match_field(const std::string& field, std::size_t at, const Then& then) {
    const std::string word = first_word(field), rest = field.substr(std::min(field.size(), word.size() + 1));
    if (word == "fixed") return match_words(rest.substr(0, rest.find(": ")), at, then);
    if (word == "type" || word == "index") return match_words(rest, at, then);
    if (word == "control") return match_control(rest, at, then);
    if (word == "slide") return match_numbers(referenced(first_word(rest)), rest.size(), at, then);
    if (word == "compare") return match_compare(rest, at, then);
    if (word == "calc") {
      const Numbers numbers = amount(rest);
      if (!numbers || numbers->size() != 1 || std::isnan(numbers->front().value)) return match_gone(at, then);
      return match_number(numbers->front(), at, then) ||
             (!std::isfinite(numbers->front().error) && match_gone(at, then));
    }
    if (word == "now") return match_now(rest, at, then);
    if (field.ends_with(" words")) return match_number_word(field.substr(0, field.size() - 6), at, then);
    return match_reference(field, at, then);
  }

  bool match_control(const std::string& rest, std::size_t at, const Then& then) const {
    const std::size_t colon = rest.find(": ");
    if (colon != std::string::npos) return match_words(rest.substr(colon + 2), at, then);
    const auto& all = headlight::lesson_controls();
    const auto named =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == rest; });
    return named != all.end() && match_words(named->label, at, then);
  }

  // "0.1050 (at first 0.2935)"; the brackets only if the first value exists and differs in the digits shown.
  bool match_now(const std::string& reference, std::size_t at, const Then& then) {
    return match_reference(reference, at, [&](std::size_t end) {
      const std::string now = told_.substr(at, end - at);
      const bool was_there = then_exists(reference);
      if (match_words(" (at first ", end, [&](std::size_t from) {
            return was_there && match_reference("first " + reference, from, [&](std::size_t to) {
                     return told_.substr(from, to - from) != now && match_words(")", to, then);
                   });
          }))
        return true;
      return then(end) && (!was_there || match_alike(reference, now));
    });
  }
  // Whether the first value may show the same digits, so that it is not shown.
  bool match_alike(const std::string& reference, const std::string& now) {
    const std::string told = std::exchange(told_, now);
    const bool alike =
        match_reference("first " + reference, 0, [&](std::size_t end) { return end == told_.size(); });
    told_ = told;
    return alike;
  }

  bool match_compare(const std::string& field, std::size_t at, const Then& then) {
    const std::size_t comma = field.find(", "), colon = field.find(": ");
    const std::string left = field.substr(0, comma), right = field.substr(comma + 2, colon - comma - 2);
    std::vector<std::string> ways(1);
    for (const char c : field.substr(colon + 2))
      if (c == '|')
        ways.emplace_back();
      else
        ways.back() += c;
    for (std::string& way : ways) {
      way.erase(0, way.find_first_not_of(' '));
      way.erase(way.find_last_not_of(' ') + 1);
    }
    const auto plain = [](const std::string& words) { return Piece{words, "", {}}; };
    Piece piece;
    piece.branches = {{left + " ~ " + right, {plain(ways[1])}},
                      {left + " < " + right, {plain(ways[0])}},
                      {left + " > " + right, {plain(ways[2])}}};
    return match_branches(piece, 0, at, then);
  }

  bool match_number_word(const std::string& reference, std::size_t at, const Then& then) {
    static const std::vector<std::string> kWords = {"no",   "one",    "two",   "three", "four",
                                                    "five", "six",    "seven", "eight", "nine",
                                                    "ten",  "eleven", "twelve"};
    const Numbers numbers = referenced(reference);
    if (!numbers) return match_gone(at, then);
    const double value = numbers->front().value;
    if (value >= 0 && value <= 12) return match_words(kWords[static_cast<std::size_t>(value)], at, then);
    return match_number(numbers->front(), at, then);
  }

  bool match_reference(std::string reference, std::size_t at, const Then& then) {
    const std::size_t colon = reference.find(':');
    reference = reference.substr(0, colon);
    for (const std::string word : {" largest_token", " smallest_token"})
      if (const std::size_t found = reference.find(word); found != std::string::npos)
        return match_extreme(reference.erase(found, word.size()), word == " largest_token", at, then);
    if (reference.find("token[") != std::string::npos) return match_token(reference, at, then);
    if (reference.ends_with(" terms")) return match_terms(reference, at, then);
    const Numbers numbers = told(reference);
    const bool entropy = reference.ends_with(" entropy");
    if (!numbers || (entropy && std::isnan(numbers->front().value))) return match_gone(at, then);
    if (entropy && !std::isfinite(numbers->front().error) && match_gone(at, then)) return true;
    return match_numbers(numbers, numbers->size(), at, then);
  }

  bool match_numbers(const Numbers& numbers, std::size_t, std::size_t at, const Then& then) {
    if (!numbers) return match_gone(at, then);
    return match_list(*numbers, 0, at, then);
  }
  bool match_list(const std::vector<Number>& numbers, std::size_t index, std::size_t at, const Then& then) {
    return match_number(numbers[index], at, [&](std::size_t end) {
      if (index + 1 == numbers.size()) return then(end);
      const bool cut_here = numbers.size() > 8 && index == 5;
      return match_words(cut_here ? ", …, " : ", ", end, [&](std::size_t next) {
        return match_list(numbers, cut_here ? numbers.size() - 1 : index + 1, next, then);
      });
    });
  }

  // A number in digits, correct to half a unit of the last one.
  bool match_number(const Number& number, std::size_t at, const Then& then) {
    std::string digits;
    std::size_t end = at;
    const auto take = [&](const std::string& sign, const char* as) {
      if (told_.compare(end, sign.size(), sign) != 0) return false;
      end += sign.size();
      digits += as;
      return true;
    };
    take("−", "-");
    if (!take("∞", "inf") && !take("NaN", "nan"))
      while (end < told_.size() && std::isdigit(static_cast<unsigned char>(told_[end])))
        take(std::string(1, told_[end]), std::string(1, told_[end]).c_str());
    std::size_t decimals = 0;
    if (end + 1 < told_.size() && told_[end] == '.' &&
        std::isdigit(static_cast<unsigned char>(told_[end + 1]))) {
      take(".", ".");
      for (; end < told_.size() && std::isdigit(static_cast<unsigned char>(told_[end])); ++decimals)
        take(std::string(1, told_[end]), std::string(1, told_[end]).c_str());
    }
    if (take("e", "e")) {
      while (take("-", "-") || take("−", "-") || take("+", "+") ||
             (end < told_.size() && std::isdigit(static_cast<unsigned char>(told_[end])) &&
              take(std::string(1, told_[end]), std::string(1, told_[end]).c_str()))) {
      }
    }
    if (digits.empty() || digits == "-") return false;
    ++numbers_;
    return fits(number, std::strtod(digits.c_str(), nullptr), decimals,
                digits.find('e') != std::string::npos) &&
           then(end);
  }
  static bool fits(const Number& number, double shown, std::size_t decimals, bool exponent) {
    if (!std::isfinite(number.error)) return true;
    if (std::isnan(number.value) || std::isnan(shown)) return std::isnan(number.value) && std::isnan(shown);
    if (std::isinf(number.value) || std::isinf(shown))
      return number.value == shown || std::abs(number.value) > 3e38;
    const double rounding =
        exponent ? 2e-3 * std::abs(shown) : 0.5 * std::pow(10.0, -static_cast<double>(decimals)) * 1.0001;
    return std::abs(shown - number.value) <= rounding + number.error + 1e-6 * std::abs(number.value) + 1e-12;
  }

  bool match_token(const std::string& reference, std::size_t at, const Then& then) {
    const bool past = !reference.starts_with("token");
    const PlainState& state = past ? (reference.starts_with("first") ? first_ : opened_) : now_;
    auto row = static_cast<std::size_t>(std::atoi(reference.c_str() + reference.find('[') + 1));
    if (row >= now_.layer.tokens.size()) return match_gone(at, then);
    if (past) {
      if (lines_.tokens[row] < 0) return match_gone(at, then);
      row = static_cast<std::size_t>(lines_.tokens[row]);
    }
    return match_words(headlight::visible_label(state.layer.tokens[row]), at, then);
  }

  // "0.55 × 0.43 + 0.87 × (−0.15)"; of more than eight terms the first six and the last.
  bool match_terms(const std::string& reference, std::size_t at, const Then& then) {
    const auto terms = products(parse(reference.substr(0, reference.rfind(' '))));
    if (!terms) return match_gone(at, then);
    return match_term(*terms, 0, at, then);
  }
  bool match_term(const std::vector<std::pair<Number, Number>>& terms, std::size_t index, std::size_t at,
                  const Then& then) {
    const auto on = [&](std::size_t end) {
      if (index + 1 == terms.size()) return then(end);
      const bool cut_here = terms.size() > 8 && index == 5;
      return match_words(cut_here ? " + … + " : " + ", end, [&](std::size_t next) {
        return match_term(terms, cut_here ? terms.size() - 1 : index + 1, next, then);
      });
    };
    return match_number(terms[index].first, at, [&](std::size_t end) {
      return match_words(" × ", end, [&](std::size_t from) {
        if (told_.compare(from, 1, "(") != 0) return match_number(terms[index].second, from, on);
        return match_number(terms[index].second, from + 1,
                            [&](std::size_t to) { return match_words(")", to, on); });
      });
    });
  }

  // The tokens with the largest (smallest) number; any token whose number is largest within the error bound
  // may be among them.
  bool match_extreme(const std::string& reference, bool largest, std::size_t at, const Then& then) {
    const TextReference list = parse(reference);
    const Numbers numbers = value(list);
    if (!numbers) return match_gone(at, then);
    for (const Number& number : *numbers)
      if (std::isnan(number.value)) return match_gone(at, then);
    const double sign = largest ? 1 : -1;
    double best = -INFINITY;
    for (const Number& number : *numbers)
      best = std::max(best, sign * number.value - number.error);
    const headlight::Layer& layer = state_of(list).layer;
    const std::vector<std::string>& labels =
        list.every_row ? headlight::row_labels(layer, list.stage) : layer.key_labels();
    std::vector<std::string> may;
    bool unknown = false;
    for (std::size_t i = 0; i < numbers->size(); ++i) {
      unknown = unknown || !std::isfinite((*numbers)[i].error);
      if (sign * (*numbers)[i].value + (*numbers)[i].error >= best || unknown)
        may.push_back(headlight::visible_label(labels[i]));
    }
    if (unknown && match_gone(at, then)) return true;
    return match_names(may, 0, at, true, then);
  }
  // One or more of the names, in their order.
  bool match_names(const std::vector<std::string>& names, std::size_t from, std::size_t at, bool begins,
                   const Then& then) {
    for (std::size_t i = from; i < names.size(); ++i) {
      const Then on = [&, i](std::size_t end) {
        return then(end) || match_names(names, i + 1, end, false, then);
      };
      const auto name = [&](std::size_t end) { return match_words(names[i], end, on); };
      if (begins ? name(at) : match_words("” and equally “", at, name) || match_words("”, “", at, name))
        return true;
    }
    return false;
  }

  std::string told_;
  std::size_t furthest_ = 0, conditions_ = 0, sure_ = 0, numbers_ = 0;
};

}  // namespace headlight_test
