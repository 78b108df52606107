// A parsed text as JSON, for a reader in another language: the pages of a course evaluate it
// (assets/page/lesson_text.js).
//
//   "words"                                    {"index": 1}   {"typed": "−3"}
//   {"control": "learn", "words": "Learn"}     without words: ""
//   {"ref": R}                                 with "form": "words" or "first", and "slider": {"low", "high"}
//   {"calc": A, "decimals": 3}
//   {"if": [[C, pieces], ..., [null, pieces]]}
//
// A is a number, {"ref": R} or {"op": "+", "parts": [A, A]} with one of + - * /, negate, abs, bits.
// C is {"is": "<", "left": A, "right": A}, with a sign or "largest of"; {"is": "changed", "left": A},
// likewise moved, nan and known; {"is": "changed only", "part": "mask"} or with "left"; {"is": "changed
// lesson"};
// {"is": "setting", "setting": "mask", "word": "causal"}; {"is": "and", "parts": [C, C]}, likewise or and
// not. R has one of "stage", "weight" ("query"), "setting" and "guess": true, or "kind": "token"; and, where
// it is not the default, each other member of TextReference under its name.
#pragma once

#include <string>
#include <vector>

#include "engine/session/lesson_text.h"

namespace headlight {

// On one line, as a list.
std::string parsed_text_json(const std::vector<TextPiece>& pieces);

}  // namespace headlight
