// Limits the length of every function in the program and its tests.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/catch.h"

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostLines = 60;  // from the first line to the closing brace

// Exceptions: a part of the function's head, its limit, and the reason.
const std::map<std::string, std::size_t> kLonger = {
    {"std::vector<ActionInfo> make_infos()", 160},  // a table, a row or some lines for each action
    {"std::vector<ActionRun> make_runs()", 70},     // a table, a row for each action
    {"void apply_theme(", 70},                      // a table, a row for each colour
    {"bool HeadStrips::move_key(", 65},             // one formula in cases that share their sums
};

struct Function {
  std::string head;       // the text before the body, on one line
  std::size_t line = 0;   // first line, counted from 1
  std::size_t lines = 0;  // including the closing brace
};

// C++ as clang-format leaves it, without comments, literals and preprocessor lines; line feeds remain.
class Code {
 public:
  explicit Code(std::string_view text) : rest_(text) {
    while (!rest_.empty())
      step();
  }
  const std::string& text() const { return code_; }

 private:
  void step() {
    const bool line_begins = code_.empty() || code_.back() == '\n';
    if (rest_.starts_with("//")) return skip(std::min(rest_.find('\n'), rest_.size()));
    if (rest_.starts_with("/*")) return skip(end_of("*/", 2));
    if (rest_.starts_with("R\"")) return skip_raw();
    const bool in_number = rest_.front() == '\'' && !code_.empty() && std::isalnum(last());
    if (rest_.front() == '"' || (rest_.front() == '\'' && !in_number)) return skip_quoted();
    if (rest_.front() == '#' && line_begins) return skip_directive();
    code_ += rest_.front();
    rest_.remove_prefix(1);
  }
  unsigned char last() const { return static_cast<unsigned char>(code_.back()); }
  std::size_t end_of(std::string_view mark, std::size_t from) const {
    const std::size_t at = rest_.find(mark, from);
    return at == std::string_view::npos ? rest_.size() : at + mark.size();
  }
  void skip(std::size_t count) {
    code_.append(
        static_cast<std::size_t>(std::count(rest_.begin(), rest_.begin() + static_cast<long>(count), '\n')),
        '\n');
    rest_.remove_prefix(count);
  }
  void skip_raw() {
    const std::size_t open = rest_.find('(');
    const std::string close = ")" + std::string(rest_.substr(2, open - 2)) + "\"";
    skip(end_of(close, open));
    code_ += 's';
  }
  void skip_quoted() {
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != rest_.front())
      end += rest_[end] == '\\' ? 2 : 1;
    skip(std::min(end + 1, rest_.size()));
    code_ += 's';
  }
  void skip_directive() {
    std::size_t end = rest_.find('\n');
    while (end != std::string_view::npos && rest_[end - 1] == '\\')
      end = rest_.find('\n', end + 1);
    skip(std::min(end, rest_.size()));
  }

  std::string_view rest_;
  std::string code_;
};

std::string on_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;)
    line += (line.empty() ? "" : " ") + word;
  return line;
}

bool begins_with_any(const std::string& text, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* word) { return text.rfind(word, 0) == 0; });
}

// Whether the text before a body is a function's head. A "=" outside parentheses begins an initializer.
bool heads_function(const std::string& head) {
  if (begins_with_any(head, {"namespace", "class ", "struct ", "union ", "enum ", "inline namespace"}))
    return false;
  if (head.find('(') == std::string::npos) return false;
  int open = 0;
  for (std::size_t i = 0; i < head.size(); ++i) {
    open += head[i] == '(' ? 1 : head[i] == ')' ? -1 : 0;
    const bool comparison = head.find("operator") != std::string::npos;
    if (head[i] == '=' && open == 0 && !comparison) return false;
  }
  return open == 0;
}

bool is_access(const std::string& head) {
  return head == "public" || head == "private" || head == "protected";
}

// The functions of a source; lambdas and classes inside a function count as part of it.
std::vector<Function> functions_in(const std::string& source) {
  struct Block {
    bool function = false;
    Function at;
  };
  std::vector<Function> found;
  std::vector<Block> open;
  std::string head;
  std::size_t line = 1, head_line = 1, inside = 0;
  const auto begin_head = [&] { head.clear(); };
  const Code code(source);
  for (const char c : code.text()) {
    if (c == '\n') ++line;
    if (c == '{') {
      const std::string text = on_one_line(head);
      const bool function = inside == 0 && heads_function(text);
      open.push_back({function, {text, head_line, 0}});
      inside += function ? 1 : 0;
      begin_head();
    } else if (c == '}') {
      REQUIRE_FALSE(open.empty());
      Block block = open.back();
      open.pop_back();
      block.at.lines = line - block.at.line + 1;
      if (block.function) found.push_back(block.at);
      inside -= block.function ? 1 : 0;
      begin_head();
    } else if (c == ';' || (c == ':' && is_access(on_one_line(head)))) {
      begin_head();
    } else {
      if (head.find_first_not_of(" \n") == std::string::npos && c != ' ' && c != '\n') head_line = line;
      head += c;
    }
  }
  REQUIRE(open.empty());
  return found;
}

std::size_t most_lines(const Function& function) {
  for (const auto& [head, lines] : kLonger)
    if (function.head.find(head) != std::string::npos) return lines;
  return kMostLines;
}

std::vector<fs::path> sources() {
  std::vector<fs::path> found;
  for (const char* room : {"engine", "app", "tests"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(HEADLIGHT_SOURCE_DIR) / room))
      if (entry.path().extension() == ".cpp" || entry.path().extension() == ".h")
        found.push_back(entry.path());
  return found;
}

}  // namespace

TEST_CASE("functions: none is longer than one can read at a glance") {
  std::size_t count = 0;
  for (const fs::path& path : sources()) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    INFO(path.string());
    for (const Function& function : functions_in(text.str())) {
      INFO("line " << function.line << ": " << function.head);
      CHECK(function.lines <= most_lines(function));
      ++count;
    }
  }
  CHECK(count > 3000);  // fails if the parser finds no functions
}

TEST_CASE("functions: they are found and measured") {
  const std::vector<Function> found = functions_in(R"x(
#define BODY(x) {
namespace a {  // {
constexpr int kTable[] = {1, 2};
struct Thing {
  explicit Thing(int x)
      : x_(x) {}
  int get() const { return x_; }

 private:
  int long_one(const char* text = "}{") const {
    const auto lambda = [&] { return text[0] == '{'; };
    if (lambda()) {
      return 1'000;
    }
    return R"(}})"[0];
  }
  int x_ = 0;
};
const std::vector<int> kList = make({1, 2});
}  // namespace a
bool operator==(const Thing& a, const Thing& b) {
  return true;
}
)x");
  REQUIRE(found.size() == 4);
  CHECK(found[0].lines == 2);
  CHECK(found[1].lines == 1);
  CHECK(found[2].head.find("long_one") != std::string::npos);
  CHECK(found[2].line == 11);
  CHECK(found[2].lines == 7);
  CHECK(found[3].lines == 3);
}
