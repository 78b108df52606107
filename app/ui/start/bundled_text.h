// What the bundled language model has read, and sentences to try with it.
#pragma once

#include <array>

namespace headlight {

inline constexpr const char* kReadByBundled =
    "It has read 96,000 lines of made-up English in some 300 words: people meet, give, lose and find things. "
    "It knows "
    "nothing else";

struct TriedSentence {
  const char *id, *label, *text;
  const char* next;  // the word that the model expects behind it
};
inline constexpr std::array<TriedSentence, 4> kTriedSentences = {{
    {"found", "lost and found", "Leo lost his red hat in the park . Rosa found the red hat and gave it to",
     "Leo"},
    {"list", "a list that comes back",
     "Eve bought a ball , a book and a cup . Later Eve lost the ball , the book and the", "cup"},
    {"day", "the day after", "On Monday Ann went to the park , and on", "Tuesday"},
    {"many", "one or many", "The keys in the garden", "are"},
}};

}  // namespace headlight
