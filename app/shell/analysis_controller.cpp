#include "app/shell/analysis_controller.h"

#include <array>

#include "app/export/about.h"
#include "app/export/exported_files.h"
#include "app/export/model_picture.h"
#include "app/export/result_files.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/stopping.h"

namespace headlight {
namespace {

constexpr std::uint64_t kMostTexts = std::uint64_t{1} << 26;  // bytes of a file with a text a line

void find(std::optional<NetworkPass>& pass, AnalysisRun& result, const AnalysisProgress& progress) {
  const Network& network = *result.of->network;
  if (!pass || pass->network_owner() != result.of->network) pass.emplace(result.of->network);
  result.analysis.texts = {result.of->ids};
  if (result.analysis.set) {
    result.analysis.texts.clear();
  } else if (!result.texts_file.empty()) {
    require_file(result.texts_file, kMostTexts);
    TextSet set = parse_text_set(network, read_text_file(result.texts_file), result.texts_file);
    result.analysis.texts = std::move(set.texts);
    result.analysis.targets = std::move(set.targets);
  }
  if (result.analysis.repeated) result.analysis.texts = {repeated_tokens(network, *result.analysis.repeated)};
  take_state(*pass, state_of(*result.of));
  if (result.from) {
    result.analysis.others = {result.from->ids};
    NetworkPass source(result.from->network);
    take_state(source, state_of(*result.from));
    result.result = run_analysis(*pass, result.analysis, progress, &source);
  } else {
    result.result = run_analysis(*pass, result.analysis, progress);
  }
  AskedHow how = asked_how(result.analysis, result.texts_file);
  how.changes = changes_in_words(*result.of);
  how.place = result.result.place;
  result.result.about = about_analysis(network, result.analysis, how);
  result.result.in_words = asked_in_words(result.analysis, how);
}

// Null if it was stopped.
std::shared_ptr<const AnalysisRun> answered(std::optional<NetworkPass>& pass, AnalysisRun result,
                                            const AnalysisProgress& progress) {
  try {
    find(pass, result, progress);
  } catch (const Stopped&) {
    return nullptr;
  } catch (const Error& failure) {
    result.failure = failure;
    pass.reset();
  } catch (const std::bad_alloc&) {
    result.failure.emplace("there is not enough memory for it", "questions", "give a shorter text");
    pass.reset();
  }
  return std::make_shared<const AnalysisRun>(std::move(result));
}

bool has_own_texts(const AnalysisRun& asked) {
  return !asked.texts_file.empty() || asked.analysis.set;
}

// Whether an answer about the one is one about the other: it depends neither on the layer that is shown nor,
// where it has texts of its own, on the open text.
bool answers_both(const AnalysisRun& answer, const OpenModel& now) {
  const OpenModel& of = *answer.of;
  return of.network == now.network && of.path == now.path && of.on == now.on &&
         (has_own_texts(answer) || same_input(of, now));
}

// The score of the selected pair of tokens, if one is selected.
void ask_pair(const ViewState& view, Analysis& analysis) {
  const std::optional<CellAddress>& cell = view.selection.cell;
  if (!cell || !is_pair(cell->stage)) return;
  analysis.query = cell->row;
  analysis.key = cell->column;
}

// What the page asks now, without its texts.
AnalysisRun asked_now(const ViewState& view, Index shown_head) {
  const ModelView& model = view.model;
  const AnalysisView& page = model.analyses;
  const AnalysisInfo& info = analysis_info(page.asked.kind);
  AnalysisRun asked;
  asked.of = model.work;
  asked.analysis = page.asked;
  std::optional<RepeatedTokens>& repeated = asked.analysis.repeated;
  if (page.asked.kind != AnalysisKind::Measures || model.work->image) repeated.reset();
  if (repeated) repeated->count = std::min(repeated->count, most_repeated(*model.work->network));
  const bool of_set = asks_of_set(model) && !asked.analysis.repeated;
  if (of_set) asked.analysis.set = model.set.rows;
  if (info.of_set && !info.of_other && !asked.analysis.repeated && !of_set)
    asked.texts_file = page.texts_file;
  if (info.of_target) {
    asked.analysis.target = model.target;
    // The likeliest token of the pages is the question's where both are about one text and its prediction.
    const bool of_likeliest = !of_set && asked.texts_file.empty() && !model.position;
    asked.analysis.against = of_likeliest ? model.logit_choice().other : model.against;
    if (asked.analysis.against == asked.analysis.target) asked.analysis.against.reset();
  }
  if (of_set) {
    // Each row has its own target, and its own text that numbers are taken from.
    const DataSet& set = *model.set.rows;
    if (set.has("target") || !info.of_target) asked.analysis.target.reset();
    if (set.has("against") || !info.of_target) asked.analysis.against.reset();
    asked.analysis.words = false;
    asked.analysis.tokens.clear();
    asked.analysis.metric = set_metric(model);
    if (asked.analysis.kind == AnalysisKind::Ablation && asked.analysis.measured == OutputMeasure::Kind::Loss)
      asked.analysis.metric.reset();
  }
  if (info.of_layer) asked.analysis.layer = page.layer.value_or(model.work->layer.layer);
  if (info.of_head)
    asked.analysis.head = page.head.value_or(std::min(shown_head, model.work->network->config().heads - 1));
  if (!of_set && (info.of_other || page.asked.kind == AnalysisKind::Loss)) asked.from = view.baseline.work;
  if (page.asked.kind == AnalysisKind::Score && !of_set) ask_pair(view, asked.analysis);
  for (std::string* const name : {&asked.analysis.query_name, &asked.analysis.key_name})
    if (page.asked.kind != AnalysisKind::Score || !of_set || !model.set.rows->has(*name)) name->clear();
  return asked;
}

}  // namespace

void AnalysisController::follow(ViewState& view, Index shown_head) {
  ModelView& model = view.model;
  AnalysisView& page = model.analyses;
  if (auto answer = job_.take(); answer && *answer) page.run = std::move(*answer);
  const bool stops = std::exchange(page.stop, false), computes = std::exchange(page.compute, false);
  if (!model.work) {
    job_.forget();
    asked_.reset();
    page.run = nullptr;
  }
  const bool shown = model.work && view.shows_page(ModelPage::Analyses);
  if (stops) job_.forget();
  if (shown) {
    AnalysisRun now = asked_now(view, shown_head);
    for (const AnalysisRun* const before :
         std::array<const AnalysisRun*, 2>{page.run.get(), asked_ ? &*asked_ : nullptr})
      if (before && before->texts_file == now.texts_file && before->analysis.set == now.analysis.set &&
          answers_both(*before, *model.work))
        now.of = before->of;
    const auto answers = [&](const AnalysisRun& other) {
      AnalysisRun without = other;
      without.analysis.texts.clear();
      without.analysis.others.clear();
      without.analysis.targets.clear();
      return without.same_analysis(now);
    };
    page.fresh = page.run && answers(*page.run);
    const bool at_once = !analysis_info(now.analysis.kind).takes_long && now.texts_file.empty();
    const bool new_one = !asked_ || !asked_->same_analysis(now);
    const bool can = !analysis_info(now.analysis.kind).of_other || now.from || now.analysis.set;
    if (can && (computes || (at_once && new_one && !page.fresh))) {
      asked_ = now;
      *progress_ = 0;
      job_.start([now = std::move(now), pass = pass_, progress = progress_] {
        return answered(*pass, now, [&](double share) { *progress = share; });
      });
    }
  }
  page.progress = job_.running() ? std::optional<double>(*progress_) : std::nullopt;
}

std::string AnalysisController::result_file(const AnalysisRun& answer, const FigureOptions& options,
                                            FileFormat format) {
  const FileFormatInfo& info = file_format_info(format);
  if (!info.figure) return result_bytes(answer.result, format);
  const Network& network = *answer.of->network;
  const FigureGrid figure = result_figure(
      answer.result, result_subtitle(network, answer.analysis, answer.result), options, *info.figure);
  return file_of(figure, *info.figure, options.dpi, network.name(), answer.result.about).bytes;
}

std::string AnalysisController::map_bytes(const ModelView& model, const FigureOptions& options,
                                          FileFormat format) {
  const HeadsOverview* const overview = model.current_overview();
  if (!model.work || !overview) throw Error("the map of heads is not computed yet", "model", "wait for it");
  const OpenModel& work = *model.work;
  std::vector<std::string> labels;
  for (Index token = 0; token < token_count(work); ++token)
    labels.push_back(token_label(work, token));
  const std::string name = work.network->name();
  const FigureFormat figure_format = *file_format_info(format).figure;
  FigureOptions look = options;
  look.text = work.text;
  const FigureGrid figure = model_map(*overview, labels, name, look, figure_format);
  return file_of(figure, figure_format, options.dpi, name).bytes;
}

std::string AnalysisController::result_name(const AnalysisRun& answer) {
  const AnalysisInfo& info = analysis_info(answer.analysis.kind);
  std::string name = answer.of->network->name() + "-" + std::string(info.name);
  if (info.of_layer) name += "-layer" + std::to_string(answer.analysis.layer);
  if (info.of_head) name += "-head" + std::to_string(answer.analysis.head);
  return name;
}

}  // namespace headlight
