// The first sentences of a reply, so that it can be read at a glance.
#pragma once

#include <vector>

#include "app/lesson_text/evaluated_runs.h"

namespace headlight {

inline constexpr int kMostReplyWords = 25, kMostReplyNumbers = 2;

// As many whole sentences as have at most 25 words and two numbers together, and at least the first. All runs
// if that is the whole reply.
std::vector<EvaluatedRun> brief_reply(const std::vector<EvaluatedRun>& runs);

// The words and the numbers of runs: names that depend on the model count as words.
struct ReplyLength {
  int words = 0, numbers = 0;
};
ReplyLength length_of(const std::vector<EvaluatedRun>& runs);

}  // namespace headlight
