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
// Of a short name, and of the declaration of a text beside the text.
constexpr std::size_t kNameLetters = 2, kDeclarationLetters = 4;

struct ScriptToken {
  ScriptTokenKind kind = ScriptTokenKind::Sign;
  std::string_view text;
  bool begins_line = false;
  std::size_t around = kNone;   // the bracket that it stands in
  std::size_t partner = kNone;  // of a bracket: the other one of its pair
  std::size_t statement = 0;    // of the whole script, in which it stands
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
    if (before.kind == ScriptTokenKind::Template) return before.text.ends_with("${");
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

// Finds out which words are variables, and which of them the script declares, for all of it or within a
// statement.
class ScriptReader {
 public:
  explicit ScriptReader(std::vector<ScriptToken>& tokens) : tokens_(tokens) {
    match_brackets();
    number_statements();
    for (std::size_t at = 0; at < tokens_.size(); ++at)
      if (tokens_[at].kind == ScriptTokenKind::Word && !keywords().contains(tokens_[at].text)) read_word(at);
  }

  static bool is_variable(const ScriptToken& token) {
    return token.role == WordRole::Variable || token.role == WordRole::Shorthand;
  }
  // A variable that the script declares; those of the browser are not its own.
  bool is_own(const ScriptToken& token) const {
    return is_variable(token) && declared_.contains(token.text) && !browser_names().contains(token.text);
  }
  bool is_for_all(std::string_view name) const { return for_all_.contains(name); }

  // Whether it is a bracket around the only parameter of a function, as in (a) => a, which needs none.
  bool is_around_sole_parameter(std::size_t at) const {
    if (!is_sign(at, "(") && !is_sign(at, ")")) return false;
    const std::size_t opener = is_sign(at, "(") ? at : tokens_[at].partner;
    return behind(opener) == "=>" && tokens_[opener].partner == opener + 2 &&
           tokens_[opener + 1].kind == ScriptTokenKind::Word && before(opener) != "async";
  }
  // Whether it ends a statement that a bracket ends anyway; not one that is empty, as in while (a);
  bool is_last_semicolon(std::size_t at) const {
    if (!is_sign(at, ";") || !is_sign(at + 1, "}") || at == 0) return false;
    return !is_sign(at - 1, ")") || !one_of(before(tokens_[at - 1].partner), {"if", "for", "while"});
  }
  // Whether it is that keyword, and no property of this name.
  bool is_keyword(std::size_t at, std::string_view word) const {
    if (text(at) != word || tokens_[at].kind != ScriptTokenKind::Word) return false;
    return !names_member(at) && !one_of(before(at), {".", "?."});
  }
  // Whether it is a text, as a constant with this text is.
  bool is_text(std::size_t at) const {
    return tokens_[at].kind == ScriptTokenKind::Quoted && !names_member(at);
  }
  bool is_sign(std::size_t at, std::string_view sign) const {
    return text(at) == sign && tokens_[at].kind == ScriptTokenKind::Sign;
  }

 private:
  std::string_view text(std::size_t at) const { return at < tokens_.size() ? tokens_[at].text : ""; }
  // {width: 1}
  bool names_member(std::size_t at) const {
    return braces_around(at) == BraceKind::Object && one_of(before(at), {"{", ","}) && text(at + 1) == ":";
  }
  std::string_view before(std::size_t at) const { return at == 0 ? "" : tokens_[at - 1].text; }

  void match_brackets() {
    std::vector<std::size_t> open;
    for (std::size_t at = 0; at < tokens_.size(); ++at) {
      ScriptToken& token = tokens_[at];
      const bool is_sign = token.kind == ScriptTokenKind::Sign,
                 is_template = token.kind == ScriptTokenKind::Template;
      if ((is_template && token.text.starts_with('}')) || (is_sign && one_of(token.text, {")", "]", "}"}))) {
        if (open.empty()) throw Error("a bracket of a script has no beginning", "assets/page", "");
        token.partner = open.back();
        tokens_[token.partner].partner = at;
        open.pop_back();
      }
      token.around = open.empty() ? kNone : open.back();
      if (is_sign && token.text == "{") token.braces = braces_at(at);
      if ((is_template && token.text.ends_with("${")) || (is_sign && one_of(token.text, {"(", "[", "{"})))
        open.push_back(at);
    }
    if (!open.empty()) throw Error("a bracket of a script has no end", "assets/page", "");
  }

  // A statement of the whole script begins a line behind the end of another one.
  void number_statements() {
    std::size_t statement = 0;
    for (std::size_t at = 0; at < tokens_.size(); ++at) {
      ScriptToken& token = tokens_[at];
      const bool ended = at > 0 && tokens_[at - 1].around == kNone && one_of(before(at), {";", "}"});
      if (ended && token.begins_line && token.around == kNone) ++statement;
      token.statement = statement;
    }
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
    return tokens_[opener].partner == kNone ? "" : text(tokens_[opener].partner + 1);
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
    if (token.role == WordRole::Property || !is_declared(at)) return;
    declared_.insert(token.text);
    if (is_declared_for_all(at)) for_all_.insert(token.text);
  }
  // Whether the declared word stands outside of all brackets but those of patterns.
  bool is_declared_for_all(std::size_t at) const {
    std::size_t around = tokens_[at].around;
    while (around != kNone && (text(around) == "[" || tokens_[around].braces == BraceKind::Object) &&
           declares(around))
      around = tokens_[around].around;
    return around == kNone && text(at + 1) != "=>";
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
  std::set<std::string_view> declared_, for_all_;
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

using NameCounts = std::map<std::string_view, int>;
using NewNames = std::map<std::string_view, std::string>;

// The most frequent names become the shortest.
NewNames short_names(const NameCounts& counts, std::set<std::string_view> taken) {
  std::vector<std::pair<std::string_view, int>> names(counts.begin(), counts.end());
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  ShortNames short_name(std::move(taken));
  NewNames renamed;
  for (const auto& [name, count] : names)
    renamed[name] = short_name.next();
  return renamed;
}

// The new names of what the script declares. A name that is declared for all of it has the same one
// everywhere; one that is only declared within statements has one in each of them, which nothing else there
// has. Texts that stand so often that a constant is shorter have names for the whole script.
class ScriptNames {
 public:
  ScriptNames(const std::vector<ScriptToken>& tokens, const ScriptReader& reader)
      : tokens_(tokens), reader_(reader) {
    std::map<std::size_t, NameCounts> within;
    std::set<std::string_view> others;
    NameCounts for_all = frequent_texts();
    for (const ScriptToken& token : tokens_) {
      if (!ScriptReader::is_variable(token)) continue;
      if (!reader_.is_own(token))
        others.insert(token.text);
      else
        ++(reader_.is_for_all(token.text) ? for_all : within[token.statement])[token.text];
    }
    for_all_ = short_names(for_all, others);
    name_within(within, others);
  }

  // null: it stays as it is.
  const std::string* of(std::size_t at) const {
    const ScriptToken& token = tokens_[at];
    if (!reader_.is_own(token) && !reader_.is_text(at)) return nullptr;
    if (const auto name = for_all_.find(token.text); name != for_all_.end()) return &name->second;
    return reader_.is_text(at) ? nullptr : &within_.at(token.statement).at(token.text);
  }

  // The declaration of the texts that have names; "" without any.
  std::string declared_texts() const {
    std::string declared;
    for (const auto& [text, name] : for_all_)
      if (one_of(text.substr(0, 1), {"\"", "'"}))
        declared.append(declared.empty() ? "let " : ",").append(name).append("=").append(text);
    return declared.empty() ? "" : declared + ";";
  }

 private:
  NameCounts frequent_texts() const {
    NameCounts counts;
    for (std::size_t at = 0; at < tokens_.size(); ++at)
      if (reader_.is_text(at)) ++counts[tokens_[at].text];
    std::erase_if(counts, [](const auto& text) {
      const auto count = static_cast<std::size_t>(text.second), size = text.first.size();
      return count * size <= count * kNameLetters + size + kDeclarationLetters;
    });
    return counts;
  }

  // No name within a statement is one that stands there for the whole script.
  void name_within(const std::map<std::size_t, NameCounts>& within,
                   const std::set<std::string_view>& others) {
    std::map<std::size_t, std::set<std::string_view>> taken;
    for (std::size_t at = 0; at < tokens_.size(); ++at) {
      const ScriptToken& token = tokens_[at];
      const auto name = for_all_.find(token.text);
      if (name != for_all_.end() && (reader_.is_own(token) || reader_.is_text(at)))
        taken[token.statement].insert(name->second);
    }
    for (const auto& [statement, counts] : within) {
      std::set<std::string_view>& there = taken[statement];
      there.insert(others.begin(), others.end());
      within_[statement] = short_names(counts, there);
    }
  }

  const std::vector<ScriptToken>& tokens_;
  const ScriptReader& reader_;
  NewNames for_all_;
  std::map<std::size_t, NewNames> within_;
};

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

// Writes the tokens one after the other in as few letters as it can.
class ScriptWriter {
 public:
  explicit ScriptWriter(std::vector<ScriptToken>& tokens)
      : tokens_(tokens), reader_(tokens), names_(tokens, reader_) {}

  std::string written() {
    const std::string texts = names_.declared_texts();
    for (std::size_t at = 0; at < tokens_.size(); ++at) {
      begins_line_ = begins_line_ || tokens_[at].begins_line;
      if (reader_.is_sign(at, ";") && joins_declarations(at)) {
        put(",");
        ++at;  // the keyword
      } else if (!is_last_comma(tokens_, at) && !reader_.is_around_sole_parameter(at) &&
                 !reader_.is_last_semicolon(at)) {
        put(text_of(at));
      }
    }
    return texts + compact_ + "\n";
  }

 private:
  bool declares(std::size_t at) const {
    return at < tokens_.size() && (reader_.is_keyword(at, "const") || reader_.is_keyword(at, "let"));
  }
  // Whether the statement that ends here and the next one declare variables: then one keyword is enough.
  bool joins_declarations(std::size_t at) {
    const std::size_t around = tokens_[at].around;
    const bool joins = declaring_.contains(around) && declares(at + 1);
    if (!joins) declaring_.erase(around);
    return joins;
  }

  // Whether a variable is written to later makes no difference to a script that runs.
  std::string text_of(std::size_t at) {
    const ScriptToken& token = tokens_[at];
    if (const std::string* const name = names_.of(at))
      return token.role == WordRole::Shorthand ? std::string(token.text) + ":" + *name : *name;
    if (declares(at)) {
      declaring_.insert(token.around);
      return "let";
    }
    if (reader_.is_keyword(at, "true")) return "!0";
    if (reader_.is_keyword(at, "false")) return "!1";
    return std::string(token.text);
  }

  void put(const std::string& text) {
    if (!compact_.empty()) compact_ += between(compact_.back(), text.front(), begins_line_);
    compact_ += text;
    begins_line_ = false;
  }

  std::vector<ScriptToken>& tokens_;
  ScriptReader reader_;
  ScriptNames names_;
  std::set<std::size_t> declaring_;  // the brackets whose present statement declares variables
  bool begins_line_ = false;
  std::string compact_;
};

}  // namespace

std::string compact_script(std::string_view script) {
  std::vector<ScriptToken> tokens = ScriptLexer(script).tokens();
  return ScriptWriter(tokens).written();
}

}  // namespace headlight
