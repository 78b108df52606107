#include "app/lesson_text/brief_reply.h"

#include <cctype>
#include <string>

namespace headlight {
namespace {

bool ends_sentence(char letter) {
  return letter == '.' || letter == '!' || letter == '?';
}

bool is_number(const EvaluatedRun& run) {
  return run.live && run.text.find_first_of("0123456789") != std::string::npos;
}

// The ends of sentences in a run: where a blank follows a full stop, or the runs end. `next`: the run behind
// it, which may begin with the blank; null behind the last.
std::vector<std::size_t> sentence_ends(const std::string& text, const EvaluatedRun* next) {
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i + 1 < text.size(); ++i)
    if (ends_sentence(text[i]) && text[i + 1] == ' ') ends.push_back(i + 1);
  const bool whole = !text.empty() && ends_sentence(text.back());
  if (!next || (whole && next->text.starts_with(' '))) ends.push_back(text.size());
  return ends;
}

bool is_brief(const ReplyLength& length) {
  return length.words <= kMostReplyWords && length.numbers <= kMostReplyNumbers;
}

}  // namespace

ReplyLength length_of(const std::vector<EvaluatedRun>& runs) {
  ReplyLength length;
  bool inside = false;
  for (const EvaluatedRun& run : runs) {
    if (is_number(run)) ++length.numbers;
    for (const char letter : run.text) {
      const bool blank = letter == ' ' || letter == '\n';
      if (!blank && !inside) ++length.words;
      inside = !blank;
    }
  }
  return length;
}

std::vector<EvaluatedRun> brief_reply(const std::vector<EvaluatedRun>& runs) {
  std::vector<EvaluatedRun> before, brief;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool last = i + 1 == runs.size();
    for (const std::size_t end : sentence_ends(runs[i].text, last ? nullptr : &runs[i + 1])) {
      std::vector<EvaluatedRun> sentences = before;
      sentences.push_back(runs[i]);
      sentences.back().text.resize(end);
      if (!brief.empty() && !is_brief(length_of(sentences))) return brief;
      if (last && end == runs[i].text.size()) return runs;
      brief = std::move(sentences);
    }
    before.push_back(runs[i]);
  }
  return runs;
}

}  // namespace headlight
