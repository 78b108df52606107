// What the window and a handout write around a lesson's texts: in English, or as the lesson's "labels" have
// it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/session/lesson.h"

namespace headlight {

enum class LessonLabel {
  Lesson,
  Step,
  Of,
  Back,
  Next,
  Restore,
  Question,
  DrawGuess,
  MarkGuess,
  TryIt,
  DragBars,
  MarkCells,
  MarkInPicture,
  ChooseWord,
  ClickCell,
  Answer,
  SeeIt,
  DoIt,
  Done,  // instead of the sentence about what was done
  Skip,
  Right,
  NotQuite,
  RightMarks,  // of the cells that were marked: how many
  WrongMarks,
  MissedMarks,
  TheAnswer,
  YouGuessed,
  YouClicked,
  YouChose,
  MoreNumbers,
  AskAgain,
  AtFirst,
  Equally,
  Answers,
  WhatNext,
  Count
};

// Without words of its own.
const LessonLanguage& english();

// The lesson's words, else the English ones.
std::string label_text(const LessonLanguage& language, LessonLabel label);
// Whether the lesson has words of its own for it.
bool has_label(const LessonLanguage& language, LessonLabel label);

// "there is no label "nxt"; known are "next", ...", nearest first, for each key that is unknown.
std::vector<std::string> label_faults(const LessonLanguage& language);

// A number or a list of numbers as the language writes it: "0.5, 0.2" is "0,5; 0,2" with a decimal comma.
std::string localized(const LessonLanguage& language, std::string numbers);

}  // namespace headlight
