#include "app/lesson_text/wording.h"

namespace headlight {
namespace {

struct Comparative {
  const char* words;   // comparing words, as a regular expression
  const char* anchor;  // regular expression that a condition or a reference beside them must match
};

// "largest" requires a reference or a condition with `largest`, "negative" one with "< 0", and so on.
const std::vector<Comparative>& comparatives() {
  static const std::vector<Comparative> all = {
      {"largest|greatest|highest|longest|most", "largest"},
      {"smallest|lowest|shortest|least", "smallest|< 0"},
      {"positive", "> 0|>= 0|< 0"},
      {"negative", "< 0|>= 0"},
      {"larger|greater|higher|longer|more", ">|<"},
      {"smaller|lower|shorter|less|fewer", ">|<"},
      {"nearly|almost|similar|comes close|alike", "<|>"},
      {"half", "0\\.5"},
      {"only|even|still|all the same", "<|>|=|is |changed|smallest|largest"},
      {"the same|another answer|no-longer|grown|shrunk|untouched", "=|~|>|<|changed|is "},
  };
  return all;
}

// Letters with accents, which are two bytes, as plain ones: there is no "ten" in "größten".
std::string with_plain_letters(std::string words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const auto lead = static_cast<unsigned char>(words[i]);
    if (lead >= 0xC3 && lead < 0xE0) words[i] = words[i + 1] = 'x';
  }
  return words;
}

// Adds the faults of `words`. `anchors`: the source of their conditions and of the references beside them.
void check_words(const std::string& words, const std::string& anchors, std::vector<std::string>& faults) {
  std::smatch found;
  const std::string letters = with_plain_letters(words);
  if (std::regex_search(letters, found, number_words()))
    faults.push_back("a bare number, " + found.str() + ": " + words);
  // "no longer" is not a comparison of lengths.
  const std::string words_alone = std::regex_replace(words, std::regex("no longer"), "no-longer");
  for (const Comparative& comparative : comparatives())
    if (std::regex_search(
            words_alone, found,
            std::regex("(^|[^-\\w])(" + std::string(comparative.words) + ")\\b", std::regex::icase)) &&
        !std::regex_search(anchors, std::regex(comparative.anchor)))
      faults.push_back("a bare comparison, " + found[2].str() + ": " + words);
  if (std::regex_search(words, found, std::regex("(largest|smallest) [a-z ]*(grown|shrunk)")) &&
      !std::regex_search(anchors, std::regex(found[1].str() + (found[2] == "grown" ? " >" : " <"))))
    faults.push_back("it went the other way: " + words);
}

// The words of {compare} for less must not mean more, nor those for more less.
void check_slots(const std::string& slots, std::vector<std::string>& faults) {
  const std::string less = slots.substr(0, slots.find('|')), more = slots.substr(slots.rfind('|') + 1);
  if (std::regex_search(less, std::regex("more|even|larger|longer|higher")) ||
      std::regex_search(more, std::regex("less|only|smaller|fewer|lower|shorter")))
    faults.push_back("words turned round: " + slots);
}

// Directly after an {if} whose only comparison is `>`, no word may mean "less"; after `<`, none "more".
void check_direction(const std::string& words, const std::string& condition,
                     std::vector<std::string>& faults) {
  const bool greater = condition.find('>') != std::string::npos,
             less = condition.find('<') != std::string::npos;
  if (greater == less || condition.find(" not ") != std::string::npos) return;
  const std::regex turned(greater ? "\\b(less|fewer|smaller|lower|shorter)\\b"
                                  : "\\b(more|larger|greater|higher|longer)\\b");
  std::smatch found;
  if (std::regex_search(words, found, turned) && words.find("no longer") == std::string::npos)
    faults.push_back("it claims the other direction, " + found.str() + ": " + words);
}

}  // namespace

const std::regex& number_words() {
  static const std::regex words(
      "\\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]+teen|twenty|thirty|hundreds?|"
      "thousands?|twice|double[ds]?|triple|quarter)\\b|[0-9]+([.,][0-9]+)?|⁰|¹|²|³|⁸",
      std::regex::icase);
  return words;
}

// Works on the source text, because each branch is checked against its own {if} and the references beside it.
std::vector<std::string> wording_faults(const std::string& text) {
  std::vector<std::string> faults;
  std::vector<std::string> open;  // the conditions of the {if}s around the current place
  std::string direct;             // the condition of the {if} directly before the words
  const std::regex piece("\\{([^}]*)\\}|[^{}]+");
  for (std::sregex_iterator at(text.begin(), text.end(), piece), end; at != end; ++at) {
    const std::string inside = (*at)[1].str(), words = at->str();
    if (words[0] == '{') direct = inside.rfind("if ", 0) == 0 ? inside : direct;
    if (inside == "else" || inside == "end" || inside.rfind("elif ", 0) == 0) direct.clear();
    if (inside.rfind("if ", 0) == 0) {
      open.push_back(inside);
    } else if (inside.rfind("elif ", 0) == 0) {
      if (!open.empty()) open.back() += " " + inside;
    } else if (inside == "end") {
      if (!open.empty()) open.pop_back();
    } else if (inside.rfind("compare ", 0) == 0) {
      const std::size_t colon = inside.find(':');
      const std::string slots = colon == std::string::npos ? "" : inside.substr(colon + 1);
      check_words(slots, "< > = ~", faults);
      check_slots(slots, faults);
    } else if (words[0] != '{') {
      std::string anchors;
      for (const std::string& condition : open)
        anchors += condition + " ";
      // the references directly before and after the words
      auto next = at;
      if (++next != end && next->str()[0] == '{') anchors += next->str();
      const std::size_t before = text.rfind('{', static_cast<std::size_t>(at->position()));
      if (at->position() > 0 && before != std::string::npos)
        anchors += text.substr(before, static_cast<std::size_t>(at->position()) - before);
      check_words(words, anchors, faults);
      check_direction(words, direct, faults);
    }
  }
  return faults;
}

}  // namespace headlight
