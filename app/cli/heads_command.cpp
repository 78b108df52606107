// The command `headlight heads`: the measures of every head.
#include <algorithm>

#include "app/cli/commands.h"
#include "app/export/about.h"
#include "app/export/exported_files.h"
#include "app/export/head_numbers.h"
#include "app/terminal/terminal_text.h"
#include "engine/array_import/array_file.h"
#include "engine/attention/measured_heads.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/interpretation/open_model.h"

namespace headlight {
namespace {

// Four decimals, like `print`.
std::string shown_value(HeadMeasure measure, std::optional<float> value) {
  if (!value) return std::string(head_measure_info(measure).none);
  return four_decimals(double{*value});
}

void print_table(const HeadTable& table, bool with_picture, std::ostream& out) {
  std::vector<std::vector<std::string>> lines = {{"head"}};
  const std::size_t columns = table.measures.size() - (with_picture ? 0 : 1);  // likeness is the last one
  for (std::size_t column = 0; column < columns; ++column)
    lines.front().emplace_back(head_measure_table()[column].label);
  for (std::size_t row = 0; row < table.heads.size(); ++row) {
    lines.push_back({std::to_string(table.heads[row])});
    for (std::size_t column = 0; column < columns; ++column)
      lines.back().push_back(shown_value(head_measure_table()[column].measure, table.values[row][column]));
  }
  for (const std::vector<std::string>& line : lines) {
    for (std::size_t column = 0; column < line.size(); ++column) {
      std::size_t width = 0;
      for (const std::vector<std::string>& other : lines)
        width = std::max(width, terminal_width(other[column]));
      out << (column == 0 ? "" : "  ") << right_aligned(line[column], width);
    }
    out << '\n';
  }
}

// Throws Error if the session does not have the sequence or picture.
void check_choice(const HeadsOptions& options, Index sequence, const Layer& layer) {
  chosen_heads({Stage::Weights, std::nullopt, sequence}, layer);
  if (options.picture.kind == PictureKind::Head && options.picture.head >= layer.head_count())
    throw Error("there is no head " + std::to_string(options.picture.head), "--like",
                "the heads are 0 to " + std::to_string(layer.head_count() - 1));
  if (options.picture.kind == PictureKind::Mask && layer.custom_mask.size() == 0)
    throw Error("the session has no painted mask", "--like mask",
                "paint one in the window, or name a head to compare with");
}

std::vector<AskedChoice> choices_of(const HeadsOptions& options) {
  std::vector<AskedChoice> choices;
  const auto add = [&](const char* option, std::string value) {
    choices.push_back({option, std::move(value)});
  };
  if (options.source.layer) add("layer", std::to_string(*options.source.layer));
  if (options.source.arrays.sequence) add("sequence", std::to_string(options.sequence));
  if (options.sort) add("sort", std::string(head_measure_info(*options.sort).name));
  if (options.ascending) add("ascending", "");
  if (options.picture.kind == PictureKind::Head) add("like", std::to_string(options.picture.head));
  if (options.picture.kind == PictureKind::Mask) add("like", "mask");
  return choices;
}

// With blanks between.
std::string joined(const std::vector<std::string>& tokens) {
  std::string text;
  for (const std::string& token : tokens)
    text += (text.empty() ? "" : " ") + token;
  return text;
}

// session: the source, as it was loaded.
std::string about_heads(const HeadsOptions& options, const Session& session) {
  About about;
  about.analysis = "heads";
  if (is_model_folder(options.source.path)) {
    const auto network = open_text_model(options.source.path);
    const GivenText& text = options.source.text;
    about.ids = {ids_of(*network, text)};
    about.model = asked_file(*network);
    about.texts = {asked_text(*network, about.ids.front())};
  } else {
    about.model = asked_file(options.source.path, is_array_file(options.source.path) ? "arrays" : "session");
    about.texts = {joined(session.layer.tokens)};
    if (session.work) about.changes = changes_in_words(*session.work);
  }
  about.options = choices_of(options);
  about.command = {"headlight", "heads", options.source.path.string()};
  for (const TokenIds& ids : about.ids)
    about.command.insert(about.command.end(), {"--ids", id_list(ids)});
  about.command.insert(about.command.end(), options.arrays_typed.begin(), options.arrays_typed.end());
  add_choices(about.command, about.options);
  return about_text(about);
}

}  // namespace

void measure_heads(const HeadsOptions& options, std::ostream& out, std::ostream& err) {
  const FileFormatInfo* format = nullptr;
  if (options.output) {
    format = file_format(*options.output);
    if (!format || !is_head_format(format->format))
      throw Error("the measures of heads are saved as .csv, .tsv, .json or .npz", options.output->string(),
                  "give a name with one of these endings");
    require_free(*options.output, options.force);
  }
  Session session = load_source(options.source, err);
  const Index sequence = options.sequence - first_sequence(options.source);
  check_choice(options, sequence, session.layer);
  const std::string about = format ? about_heads(options, session) : "";
  const Evaluator evaluator = evaluate(std::move(session.layer));
  std::vector<HeadMeasures> measures;
  for (Index head = 0; head < evaluator.layer().head_count(); ++head)
    measures.push_back(measures_of(evaluator, nullptr, {sequence, head, options.picture}));
  HeadTable table = ordered_table(session.title, options.sequence, options.picture, measures,
                                  {options.sort, options.ascending});
  table.about = about;
  if (!format) return print_table(table, options.picture.kind != PictureKind::None, out);
  write_file_atomically(*options.output, head_bytes(table, format->format));
  out << options.output->string() << " saved\n";
}

}  // namespace headlight
