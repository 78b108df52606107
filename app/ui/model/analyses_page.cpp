#include "app/ui/model/analyses_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <imgui.h>

#include "app/export/result_files.h"
#include "app/export/typed_tokens.h"
#include "app/figure/plan/names.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/model/page_menu.h"
#include "app/ui/model/row_text.h"
#include "app/ui/widgets/number_cell.h"
#include "app/ui/widgets/widgets.h"
#include "engine/analysis/path_results.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr float kSliderWidth = 150, kFileBox = 220;

template <class T>
struct Option {
  T value;
  const char *id, *label, *what;
};
constexpr std::array kStages = {
    Option<PatchStage>{PatchStage::Residual, "residual", "the stream", "At each layer and token"},
    Option<PatchStage>{PatchStage::AttentionAdded, "attention", "what attention adds",
                       "At each layer and token"},
    Option<PatchStage>{PatchStage::MlpAdded, "mlp", "what the MLP adds", "At each layer and token"},
    Option<PatchStage>{PatchStage::Queries, "queries", "queries", "Of each head, at all tokens"},
    Option<PatchStage>{PatchStage::Keys, "keys", "keys", "Of each head of keys, at all tokens"},
    Option<PatchStage>{PatchStage::Values, "values", "values", "Of each head of values, at all tokens"},
    Option<PatchStage>{PatchStage::Weights, "pattern", "pattern", "The weights of each head"},
    Option<PatchStage>{PatchStage::Context, "output", "context (z)",
                       "What each head gathers, before W_o, at all tokens"}};
struct PutIn {
  AblationKind kind;
  MeanOver over;
  bool operator==(const PutIn&) const = default;
};
constexpr std::array kAblations = {
    Option<PutIn>{{AblationKind::Mean, MeanOver::Set},
                  "mean",
                  "by the mean of all",
                  "Each is replaced by its mean over all tokens of the texts"},
    Option<PutIn>{
        {AblationKind::Mean, MeanOver::Text},
        "text_mean",
        "by each text's mean",
        "Each is replaced by its mean over the text itself, as by a right click in the map of heads"},
    Option<PutIn>{{AblationKind::Zero, MeanOver::Set}, "zero", "by zero", "Each adds nothing"}};
constexpr std::array kEmbeddings = {
    Option<EmbeddingKind>{EmbeddingKind::Raw, "raw", "embeddings",
                          "As if each token's embedding were the stream"},
    Option<EmbeddingKind>{EmbeddingKind::Effective, "effective", "effective embeddings",
                          "The embedding with what the first layer's MLP adds to it"}};
constexpr std::array kMeasures = {
    Option<OutputMeasure::Kind>{OutputMeasure::Kind::Loss, "loss", "loss of the text",
                                "The mean of −ln p over the tokens of the text"},
    Option<OutputMeasure::Kind>{OutputMeasure::Kind::Logit, "logit", "logit", "The target's logit"}};

void box(UiContext& ui, Flow& flow, const std::string& name, const std::vector<Choice>& choices,
         std::size_t current, const std::string& tip, const std::function<void(std::size_t)>& chosen) {
  const float wide = std::min(combo_width(ui, choices), flow.width());
  flow.control(wide, ui.theme.px(8));
  if (const auto now = choice_box(ui, name, choices, current, wide, tip)) chosen(*now);
}

template <class T, std::size_t N>
void option_box(UiContext& ui, Flow& flow, const std::string& name, const std::array<Option<T>, N>& options,
                T& value, const std::string& tip) {
  std::vector<Choice> choices;
  std::size_t current = 0;
  for (const Option<T>& option : options) {
    if (option.value == value) current = choices.size();
    choices.push_back({option.id, option.label, option.what});
  }
  box(ui, flow, name, choices, current, tip, [&](std::size_t now) { value = options[now].value; });
}

// What is put in, and at the end of the list the field of heads that are taken away together.
void ablation_box(UiContext& ui, PathToolsState& state, Flow& flow) {
  Analysis& asked = ui.view.model.analyses.asked;
  std::vector<Choice> choices;
  std::size_t current = 0;
  for (const Option<PutIn>& option : kAblations) {
    if (option.value == PutIn{asked.ablation, asked.mean_over}) current = choices.size();
    choices.push_back({option.id, option.label, option.what});
  }
  choices.push_back({"together", "several heads together…", "Heads that are typed, as one number"});
  box(ui, flow, "model.question.ablation", choices, current, "What stands in the place of each head and MLP",
      [&](std::size_t now) {
        if (now == kAblations.size()) {
          state.types_together = true;
          return;
        }
        asked.ablation = kAblations[now].value.kind;
        asked.mean_over = kAblations[now].value.over;
      });
}

// A box of the layers or heads; its first choice follows what the workbench shows.
void number_box(UiContext& ui, Flow& flow, const std::string& name, const std::string& what, Index count,
                Index shown, std::optional<Index>& value) {
  if (value && *value >= count) value.reset();
  std::vector<Choice> choices = {
      {"shown", what + " " + ui.counting().number(shown), "The one that the workbench shows"}};
  for (Index i = 0; i < count; ++i)
    choices.push_back({std::to_string(i), what + " " + ui.counting().number(i), ""});
  box(ui, flow, name, choices, value ? static_cast<std::size_t>(*value) + 1 : 0, "Which " + what,
      [&](std::size_t now) {
        value = now == 0 ? std::nullopt : std::optional<Index>(static_cast<Index>(now) - 1);
      });
}

std::string accept_any(const std::string& /*text*/) {
  return "";
}

// A file with a text a line, in the place of the open text.
void texts_field(UiContext& ui, AnalysesPageState& state, Flow& flow) {
  const float width = std::min(ui.theme.px(kFileBox), flow.width());
  flow.group("texts of", width);
  const auto typed =
      text_field(ui, state.texts, "model.question.texts", ui.view.model.analyses.texts_file, width,
                 "The path of a file with one text a line: the answer is then their mean. "
                 "Empty: the open text",
                 accept_any);
  if (typed) ui.view.model.analyses.texts_file = *typed;
}

// What measures are taken on: the open text, or the text on which induction shows best.
void source_box(UiContext& ui, Flow& flow) {
  std::optional<RepeatedTokens>& repeated = ui.view.model.analyses.asked.repeated;
  box(ui, flow, "model.question.source",
      {{"text", asks_of_set(ui.view.model) ? "on the rows of the set" : "on this text",
        "The open text, the file of texts, or the rows of the data set"},
       {"repeated", "on random tokens, said twice",
        "Up to 40 random tokens and then the same again: only the repetition says what follows, so that "
        "induction heads show"}},
      repeated ? 1 : 0, "What the heads are measured on",
      [&](std::size_t now) { repeated = now == 1 ? std::optional(RepeatedTokens{}) : std::nullopt; });
}

// The token as it can be typed: its word, or its id as #42 where that is no word to type.
std::string word_to_type(const Network& network, std::int32_t id) {
  std::string word = network.label(id);
  const bool plain = !word.starts_with('#') && std::none_of(word.begin(), word.end(), [](char c) {
    return c == ',' || static_cast<unsigned char>(c) < ' ';
  });
  try {
    if (plain && network.tokenizer())
      if (const TypedTarget typed = typed_target(network, word); typed.id == id && typed.said.empty())
        return word;
  } catch (const Error&) {
    // the vocabulary has no such word: it is typed as its id
  }
  return "#" + std::to_string(id);
}

// The tokens with commas between them, as typed_tokens() reads them.
const std::string& words_of(const std::shared_ptr<const Network>& network, const TokenIds& tokens,
                            TypedTokens& words) {
  if (words.of.lock() == network && words.tokens == tokens) return words.text;
  words = {network, tokens, ""};
  for (const std::int32_t id : tokens)
    words.text += (words.text.empty() ? "" : ",") + word_to_type(*network, id);
  return words.text;
}

// The tokens of a circuit, in the place of those of the text.
void tokens_field(UiContext& ui, AnalysesPageState& state, Flow& flow) {
  TokenIds& tokens = ui.view.model.analyses.asked.tokens;
  const float width = std::min(ui.theme.px(kFileBox), flow.width());
  flow.group("tokens", width);
  const auto typed =
      text_field(ui, state.tokens, "model.question.tokens",
                 words_of(ui.view.model.work->network, tokens, state.tokens_typed), width,
                 "Words of the vocabulary, with the blank that they begin with, or ids as #42, with commas "
                 "between them; or the path of a file with one a line. Empty: the tokens of the text",
                 accept_any);
  if (!typed) return;
  try {
    tokens = typed->empty() ? TokenIds() : typed_tokens(*ui.view.model.work->network, *typed);
  } catch (const Error& failure) {
    state.tokens.message = failure.what();
    state.tokens.active = true;
  }
}

void strength_slider(UiContext& ui, Flow& flow) {
  constexpr double kMost = 8;
  const float width = std::min(ui.theme.px(kSliderWidth), flow.width());
  flow.group("strength", width);
  ImGui::SetNextItemWidth(width);
  auto strength = static_cast<float>(ui.view.model.analyses.asked.strength);
  if (ImGui::SliderFloat("##strength", &strength, -kMost, kMost, "%.2f"))
    ui.view.model.analyses.asked.strength = std::clamp(static_cast<double>(strength), -kMost, kMost);
  ui.probe.mark("model.question.strength", plain_number(ui.view.model.analyses.asked.strength));
  tooltip(ui, "How many times the direction is added to the stream");
}

// Whether the question is asked of the rows of the data set, in place of the open text. Off and grey where
// it cannot be.
void set_switch(UiContext& ui, Flow& flow) {
  ModelView& model = ui.view.model;
  if (!model.work->set || !model.set.rows || model.analyses.asked.kind == AnalysisKind::Composition) return;
  const std::string refusal = why_not_of_set(model);
  const std::string label =
      "over " + counted(static_cast<std::int64_t>(model.set.rows->rows.size()), "row", "rows");
  flow.control(button_width(label), ui.theme.px(8));
  if (tool_button(ui, "model.question.set", label,
                  refusal.empty()
                      ? "The mean over the rows of the data set that are on, with its standard error; "
                        "off: the open text"
                      : refusal,
                  refusal.empty(), asks_of_set(model)))
    model.set.asks = !model.set.asks;
}

// Whose number the question reads. Rows of a data set mostly have their own targets, which are then read.
void target_tools(UiContext& ui, TargetToolsState& state, Flow& flow) {
  const ModelView& model = ui.view.model;
  const bool of_set = asks_of_set(model);
  const bool own_target = of_set && model.set.rows->has("target"),
             own_against = of_set && model.set.rows->has("against");
  if (own_target) {
    const std::string text = own_against ? "target, against: of each row" : "target: of each row";
    flow.control(std::min(text_width(ui.theme.fonts.label, text), flow.width()), ui.theme.px(8));
    ImGui::AlignTextToFramePadding();
    quiet_text(ui, text);
    ui.probe.mark("model.question.targets", text);
    tooltip(ui, "Each row of the data set has its own, in its columns");
  } else {
    target_field(ui, state, flow);
  }
  const AnalysisKind kind = model.analyses.asked.kind;
  // Ablation has no room for it but where it says what the numbers are of.
  const bool room = kind != AnalysisKind::Ablation || model.against;
  const bool of_difference = kind != AnalysisKind::Lens && !own_against && room;
  if (of_difference && model.answer && !model.answer->predictions.empty()) against_box(ui, state, flow);
}

bool waits_for_compute(const AnalysisView& view) {
  const bool repeated = view.asked.kind == AnalysisKind::Measures && view.asked.repeated;
  return analysis_info(view.asked.kind).takes_long || (!view.texts_file.empty() && !repeated);
}

void compute_tools(UiContext& ui, Flow& flow) {
  AnalysisView& view = ui.view.model.analyses;
  const float gap = ui.theme.px(8);
  if (view.progress && waits_for_compute(view)) {
    flow.control(button_width("Stop"), gap);
    if (tool_button(ui, "model.question.stop", "Stop", "Stop computing")) view.stop = true;
    const std::string share = std::to_string(static_cast<int>(100 * *view.progress)) + " %";
    flow.control(text_width(ui.theme.fonts.label, share), gap);
    ImGui::AlignTextToFramePadding();
    quiet_text(ui, share);
    ui.wake_within(0.1);
  } else if (waits_for_compute(view) && !(view.fresh && !view.run->failure)) {
    flow.control(button_width("Compute"), gap);
    if (primary_button(ui, "model.question.compute", "Compute", "Answer the question")) view.compute = true;
  }
}

void question_box(UiContext& ui, Flow& flow) {
  AnalysisView& view = ui.view.model.analyses;
  std::vector<Choice> choices;
  for (const AnalysisInfo& info : analysis_table()) {
    std::string what(info.what);
    what.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(what.front())));
    choices.push_back({std::string(info.name), std::string(info.label), what});
  }
  box(ui, flow, "model.question", choices, static_cast<std::size_t>(view.asked.kind),
      "What is asked of the model", [&](std::size_t now) {
        view.asked.kind = analysis_table()[now].kind;
        view.table = 0;
      });
}

// What is saved is what is shown: of edges as many as the slider says, or their matrix.
AnalysisRun as_shown(const UiContext& ui, AnalysisRun answer) {
  const AnalysisView& view = ui.view.model.analyses;
  if (!answer.result.edges) return answer;
  if (view.edges_shown) {
    answer.analysis.top = *view.edges_shown;
    show_strongest(answer.result, *view.edges_shown);
  }
  if (view.edges_as_matrix) answer.result.edges.reset();
  return answer;
}

void matrix_button(UiContext& ui, Flow& flow) {
  AnalysisView& view = ui.view.model.analyses;
  flow.control(button_width("matrix"), ui.theme.px(8));
  if (tool_button(ui, "model.question.matrix", "matrix",
                  "All edges as a heatmap, a row for each sender; off: the strongest in the layers", true,
                  view.edges_as_matrix))
    view.edges_as_matrix = !view.edges_as_matrix;
}

void answer_menu(UiContext& ui, Flow& flow, const AnalysisRun& answer) {
  flow.control(more_menu_width(), ui.theme.px(8));
  PageExports exports{"model.question"};
  exports.table = [&] {
    const AnalysisResult& result = answer.result;
    return result_bytes({result.title, {}, {result.tables[ui.view.model.analyses.table]}}, FileFormat::Tsv);
  };
  if (can_ask(*answer.of->network)) exports.command = [&] { return asking(ui, as_shown(ui, answer)); };
  exports.answer = [&] { return described(ui, as_shown(ui, answer)); };
  page_menu(ui, exports);
}

// What is copied and saved: the answer on screen.
void answer_tools(UiContext& ui, Flow& flow, const AnalysisRun& answer) {
  AnalysisView& view = ui.view.model.analyses;
  const AnalysisResult& result = answer.result;
  view.table = std::min(view.table, result.tables.size() - 1);
  if (result.tables.size() > 1) {
    std::vector<Choice> choices;
    for (const ResultTable& table : result.tables) {
      std::string label = table.name;
      std::replace(label.begin(), label.end(), '_', ' ');
      choices.push_back({table.name, label, ""});
    }
    box(ui, flow, "model.question.table", choices, view.table, "Which of its tables is shown",
        [&](std::size_t now) { view.table = now; });
  }
  if (result.edges && view.table == 0) matrix_button(ui, flow);
  answer_menu(ui, flow, answer);
}

// Whether the question is about two texts, and there is only the open one.
bool lacks_other_text(const UiContext& ui) {
  const bool of_other = analysis_info(ui.view.model.analyses.asked.kind).of_other;
  return of_other && !ui.view.baseline.work && !asks_of_set(ui.view.model);
}

// Why there is nothing to show; "" if there is.
std::string nothing_to_show(const UiContext& ui) {
  const AnalysisView& view = ui.view.model.analyses;
  if (lacks_other_text(ui)) {
    if (ui.view.baseline_asked.work) return "Computing…";
    if (offers_other_text(ui))
      return "Beside the open text the data set has another one, " + other_text_of_row(ui) +
             ". Its numbers are put into the open one.";
    return "Keep the present text (Ctrl+Shift+K), then type another one of as many tokens: its numbers are "
           "put into the present one.";
  }
  if (view.fresh && view.run->failure) return view.run->failure->what();
  if (view.fresh) return "";
  if (view.progress) return "Computing…";
  return waits_for_compute(view) ? "Press Compute: it takes many passes through the model." : "Computing…";
}

// The notes in as many lines as they need, but of a third of the page: the rest stands in their tooltip.
// Returns their height.
float draw_notes(UiContext& ui, const Area& area, const AnalysisResult& result) {
  constexpr std::size_t kLines = 3;
  ImFont* const font = ui.theme.fonts.label;
  const float line = font_size(font) + ui.theme.px(4), width = std::max(area.size.x, 1.0f);
  std::string notes;
  for (const std::string& note : result.notes)
    notes += (notes.empty() ? "" : ". ") + visible_label(note);
  const std::size_t most = std::max(kLines, fitting_lines(area.size.y / 3, line));
  const std::size_t lines = std::clamp<std::size_t>(wrapped_lines(font, width, notes), 1, most);
  const bool cut = wrapped_text(font, area.at, width, ui.theme.quiet_text, notes, lines, line);
  const float height = static_cast<float>(lines) * line;
  ImGui::SetCursorScreenPos(area.at);
  ImGui::Dummy({width, height});
  if (cut) tooltip(ui, notes);
  ui.probe.mark_rect("model.question.notes", {area.at.x, area.at.y, area.size.x, height}, notes);
  return height + ui.theme.px(8);
}

}  // namespace

void analysis_tools(UiContext& ui, AnalysesPageState& state, Flow& flow) {
  ModelView& model = ui.view.model;
  AnalysisView& view = model.analyses;
  const NetworkConfig& c = model.work->network->config();
  question_box(ui, flow);
  const AnalysisInfo& info = analysis_info(view.asked.kind);
  const bool of_logit =
      view.asked.kind != AnalysisKind::Ablation || view.asked.measured == OutputMeasure::Kind::Logit;
  if (info.of_target && of_logit) target_tools(ui, state.target, flow);
  if (info.of_layer)
    number_box(ui, flow, "model.question.layer", "layer", c.layers, model.work->layer.layer, view.layer);
  if (info.of_head) number_box(ui, flow, "model.question.head", "head", c.heads, ui.shown_head(), view.head);
  if (view.asked.kind == AnalysisKind::Patches) {
    option_box(ui, flow, "model.question.stage", kStages, view.asked.stage, "What of A is put into B");
    flow.control(button_width("0 to 1"), ui.theme.px(8));
    if (tool_button(ui, "model.question.normalized", "0 to 1", "From 0, as in B, to 1, as in A", true,
                    view.asked.normalized))
      view.asked.normalized = !view.asked.normalized;
  }
  if (view.asked.kind == AnalysisKind::Ablation) {
    ablation_box(ui, state.paths, flow);
    option_box(ui, flow, "model.question.measured", kMeasures, view.asked.measured, "What changes");
  }
  if (view.asked.kind == AnalysisKind::Circuit) {
    option_box(ui, flow, "model.question.embeddings", kEmbeddings, view.asked.embeddings,
               "What stands for a token in the stream that the head reads");
    tokens_field(ui, state, flow);
  }
  if (info.of_words && model.work->network->tokenizer()) {
    flow.control(button_width("words"), ui.theme.px(8));
    if (tool_button(ui, "model.question.words", "words",
                    "Pieces of a word as one: summed as keys, averaged as queries", true, view.asked.words))
      view.asked.words = !view.asked.words;
  }
  path_tools(ui, state.paths, flow);
  if (view.asked.kind == AnalysisKind::Direction ||
      (view.asked.kind == AnalysisKind::Features && view.asked.feature))
    strength_slider(ui, flow);
  const bool measures = view.asked.kind == AnalysisKind::Measures && !model.work->image;
  if (measures) source_box(ui, flow);
  const bool repeated = measures && view.asked.repeated;
  if (!repeated) set_switch(ui, flow);
  if (info.of_set && !info.of_other && !repeated && !asks_of_set(model)) texts_field(ui, state, flow);
  compute_tools(ui, flow);
  if (view.fresh && !view.run->failure) answer_tools(ui, flow, *view.run);
}

void analyses_page(UiContext& ui, AnalysesPageState& state, const Area& area) {
  const AnalysisView& view = ui.view.model.analyses;
  const std::string nothing = nothing_to_show(ui);
  if (!nothing.empty()) {
    ImGui::SetCursorScreenPos(area.at);
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + std::min(area.size.x, ui.theme.px(560)));
    ImGui::TextUnformatted(drawn_text(nothing).c_str());
    ImGui::PopTextWrapPos();
    ui.probe.mark("model.page.note", nothing);
    if (!lacks_other_text(ui) || ui.view.baseline_asked.work || !offers_other_text(ui)) return;
    ImGui::SetCursorScreenPos({area.at.x, ImGui::GetItemRectMax().y + ui.theme.px(12)});
    return other_text_button(ui);
  }
  const float notes = draw_notes(ui, area, view.run->result);
  result_view(ui, state.map, view.run, std::min(view.table, view.run->result.tables.size() - 1),
              {{area.at.x, area.at.y + notes}, {area.size.x, std::max(0.0f, area.size.y - notes)}});
}

}  // namespace headlight
