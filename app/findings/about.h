// What an answer is: the model, the texts, the choices and the changes that it was computed with, and the
// command that computes it again.
#pragma once

#include <string>
#include <vector>

#include "engine/questions/question.h"

namespace headlight {

struct AskedHow {
  std::string texts_file, others_file;  // a text a line; "": the texts are named as ids
  std::string changes_file;             // a session; "": the model as it is, or one that is not saved
  std::vector<std::string> changes;     // in words
};

// The words of the command: "headlight", "ask", ... One file of a set is needed where there are several
// texts.
std::vector<std::string> asking_command(const Network& network, const Question& question,
                                        const AskedHow& how);
// The same, as about_answer() has it.
std::vector<std::string> command_in(const std::string& about);
// The command as typed into a shell, and as a program in Python that reads its answer.
std::string shell_line(const std::vector<std::string>& words);
std::string python_program(const std::vector<std::string>& words);

// A JSON object: version, model (path, family, bytes, header), question, texts, ids, from, target, against,
// metric, options, changes, command.
std::string about_answer(const Network& network, const Question& question, const AskedHow& how);
// In a few words, for a figure: "mean ablation · loss · 2 changes".
std::string asked_in_words(const Question& question, const AskedHow& how);

}  // namespace headlight
