#include "app/ui/model/target_tools.h"

#include <algorithm>
#include <utility>

#include <imgui.h>

#include "app/figure/plan/names.h"
#include "app/platform/imgui_compat.h"
#include "engine/analysis/analysis.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr float kTargetWidth = 110, kMostAgainst = 200;  // planned pixels

std::string label_of(const ModelView& model, const std::optional<std::int32_t>& id) {
  return id ? visible_label(model.work->network->label(*id)) : "";
}

// The one token that is typed; none: nothing is. Throws Error.
std::optional<std::int32_t> one_token(const Network& network, const std::string& typed) {
  if (typed.empty()) return std::nullopt;
  const TypedTarget token = typed_target(network, typed);
  if (!token.said.empty())
    throw Error("“" + visible_label(typed) + "” is no token of the vocabulary, but several", "target",
                "type a word with the blank that it begins with, or an id as #42; the first of them is #" +
                    std::to_string(token.id) + ", “" + visible_label(network.label(token.id)) + "”");
  return token.id;
}

// Nothing is taken for something else: of what cannot be taken the reason stands at the field. Returns
// whether it was taken.
template <class Take>
bool take_typed(TextFieldState& field, Take take) {
  try {
    take();
    return true;
  } catch (const Error& failure) {
    field.message = failure.what();
    field.active = true;
    return false;
  }
}

std::string accept_typed(const std::string& /*text*/) {
  return "";
}

void against_field(UiContext& ui, TargetToolsState& state, Flow& flow, float width) {
  ModelView& model = ui.view.model;
  flow.control(width, ui.theme.px(8));
  if (std::exchange(state.focus_asked, false)) ImGui::SetKeyboardFocusHere();
  const auto typed =
      text_field(ui, state.against, "model.against.typed", label_of(model, model.logit_choice().other), width,
                 "Less the logit of this token: a word of the vocabulary, with the blank that "
                 "it begins with, or an id as #42. Empty: the logit alone",
                 accept_typed);
  state.had_focus = state.had_focus || state.against.active;
  if (typed) {
    const bool taken = take_typed(state.against, [&] {
      const auto token = one_token(*model.work->network, *typed);
      if (token && *token == model.logit_choice().id)
        throw Error("a logit less itself is nothing", "against", "type another token than the target");
      model.against = token;
    });
    state.types_against = !taken;
  } else if (state.had_focus && !state.against.active && state.against.message.empty()) {
    state.types_against = false;
  }
}

// Those that the target can be compared with: the likeliest but itself, and the present one.
std::vector<std::int32_t> tokens_against(const ModelView& model) {
  const LogitChoice choice = model.logit_choice();
  std::vector<std::int32_t> tokens;
  for (const Prediction& one : model.answer->predictions)
    if (one.id != choice.id) tokens.push_back(one.id);
  if (choice.other && std::find(tokens.begin(), tokens.end(), *choice.other) == tokens.end())
    tokens.push_back(*choice.other);
  return tokens;
}

std::vector<Choice> against_choices(const ModelView& model, const std::vector<std::int32_t>& tokens) {
  std::vector<Choice> choices = {{"none", "alone", "The logit itself"}};
  for (const std::int32_t id : tokens)
    choices.push_back({std::to_string(id), "against " + label_of(model, id),
                       "Why the one and not the other: the difference of their logits"});
  choices.push_back({"other", "another…", "A token that is typed"});
  return choices;
}

}  // namespace

void target_field(UiContext& ui, TargetToolsState& state, Flow& flow) {
  ModelView& model = ui.view.model;
  const float width = std::min(ui.theme.px(kTargetWidth), flow.width());
  flow.group("target", width);
  const auto typed =
      text_field(ui, state.target, "model.question.target", label_of(model, model.target), width,
                 "Whose logit: a word of the vocabulary, with the blank that it begins with, "
                 "or an id as #42. Empty: the "
                 "likeliest token. It stays until it is changed",
                 accept_typed);
  if (typed) take_typed(state.target, [&] { model.target = one_token(*model.work->network, *typed); });
}

float against_width(const UiContext& ui) {
  const ModelView& model = ui.view.model;
  return std::min(combo_width(ui, against_choices(model, tokens_against(model))), ui.theme.px(kMostAgainst));
}

void against_box(UiContext& ui, TargetToolsState& state, Flow& flow) {
  ModelView& model = ui.view.model;
  const float width = std::min(against_width(ui), flow.width());
  if (state.types_against) return against_field(ui, state, flow, width);
  const std::optional<std::int32_t> now = model.logit_choice().other;
  const std::vector<std::int32_t> tokens = tokens_against(model);
  const std::vector<Choice> choices = against_choices(model, tokens);
  const auto at = std::find(tokens.begin(), tokens.end(), now.value_or(-1));
  const std::size_t current =
      now && at != tokens.end() ? static_cast<std::size_t>(at - tokens.begin()) + 1 : 0;
  flow.control(width, ui.theme.px(8));
  const auto chosen = choice_box(
      ui, "model.against", choices, current, width,
      "The logit itself, or its difference to another one. Which token: click a prediction at the left");
  if (!chosen) return;
  if (*chosen + 1 == choices.size()) {
    state.types_against = state.focus_asked = true;
    state.had_focus = false;
    state.against = {};
  } else {
    model.against = *chosen == 0 ? std::nullopt : std::optional(tokens[*chosen - 1]);
  }
}

}  // namespace headlight
