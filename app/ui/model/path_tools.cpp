#include "app/ui/model/path_tools.h"

#include <algorithm>
#include <array>
#include <functional>

#include "app/export/analysis_words.h"
#include "app/platform/imgui_compat.h"
#include "engine/analysis/typed_place.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr float kPartField = 120, kDictionaryField = 220;

struct TypedField {
  const char *group, *name, *tip;
  float width;
  std::string current;
};

// Calls `taken` with what is typed; an Error of it is shown at the field.
void typed_field(UiContext& ui, TextFieldState& state, Flow& flow, const TypedField& field,
                 const std::function<void(const std::string&)>& taken) {
  const float width = std::min(ui.theme.px(field.width), flow.width());
  flow.group(field.group, width);
  const auto typed = text_field(ui, state, field.name, field.current, width, field.tip,
                                [](const std::string&) { return std::string(); });
  if (!typed) return;
  try {
    taken(*typed);
  } catch (const Error& failure) {
    state.message = failure.what();
    state.active = true;
  }
}

template <class E, std::size_t N>
void word_box(UiContext& ui, Flow& flow, const char* name, const std::array<Word<E>, N>& words,
              const std::array<const char*, N>& labels, const char* tip, E& value) {
  std::vector<Choice> choices;
  std::size_t current = 0;
  for (std::size_t i = 0; i < N; ++i) {
    if (words[i].value == value) current = i;
    choices.push_back({std::string(words[i].word), labels[i], ""});
  }
  const float wide = std::min(combo_width(ui, choices), flow.width());
  flow.control(wide, ui.theme.px(8));
  if (const auto now = choice_box(ui, name, choices, current, wide, tip)) value = words[*now].value;
}

void ends_of_path(UiContext& ui, PathToolsState& state, Flow& flow) {
  Analysis& asked = ui.view.model.analyses.asked;
  const NetworkConfig& c = ui.view.model.work->network->config();
  typed_field(
      ui, state.sender, flow,
      {"from", "model.question.sender",
       "What sends: embedding, a head as 0.1 (layer and head), or an MLP as mlp.0. Empty: each of them",
       kPartField, asked.sender ? typed_word(*asked.sender) : ""},
      [&](const std::string& typed) {
        asked.sender = typed.empty() ? std::nullopt : std::optional(typed_sender(c, typed, "from"));
      });
  typed_field(ui, state.receiver, flow,
              {"to", "model.question.receiver",
               "What receives: queries.1.0, keys.1.0, values.1.0, mlp.1 or logits. Empty: each of them",
               kPartField, asked.receiver ? typed_word(*asked.receiver) : ""},
              [&](const std::string& typed) {
                asked.receiver = typed.empty() ? std::nullopt : std::optional(typed_receiver(c, typed, "to"));
              });
  word_box<MlpsBetween, 2>(ui, flow, "model.question.mlps", kMlpsWords,
                           {"MLPs between held", "MLPs between recomputed"},
                           "What MLPs between sender and receiver do", asked.mlps_between);
}

// Of which of the tokens that the data set names the score is; the first choice is that of a text.
void pair_boxes(UiContext& ui, Flow& flow) {
  Analysis& asked = ui.view.model.analyses.asked;
  const auto box = [&](const char* name, const char* own, const char* tip, std::string& value) {
    std::vector<Choice> choices = {{"own", own, ""}};
    std::size_t current = 0;
    for (const std::string& one : ui.view.model.set.rows->names) {
      if (one == value) current = choices.size();
      choices.push_back({one, one, ""});
    }
    const float wide = std::min(combo_width(ui, choices), flow.width());
    flow.control(wide, ui.theme.px(8));
    if (const auto now = choice_box(ui, name, choices, current, wide, tip))
      value = *now == 0 ? "" : choices[*now].id;
  };
  box("model.question.query", "query: the last", "Which token of each row looks", asked.query_name);
  box("model.question.key", "key: the strongest",
      "Which token of each row is looked at; the strongest: to which the query attends most", asked.key_name);
}

// The chosen place, else the one that the answer of the same dictionary found.
PatchStage dictionary_place(const AnalysisView& page) {
  if (page.asked.place) return *page.asked.place;
  const bool same = page.run && page.run->analysis.dictionary == page.asked.dictionary;
  return same ? page.run->result.place.value_or(PatchStage::Residual) : PatchStage::Residual;
}

void dictionary_fields(UiContext& ui, PathToolsState& state, Flow& flow) {
  Analysis& asked = ui.view.model.analyses.asked;
  typed_field(ui, state.dictionary, flow,
              {"dictionary", "model.question.dictionary",
               "The path of a file with W_enc, W_dec, b_enc and b_dec (.safetensors or .npz)",
               kDictionaryField, asked.dictionary},
              [&](const std::string& typed) { asked.dictionary = typed; });
  const PatchStage before = dictionary_place(ui.view.model.analyses);
  PatchStage place = before;
  word_box<PatchStage, 3>(ui, flow, "model.question.place", kPlaceWords,
                          {"of the stream", "of what attention adds", "of what the MLP adds"},
                          "What the dictionary writes as a sum of features", place);
  if (place != before) asked.place = place;
  typed_field(ui, state.feature, flow,
              {"feature", "model.question.feature",
               "The number of one feature, which is also steered. Empty: those that add most", kPartField,
               asked.feature ? std::to_string(*asked.feature) : ""},
              [&](const std::string& typed) {
                asked.feature = typed.empty() ? std::nullopt : std::optional(typed_number(typed, "feature"));
              });
}

void together_field(UiContext& ui, PathToolsState& state, Flow& flow) {
  Analysis& asked = ui.view.model.analyses.asked;
  const NetworkConfig& c = ui.view.model.work->network->config();
  typed_field(
      ui, state.together, flow,
      {"together", "model.question.together",
       "Heads that are taken away at once, as one number: 2.1,2.3 (layer and head, from 0). Empty: each "
       "head and MLP alone",
       kPartField, typed_word(asked.together)},
      [&](const std::string& typed) {
        asked.together = typed_heads(c, typed, "together");
        state.types_together = false;
      });
}

}  // namespace

void path_tools(UiContext& ui, PathToolsState& state, Flow& flow) {
  const AnalysisKind kind = ui.view.model.analyses.asked.kind;
  if (kind == AnalysisKind::Paths) ends_of_path(ui, state, flow);
  if (kind == AnalysisKind::Score && asks_of_set(ui.view.model)) pair_boxes(ui, flow);
  if (kind == AnalysisKind::Features) dictionary_fields(ui, state, flow);
  const bool together = state.types_together || !ui.view.model.analyses.asked.together.empty();
  if (kind == AnalysisKind::Ablation && together) together_field(ui, state, flow);
}

}  // namespace headlight
