#include "app/terminal/visible_output.h"

#include <sstream>

#include "engine/core/file.h"
#include "tests/app/cli/cli_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// Whether the text holds a character that controls a terminal: a control character other than a line feed, or
// one of the invisible ones below.
bool steers(const std::string& text) {
  for (const char* hidden : {"\u202E", "\u200B", "\u0085", "\u2066"})
    if (text.find(hidden) != std::string::npos) return true;
  return std::any_of(text.begin(), text.end(), [](char letter) {
    return (static_cast<unsigned char>(letter) < 0x20 && letter != '\n') || letter == 0x7f;
  });
}

// A session with the token in each of its texts, among them those of the lesson.
std::string session_of(const std::string& token) {
  return R"({"format": "headlight-session", "version": 1, "title": ")" + token + R"(", "tokens": ["a", ")" +
         token +
         R"("], "embeddings": [[1, 0], [0, 1]], "attention": {"projection": "none", "d_out": 2},
    "lesson": {"steps": [{"title": ")" +
         token + R"(", "text": "{nonsense )" + token + R"(}", "stage": "scores"},
      {"title": "b", "text": "b", "stage": ")" +
         token + R"("}]}})";
}

}  // namespace

TEST_CASE("what goes to a terminal is visible, in whatever pieces it is written") {
  std::ostringstream stream;
  {
    const VisibleOutput visible(stream);
    stream << "a\x1b[31m" << '\t' << "gr\xc3"
           << "\xb6\xc3" << '\x9f' << "e\n"
           << "\xe2\x80"
           << "\xae" << 5 << std::flush << "\xf0\x9f";
  }
  stream << '\x1b';
  CHECK(stream.str() == "aU+001B[31mU+0009größe\nU+202E5\\xF0\\x9F\x1b");
}

TEST_CASE("files, names and options steer no terminal") {
  const Workplace place;
  for (const std::string escaped : {"\\u001b]0;x\\u0007", "\\u202etxt\\u2066", "\\n\\r\\u0085\\u200b"}) {
    const std::string path = place.path("steering.headlight");
    write_file_atomically(path, session_of(escaped));
    for (const std::vector<std::string>& line : std::vector<std::vector<std::string>>{
             {"check", path},
             {"print", path, "--stage", "weights"},
             {"print", path, "--stage", "weights", "--as", "pytorch"},
             {"print", path, "--stage", "weights", "--as", "numpy"},
             {"heads", path},
             {"export", path, "--stage", "weights", "-o", place.path("out.csv"), "--force"}}) {
      const Outcome outcome = run(line);
      INFO(line.front() << " " << escaped << "\n" << outcome.out << outcome.err);
      CHECK_FALSE(steers(outcome.out + outcome.err));
      CHECK_FALSE((outcome.out + outcome.err).empty());
    }
  }
  for (const std::string name : {"a\x1b[2J\n.headlight", "\u202Eenil.headlight", "\xff\x9b.headlight"}) {
    const std::string path = place.path(name);
    for (const std::string& file : {path, place.path("none-" + name)}) {
      if (file == path) write_file_atomically(path, session_of("x"));
      for (const std::vector<std::string>& line :
           std::vector<std::vector<std::string>>{{"check", file},
                                                 {"print", file, "--stage", "weights"},
                                                 {"compute", file, "-o", file + ".npz"},
                                                 {"export", file, "--stage", name, "-o", place.path("x.png")},
                                                 {file, "--size", name}}) {
        const Outcome outcome = run(line);
        INFO(line.front() << "\n" << outcome.out << outcome.err);
        CHECK_FALSE(steers(outcome.out + outcome.err));
        CHECK(line_count(outcome.err) <= 1);
      }
    }
  }
}
