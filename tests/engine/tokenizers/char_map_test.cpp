#include "engine/tokenizers/char_map.h"

#include <map>
#include <set>

#include "engine/tokenizers/normalizer.h"
#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

std::string base64(const std::string& bytes) {
  static const std::string kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    unsigned held = 0;
    for (std::size_t i = 0; i < 3; ++i)
      held = held << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i)
      text += at + i > bytes.size() ? '=' : kDigits[held >> (18 - 6 * i) & 63];
  }
  return text;
}

std::string as_bytes(unsigned number) {
  std::string bytes;
  for (int i = 0; i < 4; ++i)
    bytes += static_cast<char>(number >> 8 * i & 0xFF);
  return bytes;
}

// A double array in the layout of darts-clone; the children of a node take the first offset at which all
// their places are free.
class DoubleArray {
 public:
  explicit DoubleArray(const std::map<std::string, unsigned>& values) : values_(values) { place("", 0); }
  const std::vector<unsigned>& units() const { return units_; }

 private:
  void place(const std::string& beginning, std::size_t at) {
    std::set<unsigned> letters;
    const auto value = values_.find(beginning);
    if (value != values_.end()) letters.insert(0);
    for (const auto& [word, ignored] : values_)
      if (word.size() > beginning.size() && word.starts_with(beginning))
        letters.insert(static_cast<unsigned char>(word[beginning.size()]));
    unsigned offset = 1;
    const auto taken = [&](unsigned letter) { return used_.contains((at ^ offset) ^ letter); };
    while (std::any_of(letters.begin(), letters.end(), taken))
      ++offset;
    const std::size_t base = at ^ offset;
    for (const unsigned letter : letters)
      used_.insert(base ^ letter);
    units_.resize(std::max(units_.size(), (base | 0xFF) + 1));
    units_[at] |= offset << 10 | (value != values_.end() ? 0x100u : 0u);
    if (value != values_.end()) units_[base] = value->second | 0x80000000u;
    for (const unsigned letter : letters) {
      if (letter == 0) continue;
      units_[base ^ letter] |= letter;
      place(beginning + static_cast<char>(letter), base ^ letter);
    }
  }

  const std::map<std::string, unsigned>& values_;
  std::vector<unsigned> units_ = std::vector<unsigned>(256);
  std::set<std::size_t> used_ = {0};
};

std::string map_of(const std::map<std::string, std::string>& changes) {
  std::string texts;
  std::map<std::string, unsigned> values;
  for (const auto& [from, to] : changes) {
    values[from] = static_cast<unsigned>(texts.size());
    texts += to + '\0';
  }
  const DoubleArray array(values);
  std::string bytes = as_bytes(static_cast<unsigned>(4 * array.units().size()));
  for (const unsigned unit : array.units())
    bytes += as_bytes(unit);
  return base64(bytes + texts);
}

std::string mapped(const std::string& text) {
  static const CharMap map(
      map_of({{"\uFB01", "fi"}, {"e\u0301", "\u00E9"}, {"a", "b"}, {"\u00AD", ""}, {"\u00A9", "(c)"}}),
      "map");
  return map.apply(text);
}

}  // namespace

// The expected texts are those of the Rust library for the same map.
TEST_CASE("char map: short graphemes as a whole by their beginning, others by their characters") {
  CHECK(mapped("a\uFB01") == "bfi");
  CHECK(mapped("e\u0301e") == "\u00E9e");
  CHECK(mapped("a\u0301x") == "bx");
  CHECK(mapped("\u00AD-") == "-");
  CHECK(mapped("a\u0301\u0302\u0303") == "b\u0301\u0302\u0303");
  CHECK(mapped("\u00A9\u200D\u00A9") == "(c)\u200D(c)");
  CHECK(mapped("\u00A9\u200Da") == "(c)b");
  CHECK(mapped("ea") == "eb");
  CHECK(mapped(std::string("\0a", 2)) == std::string("\0b", 2));
  CHECK(mapped("") == "");
}

TEST_CASE("char map: as a normalizer") {
  const Json value = {{"type", "Precompiled"}, {"precompiled_charsmap", map_of({{"a", "bb"}})}};
  CHECK(Normalizer::read(&value).apply("cab") == "cbbb");
}

TEST_CASE("char map: what is no map is named") {
  const auto fault = [](const std::string& text, const std::string& what) {
    check_error([&] { CharMap(text, "normalizer.map"); }, what, "normalizer.map", "copy");
  };
  fault("a b", "not base64");
  fault("", "no map");
  fault(base64(as_bytes(0)), "no map");
  fault(base64(as_bytes(6) + "123456"), "no map");
  fault(base64(as_bytes(400) + "1234"), "no map");
  fault(base64(as_bytes(4) + as_bytes(0) + "\xFF"), "not UTF-8");
  fault(map_of({{"a", std::string(65, 'x')}}), "more than 64 bytes");
}

TEST_CASE("char map: units that lead nowhere change nothing") {
  std::string bytes = as_bytes(4 * 256);
  for (unsigned i = 0; i < 256; ++i)
    bytes += as_bytes(0xFFFFFF00u | i);
  CHECK(CharMap(base64(bytes + "x"), "map").apply("ab\u00E9") == "ab\u00E9");
}
