#include "app/shell/question_controller.h"

#include <array>

#include "app/export/about.h"
#include "app/export/exported_files.h"
#include "app/export/finding_files.h"
#include "app/export/model_picture.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/stopping.h"

namespace headlight {
namespace {

constexpr std::uint64_t kMostTexts = std::uint64_t{1} << 26;  // bytes of a file with a text a line

void find(std::optional<NetworkPass>& pass, QuestionResult& result, const QuestionProgress& progress) {
  const Network& network = *result.of->network;
  if (!pass || pass->network_owner() != result.of->network) pass.emplace(result.of->network);
  result.question.texts = {result.of->ids};
  if (!result.texts_file.empty()) {
    require_file(result.texts_file, kMostTexts);
    TextSet set = parse_text_set(network, read_text_file(result.texts_file), result.texts_file);
    result.question.texts = std::move(set.texts);
    result.question.answers = std::move(set.answers);
  }
  if (result.question.repeated) result.question.texts = {repeated_tokens(network, *result.question.repeated)};
  take_state(*pass, state_of(*result.of));
  if (result.from) {
    result.question.others = {result.from->ids};
    NetworkPass source(result.from->network);
    take_state(source, state_of(*result.from));
    result.finding = find_answer(*pass, result.question, progress, &source);
  } else {
    result.finding = find_answer(*pass, result.question, progress);
  }
  AskedHow how;
  how.texts_file = result.texts_file;
  how.changes = changes_in_words(*result.of);
  result.finding.about = about_answer(network, result.question, how);
  result.finding.in_words = asked_in_words(result.question, how);
}

// Null if it was stopped.
std::shared_ptr<const QuestionResult> answered(std::optional<NetworkPass>& pass, QuestionResult result,
                                               const QuestionProgress& progress) {
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
  return std::make_shared<const QuestionResult>(std::move(result));
}

// Whether an answer about the one is one about the other: it depends neither on the layer that is shown nor,
// where it has texts of its own, on the open text.
bool answers_both(const QuestionResult& answer, const OpenModel& now) {
  const OpenModel& of = *answer.of;
  return of.network == now.network && of.path == now.path && of.on == now.on &&
         (!answer.texts_file.empty() || same_input(of, now));
}

// What the page asks now, without its texts.
QuestionResult asked_now(const ViewState& view, Index shown_head) {
  const ModelView& model = view.model;
  const QuestionView& page = model.questions;
  const QuestionInfo& info = question_info(page.asked.kind);
  QuestionResult asked;
  asked.of = model.work;
  asked.question = page.asked;
  std::optional<RepeatedTokens>& repeated = asked.question.repeated;
  if (page.asked.kind != QuestionKind::Measures || model.work->image) repeated.reset();
  if (repeated) repeated->count = std::min(repeated->count, most_repeated(*model.work->network));
  if (info.of_set && !info.of_other && !asked.question.repeated) asked.texts_file = page.texts_file;
  if (info.of_target) {
    asked.question.target = model.target;
    asked.question.against = model.against;
  }
  if (info.of_layer) asked.question.layer = page.layer.value_or(model.work->layer.layer);
  if (info.of_head)
    asked.question.head = page.head.value_or(std::min(shown_head, model.work->network->config().heads - 1));
  if (info.of_other || page.asked.kind == QuestionKind::Loss) asked.from = view.baseline.work;
  return asked;
}

}  // namespace

void QuestionController::follow(ViewState& view, Index shown_head) {
  ModelView& model = view.model;
  QuestionView& page = model.questions;
  if (auto answer = job_.take(); answer && *answer) page.result = std::move(*answer);
  const bool stops = std::exchange(page.stop, false), computes = std::exchange(page.compute, false);
  if (!model.work) {
    job_.forget();
    asked_.reset();
    page.result = nullptr;
  }
  const bool shown = model.work && view.shows_page(ModelPage::Questions);
  if (stops) job_.forget();
  if (shown) {
    QuestionResult now = asked_now(view, shown_head);
    for (const QuestionResult* const before :
         std::array<const QuestionResult*, 2>{page.result.get(), asked_ ? &*asked_ : nullptr})
      if (before && before->texts_file == now.texts_file && answers_both(*before, *model.work))
        now.of = before->of;
    const auto answers = [&](const QuestionResult& other) {
      QuestionResult without = other;
      without.question.texts.clear();
      without.question.others.clear();
      without.question.answers.clear();
      return without.same_question(now);
    };
    page.fresh = page.result && answers(*page.result);
    const bool at_once = !question_info(now.question.kind).takes_long && now.texts_file.empty();
    const bool new_one = !asked_ || !asked_->same_question(now);
    const bool can = !question_info(now.question.kind).of_other || now.from;
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

std::string QuestionController::answer_bytes(const QuestionResult& answer, const FigureOptions& options,
                                             FileFormat format) {
  const FileFormatInfo& info = file_format_info(format);
  if (!info.figure) return finding_bytes(answer.finding, format);
  const Network& network = *answer.of->network;
  const FigureGrid figure = finding_figure(
      answer.finding, finding_subtitle(network, answer.question, answer.finding), options, *info.figure);
  return file_of(figure, *info.figure, options.dpi, network.name(), answer.finding.about).bytes;
}

std::string QuestionController::map_bytes(const ModelView& model, const FigureOptions& options,
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

std::string QuestionController::answer_name(const QuestionResult& answer) {
  const QuestionInfo& info = question_info(answer.question.kind);
  std::string name = answer.of->network->name() + "-" + std::string(info.name);
  if (info.of_layer) name += "-layer" + std::to_string(answer.question.layer);
  if (info.of_head) name += "-head" + std::to_string(answer.question.head);
  return name;
}

}  // namespace headlight
