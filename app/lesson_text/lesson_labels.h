// What the window, a handout and the pages of answers write around a lesson's texts: in English, or as the
// lesson's "labels" have it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/session/session.h"

namespace headlight {

enum class LessonLabel {
  Lesson,
  Step,
  Of,
  Back,
  Next,
  Restore,
  OwnAgain,  // a step has taken back wishes or training of the step before
  Question,
  DrawGuess,
  MarkGuess,
  TryIt,
  DragBars,
  MarkCells,
  MarkInPicture,
  ChooseWord,       // of a list along a row
  ChooseWordByRow,  // of a list down a column
  ClickCell,
  Answer,
  SeeIt,
  DoIt,
  Done,  // instead of the sentence about what was done
  Skip,
  Right,
  NotQuite,
  RightMarks,  // how many of the cells that were marked, of the answers of a class
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
  SaveAnswers,
  All,             // the answers of all taken together, of marks
  AnotherVersion,  // of the lesson, in which the same step asks for something else
  CellsLegend,     // of the picture of a class's answers
  BarsLegend,
  Dimension,
  Dropped,    // of a cell: set to zero by dropout
  Forbidden,  // of a cell: by the mask
  GivenAnswer,
  Head,
  HiddenByMask,
  Inputs,
  InAll,  // of a reader's answers: how many are right
  Key,
  Masked,  // of cells, in the picture's legend
  Matrices,
  Mean,
  Name,
  NoAnswer,
  None,
  NotTried,
  Query,
  Token,
  Value,
  Count
};

// Without words of its own.
const LessonLanguage& english();
// The language of the session's lesson; English without one.
const LessonLanguage& language_of(const Session& session);

// The lesson's words, else the English ones.
std::string label_text(const LessonLanguage& language, LessonLabel label);
// Whether the lesson has words of its own for it.
bool has_label(const LessonLanguage& language, LessonLabel label);

// The name of a stage in the lesson's language; "": it has none.
std::string stage_label(const LessonLanguage& language, Stage stage);
// The name of a stage in the lesson's language, or else in English.
std::string stage_word(const LessonLanguage& language, Stage stage);

// The words that a figure writes by itself, by the English ones: titles of stages, "head", the names of axes
// and of what colours show, the legend of the mask. Empty for English.
std::map<std::string, std::string> figure_words(const LessonLanguage& language);

// Every key that a lesson may have words for.
std::vector<std::string> label_keys();
// "there is no label "nxt": the nearest is "next"; ..." for each key that is unknown; and keys and terms of
// the glossary without words.
std::vector<std::string> label_faults(const LessonLanguage& language);

// A number or a list of numbers as the language writes it: "0.5, 0.2" is "0,5; 0,2" with a decimal comma.
std::string localized(const LessonLanguage& language, std::string numbers);

}  // namespace headlight
