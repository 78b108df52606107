#include <algorithm>
#include <cmath>

#include "app/cli/commands.h"
#include "app/cli/save_program.h"
#include "app/export/exported_files.h"
#include "app/figure/plan/heatmap_figure.h"
#include "app/terminal/terminal_text.h"
#include "app/terminal/weight_note.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

// Four decimals, like a notebook: an ASCII minus, "-inf", "nan".
std::string printed_number(float value) {
  return std::isnan(value) ? "nan" : table_digits(double{value}, 4);
}

std::string padded(const std::string& text, std::size_t width, bool right_aligned) {
  const std::size_t used = terminal_width(text);
  const std::string blanks(width > used ? width - used : 0, ' ');
  return right_aligned ? blanks + text : text + blanks;
}

std::vector<std::string> column_names(const Layer& layer, Stage stage) {
  std::vector<std::string> names;
  for (Index c = 0; c < stage_columns(layer, stage); ++c)
    names.push_back(is_pair(stage) ? visible_label(layer.key_labels()[static_cast<std::size_t>(c)])
                                   : std::to_string(c));
  return names;
}

void print_matrix(const Matrix& matrix, const std::vector<std::string>& tokens,
                  const std::vector<std::string>& columns, std::ostream& out) {
  std::size_t label_width = 0;
  for (const std::string& token : tokens)
    label_width = std::max(label_width, terminal_width(visible_label(token)));
  std::vector<std::size_t> widths;
  for (Index c = 0; c < matrix.cols(); ++c) {
    std::size_t width = terminal_width(columns[static_cast<std::size_t>(c)]);
    for (Index r = 0; r < matrix.rows(); ++r)
      width = std::max(width, printed_number(matrix(r, c)).size());
    widths.push_back(width);
  }
  std::string line(label_width, ' ');
  for (std::size_t c = 0; c < widths.size(); ++c)
    line += "  " + padded(columns[c], widths[c], true);
  out << line << '\n';
  for (Index r = 0; r < matrix.rows(); ++r) {
    line = padded(visible_label(tokens[static_cast<std::size_t>(r)]), label_width, false);
    for (Index c = 0; c < matrix.cols(); ++c)
      line += "  " + padded(printed_number(matrix(r, c)), widths[static_cast<std::size_t>(c)], true);
    out << line << '\n';
  }
}

// The choice with the sequence's number in the loaded session in place of that in the batch.
StageChoice in_session(StageChoice choice, const Source& source) {
  choice.sequence -= first_sequence(source);
  return choice;
}

}  // namespace

void print_stage(const Source& source, const StageChoice& named, std::ostream& out, std::ostream& err) {
  Session session = load_source(source, err);
  const StageChoice choice = in_session(named, source);
  const std::vector<Index> heads = chosen_heads(choice, session.layer);
  const Evaluator evaluator = evaluate(std::move(session.layer));
  note_weights(evaluator.layer(), source.path, err);
  const StageInfo& info = stage_info(choice.stage);
  const std::vector<std::string> columns = column_names(evaluator.layer(), choice.stage);
  for (const Index head : heads) {
    const bool each = choice.pool == HeadPool::Each, own = choice.content() == TileContent::Stage;
    const Matrix made = own    ? Matrix()
                        : each ? evaluator.without_first(choice.stage, choice.sequence, head)
                               : evaluator.heads_together(choice.stage, choice.sequence, choice.pool);
    const Matrix& matrix = own ? evaluator.matrix(choice.stage, choice.sequence, head) : made;
    if (head != heads.front()) out << '\n';
    out << info.name << (choice.without_first ? " without the first key, rows to 1 again" : "")
        << ": sequence " << named.sequence;
    if (!each)
      out << ", " << (choice.pool == HeadPool::Mean ? "mean" : "maximum") << " of all heads";
    else if (info.per_head)
      out << ", head " << head;
    out << ", " << matrix.rows() << " x " << matrix.cols() << '\n';
    print_matrix(matrix, row_labels(evaluator.layer(), choice.stage), columns, out);
  }
}

void print_program(const Source& source, const StageChoice& named, ProgramKind kind,
                   const std::filesystem::path& output, bool force, std::ostream& out, std::ostream& err) {
  if (!output.empty() && output.extension() != ".py")
    throw Error("a program is saved as .py only", output.string(), "give a name that ends in .py");
  if (!output.empty()) {
    require_free(output, force);
    require_free(arrays_beside(output), force);
  }
  const Session session = load_source(source, err);
  const StageChoice choice = in_session(named, source);
  chosen_heads(choice, session.layer);
  std::optional<Index> head;
  if (choice.pool != HeadPool::Each)
    throw Error("a program prints one head or all of them", "--head", "name one head, or leave it out");
  if (choice.heads && stage_info(choice.stage).per_head) {
    if (choice.heads->size() > 1)
      throw Error("a program prints one head or all of them", "--head", "name one head, or leave it out");
    head = choice.heads->front();
  }
  const ProgramRequest request{choice.stage, choice.sequence, head};
  if (output.empty()) {
    out << program_text(session.layer, session.title, request, kind);
    return;
  }
  const bool with_arrays = save_program(session.layer, session.title, request, kind, output);
  out << output.string() << (with_arrays ? " and " + arrays_beside(output).string() : "") << " saved\n";
}

}  // namespace headlight
