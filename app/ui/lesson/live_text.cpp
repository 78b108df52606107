#include "app/ui/lesson/live_text.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "app/lesson_text/glossary.h"
#include "app/lesson_text/lesson_labels.h"
#include "app/lesson_text/reference_text.h"
#include "app/ui/widgets/text_entry.h"

namespace headlight {
namespace {

// The numbers of the newest results.
class ResultValues : public ValueSource {
 public:
  explicit ResultValues(const UiContext& ui) : ui_(ui) {}
  const Layer& layer() const override { return ui_.layer(); }
  std::shared_ptr<const CellTrace> cell(const CellAddress& cell) const override {
    return ui_.answer ? ui_.answer->find(cell) : nullptr;
  }
  std::shared_ptr<const RowSummary> row(const RowRequest& row) const override {
    const auto found = ui_.answer ? ui_.answer->find(row) : nullptr;
    // A row of another length belongs to an earlier layer.
    return found && found->total == stage_columns(layer(), row.stage) ? found : nullptr;
  }
  SourceGradients gradients() const override {
    const auto& goal = ui_.document.session().goal;
    if (!goal) return {};
    const bool known = ui_.answer && ui_.answer->gradients && ui_.answer->requested.gradients.goal == goal;
    if (!known) return {true, nullptr};
    return {false, ui_.answer->gradients->refusal.empty() ? &ui_.answer->gradients->gradients : nullptr};
  }
  // From the tile of the mean, which is requested only while it is shown.
  std::optional<double> drawn_mean(const CellAddress& cell) const override {
    if (!ui_.answer) return std::nullopt;
    for (const auto& tile : ui_.answer->tiles)
      if (tile && shows_mean(*tile, cell))
        return tile->values(cell.row - tile->request.row_begin, cell.column - tile->request.column_begin);
    return std::nullopt;
  }

 private:
  static bool shows_mean(const Tile& tile, const CellAddress& cell) {
    const TileRequest& request = tile.request;
    return request.content == TileContent::MeanDropped && !tile.pooled && request.sequence == cell.sequence &&
           request.head == cell.head && cell.row >= request.row_begin && cell.row < request.row_end &&
           cell.column >= request.column_begin && cell.column < request.column_end;
  }

  const UiContext& ui_;
};

void request_gradient(UiContext& ui, const TextReference& reference) {
  GradientsView& view = ui.requested.gradients;
  view.goal = ui.document.session().goal;
  if (!reference.gradient) return;
  if (reference.parameter)
    view.parameters = true;
  else
    view.stages |= stage_bit(reference.stage);
}

void request_for(UiContext& ui, const std::vector<TextReference>& references) {
  for (const TextReference& reference : references) {
    if (reference.moment != ReferencedState::Now) continue;
    if (reference.of_goal()) {
      request_gradient(ui, reference);
      continue;
    }
    const ReferenceNeed need = reference_need(reference, ui.layer());
    if (need.cell) ui.requested.traces.push_back(*need.cell);
    for (const RowRequest& row : need.rows)  // without duplicates: texts reference the same stage repeatedly
      if (std::find(ui.requested.rows.begin(), ui.requested.rows.end(), row) == ui.requested.rows.end())
        ui.requested.rows.push_back(row);
  }
}

// Whether the word is a token's label, like “Attention”, which is not a term.
bool is_quoted(const std::string& words, std::size_t at) {
  const std::size_t opened = words.rfind("“", at), closed = words.rfind("”", at);
  return opened != std::string::npos && (closed == std::string::npos || closed < opened);
}

// Adds words to the runs. The first occurrence of each term becomes a separate run.
void add_words(std::vector<EvaluatedRun>& runs, const std::string& words,
               const std::vector<GlossaryTerm>& terms, std::set<std::string_view>& explained) {
  std::size_t at = 0;
  const auto add = [&](std::size_t end, std::string_view meaning) {
    if (end == at) return;
    EvaluatedRun run;
    run.text = words.substr(at, end - at);
    run.meaning = meaning;
    runs.push_back(std::move(run));
    at = end;
  };
  for (const FoundTerm& found : terms_in(words, terms)) {
    if (is_quoted(words, found.begin)) continue;
    if (!explained.insert(found.term->name).second) continue;
    add(found.begin, {});
    add(found.end, found.term->meaning);
  }
  add(words.size(), {});
}

}  // namespace

std::string readable(const std::string& text) {
  return text.size() <= kMostTextShown ? text : text_head(text, kMostTextShown) + " …";
}

std::vector<EvaluatedRun> live_text(UiContext& ui, const LessonText& text, const ReferenceStates* own) {
  request_for(ui, references_of(text.pieces()));
  const ResultValues now(ui);
  std::vector<EvaluatedRun> runs;
  std::set<std::string_view> explained;  // terms that were explained where they first occur
  std::size_t part = 0, length = 0;
  const auto& lesson = ui.document.session().lesson;
  const std::vector<GlossaryTerm> terms = terms_of(lesson ? lesson->language : english());
  for (EvaluatedRun& run :
       evaluated_runs(text.pieces(), {&now, own ? &own->of_first : nullptr, own ? &own->of_opened : nullptr,
                                      nullptr, lesson ? &lesson->language : nullptr, ui.counting()})) {
    if (length > kMostTextShown) break;
    run.text = readable(run.text);
    length += run.text.size();
    run.part = part++;
    if (run.live || run.cell || !run.control.empty())
      runs.push_back(std::move(run));
    else
      add_words(runs, run.text, terms, explained);
  }
  return runs;
}

std::optional<std::vector<double>> live_numbers(UiContext& ui, const LessonText& text) {
  const std::vector<TextReference> references = references_of(text.pieces());
  request_for(ui, references);
  const ReferencedNumbers numbers = referenced_numbers(references.front(), ResultValues(ui));
  if (numbers.state != ReferencedNumbers::State::Known) return std::nullopt;
  return numbers.values;
}

std::optional<double> live_number(UiContext& ui, const LessonText& text) {
  const auto numbers = live_numbers(ui, text);
  return numbers && numbers->size() == 1 ? std::optional(numbers->front()) : std::nullopt;
}

std::string plain_text(const std::vector<EvaluatedRun>& runs) {
  std::string text;
  for (const EvaluatedRun& run : runs)
    text += run.text;
  return text;
}

}  // namespace headlight
