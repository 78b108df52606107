#include "app/page/script_compaction.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engine/core/ascii.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

enum class ScriptTokenKind { Word, Number, Quoted, Template, Regex, Sign };
// What stands between braces: members of an object or a pattern, statements, or members of a class.
enum class BraceKind { None, Object, Block, Class };
// Shorthand: {name}, a property and a variable at once.
enum class WordRole { None, Variable, Property, Shorthand };

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

struct ScriptToken {
  ScriptTokenKind kind = ScriptTokenKind::Sign;
  std::string_view text;
  bool begins_line = false;
  std::size_t around = kNone;  // the bracket that it stands in
  std::size_t closer = kNone;  // of an opening bracket
  BraceKind braces = BraceKind::None;
  WordRole role = WordRole::None;
};

const std::set<std::string_view>& keywords() {
  static const std::set<std::string_view> words = {
      "async",    "await",  "break",     "case",   "catch",  "class",      "const", "continue", "debugger",
      "default",  "delete", "do",        "else",   "export", "extends",    "false", "finally",  "for",
      "function", "get",    "if",        "import", "in",     "instanceof", "let",   "new",      "null",
      "of",       "return", "set",       "static", "super",  "switch",     "this",  "throw",    "true",
      "try",      "typeof", "undefined", "var",    "void",   "while",      "with",  "yield",    "arguments"};
  return words;
}

// Names of the browser that scripts use as they are. A variable of the same name elsewhere keeps it too.
const std::set<std::string_view>& browser_names() {
  static const std::set<std::string_view> names = {"console",  "document",  "history",     "localStorage",
                                                   "location", "navigator", "performance", "window"};
  return names;
}

bool one_of(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool is_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

class ScriptLexer {
 public:
  explicit ScriptLexer(std::string_view script) : script_(script) {}

  std::vector<ScriptToken> tokens() {
    while (at_ < script_.size()) {
      const char c = script_[at_];
      if (c == '\n' || c == ' ') {
        begins_line_ = begins_line_ || c == '\n';
        ++at_;
      } else {
        read(c);
      }
    }
    return std::move(tokens_);
  }

 private:
  void read(char c) {
    if (c == '"' || c == '\'') return add(ScriptTokenKind::Quoted, end_of_quoted(c));
    const bool resumes = c == '}' && !open_.empty() && open_.back() == '`';
    if (resumes) open_.pop_back();
    if (c == '`' || resumes) return add(ScriptTokenKind::Template, end_of_template());
    if (is_digit(c)) return add(ScriptTokenKind::Number, end_of_number());
    if (is_word(c)) return add(ScriptTokenKind::Word, end_of([](char one) { return is_word(one); }));
    if (c == '/' && regex_may_begin()) return add(ScriptTokenKind::Regex, end_of_regex());
    if (c == '{') open_.push_back('{');
    if (c == '}' && !open_.empty()) open_.pop_back();
    add(ScriptTokenKind::Sign, at_ + sign_length());
  }

  void add(ScriptTokenKind kind, std::size_t end) {
    ScriptToken token;
    token.kind = kind;
    token.text = script_.substr(at_, end - at_);
    token.begins_line = begins_line_;
    tokens_.push_back(token);
    begins_line_ = false;
    at_ = end;
  }

  template <class Belongs>
  std::size_t end_of(Belongs belongs) const {
    std::size_t end = at_;
    while (end < script_.size() && belongs(script_[end]))
      ++end;
    return end;
  }
  char letter(std::size_t at) const {
    if (at >= script_.size()) throw Error("a script ends within a text or a bracket", "assets/page", "");
    return script_[at];
  }

  std::size_t end_of_quoted(char quote) const {
    std::size_t end = at_ + 1;
    while (letter(end) != quote)
      end += letter(end) == '\\' ? 2 : 1;
    return end + 1;
  }
  // Up to the mark that ends the text, or to "${".
  std::size_t end_of_template() {
    for (std::size_t end = at_ + 1;; ++end) {
      if (letter(end) == '\\') {
        ++end;
      } else if (letter(end) == '`') {
        return end + 1;
      } else if (letter(end) == '$' && letter(end + 1) == '{') {
        open_.push_back('`');
        return end + 2;
      }
    }
  }
  // Digits with a point, an exponent or a mark of their kind: 0xff, 1e-30, 255n.
  std::size_t end_of_number() const {
    std::size_t end = at_;
    while (end < script_.size() && (is_word(script_[end]) || script_[end] == '.' ||
                                    ((script_[end] == '-' || script_[end] == '+') &&
                                     script_[end - 1] == 'e' && script_.substr(at_, 2) != "0x")))
      ++end;
    return end;
  }
  // A "/" divides behind a value, and begins a pattern elsewhere.
  bool regex_may_begin() const {
    if (tokens_.empty()) return true;
    const ScriptToken& before = tokens_.back();
    if (before.kind == ScriptTokenKind::Sign) return !one_of(before.text, {")", "]", "}"});
    return before.kind == ScriptTokenKind::Word && one_of(before.text, {"return", "typeof", "case"});
  }
  std::size_t end_of_regex() const {
    bool in_class = false;
    std::size_t end = at_ + 1;
    for (; in_class || letter(end) != '/'; ++end) {
      if (letter(end) == '\\')
        ++end;
      else if (letter(end) == '[')
        in_class = true;
      else if (letter(end) == ']')
        in_class = false;
    }
    for (++end; end < script_.size() && is_letter(script_[end]);)
      ++end;
    return end;
  }
  std::size_t sign_length() const {
    constexpr std::array<std::string_view, 33> kSigns = {
        ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "?\?=",
        "=>",   "==",  "!=",  "<=",  ">=",  "&&",  "||",  "??",  "?.",  "++",  "--",
        "+=",   "-=",  "*=",  "/=",  "%=",  "&=",  "|=",  "^=",  "<<",  ">>",  "**"};
    for (const std::string_view sign : kSigns)
      if (script_.substr(at_, sign.size()) == sign) return sign.size();
    return 1;
  }

  std::string_view script_;
  std::size_t at_ = 0;
  bool begins_line_ = false;
  std::vector<char> open_;  // braces, and templates that are interrupted by "${"
  std::vector<ScriptToken> tokens_;
};

// Finds out which words are variables, and which of them the script declares.
class ScriptReader {
 public:
  explicit ScriptReader(std::vector<ScriptToken>& tokens) : tokens_(tokens) {}

  std::map<std::string_view, int> declared_counts() {
    match_brackets();
    for (std::size_t at = 0; at < tokens_.size(); ++at)
      if (tokens_[at].kind == ScriptTokenKind::Word && !keywords().contains(tokens_[at].text)) read_word(at);
    std::map<std::string_view, int> counts;
    for (const ScriptToken& token : tokens_)
      if (is_variable(token) && declared_.contains(token.text) && !browser_names().contains(token.text))
        ++counts[token.text];
    return counts;
  }
  static bool is_variable(const ScriptToken& token) {
    return token.role == WordRole::Variable || token.role == WordRole::Shorthand;
  }

 private:
  std::string_view text(std::size_t at) const { return at < tokens_.size() ? tokens_[at].text : ""; }
  std::string_view before(std::size_t at) const { return at == 0 ? "" : tokens_[at - 1].text; }

  void match_brackets() {
    std::vector<std::size_t> open;
    for (std::size_t at = 0; at < tokens_.size(); ++at) {
      ScriptToken& token = tokens_[at];
      const bool is_sign = token.kind == ScriptTokenKind::Sign,
                 is_template = token.kind == ScriptTokenKind::Template;
      if ((is_template && token.text.starts_with('}')) || (is_sign && one_of(token.text, {")", "]", "}"}))) {
        if (open.empty()) throw Error("a bracket of a script has no beginning", "assets/page", "");
        tokens_[open.back()].closer = at;
        open.pop_back();
      }
      token.around = open.empty() ? kNone : open.back();
      if (is_sign && token.text == "{") token.braces = braces_at(at);
      if ((is_template && token.text.ends_with("${")) || (is_sign && one_of(token.text, {"(", "[", "{"})))
        open.push_back(at);
    }
    if (!open.empty()) throw Error("a bracket of a script has no end", "assets/page", "");
  }

  BraceKind braces_at(std::size_t at) const {
    std::size_t word = at;
    while (word > 0 && tokens_[word - 1].kind == ScriptTokenKind::Word)
      if (tokens_[--word].text == "class") return BraceKind::Class;
    const std::string_view sign = before(at);
    const bool labels =
        sign == ":" && at >= 2 && (text(at - 2) == "default" || (at >= 3 && text(at - 3) == "case"));
    return !labels && one_of(sign, {"(", ",", "=", ":", "[", "return", "const", "let", "?", "??", "||", "&&",
                                    "...", "==", "==="})
               ? BraceKind::Object
               : BraceKind::Block;
  }
  BraceKind braces_around(std::size_t at) const {
    return tokens_[at].around == kNone ? BraceKind::None : tokens_[tokens_[at].around].braces;
  }
  std::string_view behind(std::size_t opener) const {
    return tokens_[opener].closer == kNone ? "" : text(tokens_[opener].closer + 1);
  }

  // Whether the bracket holds the parameters of a function.
  bool holds_parameters(std::size_t opener) const {
    if (text(opener) != "(") return false;
    return behind(opener) == "=>" ||
           (behind(opener) == "{" && !one_of(before(opener), {"if", "for", "while", "switch"}));
  }
  // Whether the bracket holds a pattern that declares variables: const {a, b: [c]} = d, ({a}) => a.
  bool declares(std::size_t opener) const {
    if (one_of(before(opener), {"const", "let"})) return true;
    if (!one_of(behind(opener), {"=", "of", ",", ")", "}", "]"})) return false;
    const std::size_t around = tokens_[opener].around;
    if (around != kNone && holds_parameters(around)) return true;
    if (around != kNone && (text(around) == "[" || tokens_[around].braces == BraceKind::Object) &&
        declares(around))
      return true;
    return behind(opener) == "=";
  }

  void read_word(std::size_t at) {
    ScriptToken& token = tokens_[at];
    token.role = role_of(at);
    if (token.role != WordRole::Property && is_declared(at)) declared_.insert(token.text);
  }

  WordRole role_of(std::size_t at) const {
    const std::string_view last = before(at), next = text(at + 1);
    if (last == "." || last == "?.") return WordRole::Property;
    const BraceKind braces = braces_around(at);
    const bool is_member = braces == BraceKind::Object && (last == "{" || last == ",");
    if (is_member && next == ":") return WordRole::Property;
    const bool is_method =
        next == "(" && behind(at + 1) == "{" && (braces == BraceKind::Object || braces == BraceKind::Class);
    if (is_method) return WordRole::Property;
    return is_member && one_of(next, {",", "}", "="}) ? WordRole::Shorthand : WordRole::Variable;
  }

  bool is_declared(std::size_t at) const {
    const std::string_view last = before(at), next = text(at + 1);
    if (one_of(last, {"const", "let", "function", "class"}) || next == "=>") return true;
    const std::size_t around = tokens_[at].around;
    if (tokens_[at].role == WordRole::Shorthand) return declares(around);
    const bool is_item = one_of(next, {",", ")", "]", "}", "="});
    if (around != kNone && is_item && one_of(last, {"(", ",", "[", "{", "...", ":"})) {
      if (holds_parameters(around) && last != ":") return true;
      if ((text(around) == "[" || tokens_[around].braces == BraceKind::Object) && declares(around))
        return true;
    }
    // const a = 1, b = 2;
    const bool among_statements = around == kNone || tokens_[around].braces == BraceKind::Block;
    return last == "," && one_of(next, {"=", ",", ";"}) && among_statements;
  }

  std::vector<ScriptToken>& tokens_;
  std::set<std::string_view> declared_;
};

// Names of one letter, then of two.
class ShortNames {
 public:
  explicit ShortNames(std::set<std::string_view> taken) : taken_(std::move(taken)) {}

  std::string next() {
    for (;;) {
      std::string name = number_ < kFirst.size() ? std::string(1, kFirst[number_])
                                                 : std::string(1, kFirst[(number_ / kLater.size()) - 1]) +
                                                       kLater[number_ % kLater.size()];
      ++number_;
      if (number_ == kFirst.size()) number_ = kLater.size();
      if (!taken_.contains(name) && !keywords().contains(name)) return name;
    }
  }

 private:
  static constexpr std::string_view kFirst = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ$_";
  static constexpr std::string_view kLater =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ$_0123456789";
  std::set<std::string_view> taken_;
  std::size_t number_ = 0;
};

// The most frequent names become the shortest.
std::map<std::string_view, std::string> short_names(const std::vector<ScriptToken>& tokens,
                                                    const std::map<std::string_view, int>& counts) {
  std::set<std::string_view> taken;
  for (const ScriptToken& token : tokens)
    if (ScriptReader::is_variable(token) && !counts.contains(token.text)) taken.insert(token.text);
  std::vector<std::pair<std::string_view, int>> names(counts.begin(), counts.end());
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  ShortNames short_name(std::move(taken));
  std::map<std::string_view, std::string> renamed;
  for (const auto& [name, count] : names)
    renamed[name] = short_name.next();
  return renamed;
}

// What has to stand between two tokens. A line may end a statement, so that its end stays where a value ends
// before it and another one may begin behind it.
std::string_view between(char last, char next, bool begins_line) {
  constexpr std::string_view kGoesOn = ";{},([<>=+-*/?:&|!", kContinues = ")]}.,;?:=<>&|*/%";
  if (begins_line && kGoesOn.find(last) == std::string_view::npos &&
      kContinues.find(next) == std::string_view::npos)
    return "\n";
  const bool joins = (is_word(last) && is_word(next)) || ((last == '+' || last == '-') && last == next);
  return joins ? " " : "";
}

// The comma behind the last item of a list, which means nothing; [,] has an item that is left out.
bool is_last_comma(const std::vector<ScriptToken>& tokens, std::size_t at) {
  return tokens[at].text == "," && at > 0 && at + 1 < tokens.size() &&
         !one_of(tokens[at - 1].text, {"[", ","}) && one_of(tokens[at + 1].text, {")", "]", "}"});
}

}  // namespace

std::string compact_script(std::string_view script) {
  std::vector<ScriptToken> tokens = ScriptLexer(script).tokens();
  const std::map<std::string_view, int> counts = ScriptReader(tokens).declared_counts();
  const std::map<std::string_view, std::string> names = short_names(tokens, counts);
  std::string compact;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const ScriptToken& token = tokens[at];
    if (is_last_comma(tokens, at)) continue;
    std::string text(token.text);
    if (const auto name = names.find(token.text); ScriptReader::is_variable(token) && name != names.end()) {
      if (token.role == WordRole::Shorthand)
        text.append(":").append(name->second);
      else
        text = name->second;
    }
    if (!compact.empty()) compact += between(compact.back(), text.front(), token.begins_line);
    compact += text;
  }
  return compact + "\n";
}

}  // namespace headlight
