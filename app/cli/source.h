// What a command works on: a session's file, arrays, or a layer of a model's folder with a text in it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "engine/choosing/array_choices.h"
#include "engine/network/network_pass.h"
#include "engine/session/session.h"

namespace headlight {

// A text as it is given: as words, or as ids.
struct GivenText {
  std::optional<std::string> words;
  std::vector<std::int32_t> ids;  // used where there are no words

  bool empty() const { return !words && ids.empty(); }
};

struct Source {
  std::filesystem::path path;
  GivenText text;
  std::optional<Index> layer;
  ArrayAnswers arrays = {};  // of a file of arrays
};

// Whether it is a model's folder.
bool is_model_folder(const std::filesystem::path& path);
// Throws Error when there is nothing of this name.
void require_there(const std::filesystem::path& path);

// How files that are made of it begin: "two" of two.headlight, "gpt2-layer3" of a folder.
std::string source_name(const Source& source);

// The folder with the text in it. Throws Error, also where none is given.
NetworkPass load_pass(const std::filesystem::path& folder, const GivenText& text);
// A line on `err` for each thing of a model's folder that is left out. ShapeConstraints once the command has
// done its work: an error stands alone.
void tell_left_out(const Network& network, std::ostream& err);

// A session's file, arrays as load_arrays makes one of them, or the attention of a layer as a session of its
// own. Throws Error: as load_session, load_arrays and load_pass, when a folder is given without a layer, when
// it has no such layer, and when a file is given with a text, a session's with a layer or answers about
// arrays. What was assumed of arrays is told on `err`.
Session load_source(const Source& source, std::ostream& err);

}  // namespace headlight
