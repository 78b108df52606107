#include "app/lesson_text/outdated_claims.h"

#include <algorithm>
#include <array>
#include <regex>

#include "app/lesson_text/evaluated_runs.h"

namespace headlight {
namespace {

bool has_dropout(const AttentionSettings& settings) {
  return settings.dropout.probability > 0 && settings.dropout.training;
}

// Words that hold only while the setting is so.
struct SettingWords {
  const char* words;  // a regular expression
  bool (*hold)(const AttentionSettings&);
};
constexpr std::array<SettingWords, 7> kSettingWords = {{
    {"\\b(without|no) (a |any )?(causal )?mask\\b",
     [](const AttentionSettings& settings) { return settings.mask == MaskKind::None; }},
    {"\\bwith (a|the) (causal )?mask\\b",
     [](const AttentionSettings& settings) { return settings.mask != MaskKind::None; }},
    {"\\b(without|no) dropout\\b", [](const AttentionSettings& settings) { return !has_dropout(settings); }},
    {"\\b(without a|no) bias\\b", [](const AttentionSettings& settings) { return !settings.qkv_bias; }},
    {"\\b(without a|no) scale\\b",
     [](const AttentionSettings& settings) { return settings.scale.kind == ScaleKind::None; }},
    {"\\b(one|a single) head\\b", [](const AttentionSettings& settings) { return settings.num_heads == 1; }},
    {"\\b(without an|no) output projection\\b",
     [](const AttentionSettings& settings) { return !settings.output_projection; }},
}};

std::string told(const TextPiece& piece, const ReferencedStates& states) {
  std::string text;
  for (const EvaluatedRun& run : evaluated_runs({piece}, states))
    text += run.text;
  return text;
}

// The part of a text up to the end of a sentence: its plain words, and what it quotes of the present state.
struct Sentence {
  std::string words;
  std::vector<const TextPiece*> quotes;
};

std::vector<Sentence> sentences_of(const std::vector<TextPiece>& pieces) {
  std::vector<Sentence> sentences(1);
  for (const TextPiece& piece : pieces) {
    if (!piece.branches.empty() || !piece.reason.empty()) continue;
    if (piece.words.empty()) {
      const bool now = piece.reference && piece.reference->moment == ReferencedState::Now;
      if (now || piece.amount) sentences.back().quotes.push_back(&piece);
      continue;
    }
    std::size_t from = 0;
    for (std::size_t end = piece.words.find(". "); end != std::string::npos;
         end = piece.words.find(". ", from)) {
      sentences.back().words += piece.words.substr(from, end - from);
      sentences.emplace_back();
      from = end + 2;
    }
    sentences.back().words += piece.words.substr(from);
  }
  return sentences;
}

// The words for a setting that hold in the first state and not in the second; "": there are none.
std::string switched_words(const std::string& words, const AttentionSettings& asked,
                           const AttentionSettings& done) {
  std::smatch found;
  for (const SettingWords& setting : kSettingWords)
    if (setting.hold(asked) && !setting.hold(done) &&
        std::regex_search(words, found, std::regex(setting.words, std::regex::icase)))
      return found.str();
  return {};
}

bool tells_beginning(const std::string& words) {
  return std::regex_search(words, std::regex("\\b(starts?|begins?|began|started) (as|at|with)\\b"));
}

}  // namespace

std::vector<std::string> outdated_claims(const LessonText& text, const ReferencedStates& asked,
                                         const ReferencedStates& done) {
  std::vector<std::string> claims;
  for (const Sentence& sentence : sentences_of(text.pieces())) {
    const std::string words =
        switched_words(sentence.words, asked.now->layer().attention, done.now->layer().attention);
    if (!words.empty()) claims.push_back(words);
    if (!tells_beginning(sentence.words)) continue;
    for (const TextPiece* const quote : sentence.quotes)
      if (told(*quote, asked) != told(*quote, done)) claims.push_back(sentence.words + told(*quote, asked));
  }
  return claims;
}

}  // namespace headlight
