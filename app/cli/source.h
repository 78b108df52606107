// The input of a command: a session file, arrays, or a layer of a model's folder with a text.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "engine/array_import/array_choices.h"
#include "engine/network/network_pass.h"
#include "engine/session/session.h"

namespace headlight {

// A text, as words or as token ids.
struct GivenText {
  std::optional<std::string> words;
  std::vector<std::int32_t> ids;  // used without words

  bool empty() const { return !words && ids.empty(); }
};

struct Source {
  std::filesystem::path path;
  GivenText text;
  std::optional<Index> layer;
  ArrayOptions arrays = {};  // for a file of arrays
  // The model of a session, in place of the one that it names; empty: that one.
  std::filesystem::path model = {};
};

// Whether the path is a folder, which is read as that of a model, or a GGUF file.
bool is_model_folder(const std::filesystem::path& path);
// Throws Error if the path does not exist.
void require_exists(const std::filesystem::path& path);

// The beginning of output file names: "two" for two.headlight, "gpt2-layer3" for a folder.
std::string source_name(const Source& source);

// Loads the model and sets the text. Throws Error, also for an empty text.
NetworkPass load_pass(const std::filesystem::path& folder, const GivenText& text);
// Writes a line to `err` for each part of a model's folder that is not computed. Call after the command's
// work, so that an error is the only line.
void report_omitted(const Network& network, std::ostream& err);

// The ids of a text that was given as words or as ids.
std::vector<std::int32_t> ids_of(const Network& network, const GivenText& text);

// The number in its batch of the first sequence of the loaded session: of arrays of which one sequence is
// taken alone, that one's; else 0.
Index first_sequence(const Source& source);

// Throws Error if there are options of arrays. Precondition: the source is not a file of arrays.
void require_no_array_options(const Source& source);

// Throws Error if a model of a session is named. Precondition: the source is no session.
void require_no_model(const Source& source);

// load_session() with the session's model at `model`, unless that is empty. Throws Error also if there is
// such a model and the session has none.
Session load_session_with(const std::filesystem::path& path, const std::filesystem::path& model);

// Loads a session file, arrays (by load_arrays) as a session, or the attention of a layer as a session.
// Writes assumptions about arrays to `err`. Throws Error: that of load_session, load_arrays and load_pass;
// for a folder without a layer or with one that it does not have; for a file with a text; for a session file
// with a layer or options of arrays other than the sequence; for a model of a session with another source.
Session load_source(const Source& source, std::ostream& err);

}  // namespace headlight
