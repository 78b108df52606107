#include "app/ui/inputs/weights_tabs.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "app/figure/plan/names.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/widgets/stepper.h"

namespace headlight {
namespace {

std::string screen_name(Parameter parameter) {
  return parameter == Parameter::Output ? "out" : parameter_name(parameter);
}

const ParameterTab& chosen_tab(const WeightsTabsState& state, const std::vector<ParameterTab>& tabs) {
  const auto at =
      std::find_if(tabs.begin(), tabs.end(), [&](const ParameterTab& tab) { return tab.id == state.chosen; });
  return at == tabs.end() ? tabs.front() : *at;
}

bool same_matrix(const InputId& a, const InputId& b) {
  return a.kind == b.kind && a.parameter == b.parameter;
}

std::size_t grid_index(const InputId& input) {
  const auto at = static_cast<std::size_t>(input.parameter);
  if (input.kind == InputKind::Mask) return 2 * kParameters.size();
  if (input.kind == InputKind::Given) return 2 * kParameters.size() + 1 + at;
  if (input.kind == InputKind::GivenWeights) return 3 * kParameters.size();
  if (input.kind == InputKind::ScoreBias) return 3 * kParameters.size() + 1;
  return input.kind == InputKind::Bias ? at + kParameters.size() : at;
}

// Describes the layout: a matrix without named axes is easily read transposed.
std::string shape_text(const UiContext& ui, const ParameterTab& tab) {
  const Matrix& matrix = input_matrix(ui.layer(), tab.input);
  const std::string size = std::to_string(matrix.rows()) + " × " + std::to_string(matrix.cols());
  if (tab.input.kind == InputKind::Bias) return size + ", added to every row";
  if (tab.input.kind == InputKind::Given) return size + ", as they are: all heads side by side";
  if (tab.input.kind == InputKind::GivenWeights)
    return size + ", of " + head_name(tab.input.head, ui.counting()) + ", as they were saved";
  if (tab.input.kind == InputKind::ScoreBias) return size + ", added to the scores; −∞ closes a pair";
  if (tab.input.kind == InputKind::Mask) return "1: the query of the row may attend to the key of the column";
  const bool out_in = ui.layer().weights.layout == WeightLayout::OutIn;
  return size + (out_in ? ", stored as out × in, as nn.Linear does" : ", stored as in × out");
}

// The width in the current font, with `pad` on both sides.
float tab_width(const ParameterTab& tab, float pad) {
  return ImGui::CalcTextSize(tab.label.c_str()).x + 2 * pad;
}

bool draw_tab(UiContext& ui, const ParameterTab& tab, bool chosen, float pad) {
  const Theme& theme = ui.theme;
  const ImVec2 size = {tab_width(tab, pad), theme.px(24)};
  const bool pressed = click_area(("##tab." + tab.id).c_str(), size);
  ui.probe.mark("inputs.tab." + tab.id, chosen ? "chosen" : "");
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  const bool bright = chosen || ImGui::IsItemHovered();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddText({min.x + pad, std::floor(min.y + (size.y - ImGui::GetFontSize()) / 2)},
                to_imgui(bright ? theme.text : theme.quiet_text), tab.label.c_str());
  if (chosen) draw->AddRectFilled({min.x, max.y - theme.px(2)}, max, to_imgui(theme.primary));
  tooltip(ui, tab.label + ": " + shape_text(ui, tab));
  return pressed;
}

// The same choice as a list, where there are to be few controls.
void tab_list(UiContext& ui, WeightsTabsState& state, const std::vector<ParameterTab>& tabs) {
  std::vector<Choice> choices;
  std::size_t current = 0;
  for (const ParameterTab& tab : tabs) {
    if (tab.id == chosen_tab(state, tabs).id) current = choices.size();
    choices.push_back({tab.id, tab.label, shape_text(ui, tab)});
  }
  if (const auto chosen = choice_box(ui, "inputs.tab", choices, current, ui.theme.px(132),
                                     "The matrix whose numbers are shown"))
    state.chosen = tabs[*chosen].id;
}

void draw_tab_strip(UiContext& ui, WeightsTabsState& state, const std::vector<ParameterTab>& tabs) {
  const std::size_t most = ui.view.offered.few ? 2 : 3;
  if (tabs.size() > most) return tab_list(ui, state, tabs);
  const std::string chosen = chosen_tab(state, tabs).id;
  push_font(ui.theme.fonts.label);
  const auto width = [&](float pad, float gap) {
    float sum = -gap;
    for (const ParameterTab& tab : tabs)
      sum += tab_width(tab, pad) + gap;
    return sum;
  };
  // Reduces the spacing before using two lines.
  const float room = ImGui::GetContentRegionAvail().x;
  const bool loose = width(ui.theme.px(6), ui.theme.px(4)) <= room;
  const float pad = ui.theme.px(loose ? 6.0f : 3.0f), gap = ui.theme.px(loose ? 4.0f : 2.0f);
  const bool all_fit = width(pad, gap) <= room;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {gap, ui.theme.px(4)});
  for (std::size_t i = 0; i < tabs.size(); ++i) {
    // Matrices are on one line and the other tabs on another, unless one line holds them all.
    const bool follows =
        i > 0 && (tabs[i].input.kind == InputKind::Weight || tabs[i - 1].input.kind != InputKind::Weight);
    if (i > 0 && (all_fit || follows)) ImGui::SameLine();
    if (draw_tab(ui, tabs[i], tabs[i].id == chosen, pad)) state.chosen = tabs[i].id;
  }
  ImGui::PopStyleVar();
  ImGui::PopFont();
}

// Brings the tab of a derivation's factor to the front, and moves the cursor to a clicked factor; pointing
// alone does not replace a grid that is being edited.
void follow_pointed_input(UiContext& ui, WeightsTabsState& state, const std::vector<ParameterTab>& tabs) {
  const std::optional<InputCell> asked = ui.view.selection.asked;
  const std::optional<InputCell>& cell =
      asked || ui.view.selection.input ? asked : ui.view.selection.pointed.last;
  if (!cell) return;
  for (const ParameterTab& tab : tabs) {
    if (!same_matrix(tab.input, cell->input)) continue;
    state.chosen = tab.id;
    if (!asked) return;
    MatrixGridState& grid = state.grids[grid_index(tab.input)];
    select_cell(grid, cell->row, cell->column);
    grid.takes_keyboard = true;
    ui.view.selection.asked.reset();
    return;
  }
}

void draw_no_weights(UiContext& ui) {
  ImGui::PushTextWrapPos(0);
  quiet_text(ui, "No trainable weights: queries, keys and values are the embeddings themselves.");
  ImGui::PopTextWrapPos();
  if (tool_button(ui, "inputs.use_linear", "Use linear projections",
                  "Multiply the embeddings by W_query, W_key and W_value first")) {
    ui.send(SetProjection{Projection::Linear});
  }
}

void draw_d_out(UiContext& ui, WeightsTabsState& state) {
  const Index d_out = ui.layer().d_out(), heads = ui.layer().head_count();
  if (const auto chosen = stepper(
          ui, state.d_out, "inputs.d_out", "d_out", d_out, multiple_steps(d_out, heads, kLargestDimension),
          "Columns of Q, K and V over all heads: a multiple of the number of heads")) {
    ui.send(SetDOut{*chosen});
  }
}

void draw_shape_controls(UiContext& ui, WeightsTabsState& state) {
  const Index d_out = ui.layer().d_out(), heads = ui.layer().head_count();
  draw_d_out(ui, state);
  ImGui::SameLine(0, ui.theme.px(12));
  if (const auto chosen =
          stepper(ui, state.heads, "inputs.heads", "heads", heads, divisor_steps(heads, d_out),
                  "Heads H: a divisor of d_out. Each gets d_out / H columns.")) {
    ui.send(SetNumHeads{*chosen});
  }
}

std::optional<std::int64_t> parse_seed(const std::string& text) {
  std::int64_t seed = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (text.empty() || failure != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return seed;
}

std::string refused_seed(const std::string& text) {
  return parse_seed(text) ? std::string()
                          : "\"" + text + "\" is no seed: write a whole number, as in manual_seed(123)";
}

void follow_recipe(const UiContext& ui, WeightsTabsState& state) {
  const std::optional<WeightRecipe>& recipe = ui.layer().weights.recipe;
  if (state.followed == recipe) return;
  state.followed = recipe;
  if (!recipe) return;
  state.init = recipe->init == InitKind::Linear ? InitChoice::Linear : InitChoice::Rand;
  state.seed = recipe->seed;
}

void draw_weights_anew(UiContext& ui, const WeightsTabsState& state, const ParameterTab& tab) {
  const Layer& layer = ui.layer();
  if (state.init == InitChoice::Rand || state.init == InitChoice::Linear) {
    WeightRecipe recipe = layer.weights.recipe.value_or(WeightRecipe{});
    recipe.init = state.init == InitChoice::Rand ? InitKind::Rand : InitKind::Linear;
    recipe.seed = state.seed;
    ui.send(DrawWeights{std::move(recipe)});
  } else if (tab.input.kind == InputKind::Bias) {
    // Only the bias: FillParameter would fill its matrix too.
    ui.send(SetCells{tab.input, 0, 0, Matrix::Zero(1, input_matrix(layer, tab.input).cols()), 0});
  } else {
    ui.send(
        FillParameter{tab.input.parameter, state.init == InitChoice::Zeros ? Fill::Zeros : Fill::Identity});
  }
}

void draw_init_row(UiContext& ui, WeightsTabsState& state, const ParameterTab& tab) {
  static const std::vector<Choice> kChoices = {
      {"rand", "torch.rand", "Uniform in [0, 1): every parameter anew, stored as in × out"},
      {"linear", "nn.Linear",
       "The default of nn.Linear, biases too: every parameter anew, stored as out × in"},
      {"zeros", "zeros", "Only the parameter shown"},
      {"identity", "identity", "Only the parameter shown: ones on the diagonal"},
  };
  const Theme& theme = ui.theme;
  const auto current = static_cast<std::size_t>(state.init);
  if (const auto chosen =
          choice_box(ui, "inputs.init", kChoices, current, theme.px(108), "How weights are initialised")) {
    state.init = static_cast<InitChoice>(*chosen);
  }
  const bool random = state.init == InitChoice::Rand || state.init == InitChoice::Linear;
  ImGui::SameLine(0, theme.px(4));
  ImGui::BeginDisabled(!random);
  const auto seed = text_field(ui, state.seed_field, "inputs.init_seed", std::to_string(state.seed),
                               theme.px(72), "Seed, as in torch.manual_seed; Enter draws", refused_seed);
  ImGui::EndDisabled();
  if (seed) {
    state.seed = *parse_seed(*seed);
    if (key_pressed(Key::Enter)) draw_weights_anew(ui, state, tab);
  }
  const bool possible = state.init != InitChoice::Identity || tab.input.kind != InputKind::Bias;
  ImGui::SameLine(0, theme.px(4));
  if (tool_button(ui, "inputs.draw", random ? "Draw" : "Fill",
                  random ? "Draw all weights with this seed" : "Fill " + tab.label, possible)) {
    draw_weights_anew(ui, state, tab);
  }
}

// Whether the tab's numbers are neither drawn nor of a width that is chosen.
bool is_fixed(const ParameterTab& tab) {
  return tab.input.kind == InputKind::Mask || tab.input.kind == InputKind::GivenWeights ||
         tab.input.kind == InputKind::ScoreBias;
}

}  // namespace

std::vector<ParameterTab> parameter_tabs(const Layer& layer, Index sequence, Index head) {
  std::vector<ParameterTab> tabs;
  if (!layer.given_weights.empty())
    tabs.push_back({{InputKind::GivenWeights, sequence, Parameter::Query, head}, "given_weights", "α"});
  for (std::size_t p = 0; p < layer.given.size(); ++p) {
    if (layer.given[p].empty()) continue;
    const std::string name = parameter_name(kParameters[p]);
    const char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
    tabs.push_back({{InputKind::Given, sequence, kParameters[p]}, name, std::string(1, letter)});
  }
  for (Parameter p : kParameters) {
    if (layer.uses(p)) tabs.push_back({{InputKind::Weight, 0, p}, parameter_name(p), "W_" + screen_name(p)});
  }
  for (Parameter p : kParameters) {
    if (!layer.uses_bias(p)) continue;
    tabs.push_back(
        {{InputKind::Bias, 0, p}, std::string(parameter_name(p)) + "_bias", "b_" + screen_name(p)});
  }
  if (!layer.score_bias.empty())
    tabs.push_back(
        {{InputKind::ScoreBias, sequence, Parameter::Query, head}, "score_bias", "bias of scores"});
  const bool allowed = layer.attention.mask == MaskKind::Rules && !layer.allowed.empty();
  if (layer.attention.mask == MaskKind::Custom || allowed)
    tabs.push_back({{InputKind::Mask, sequence, Parameter::Query, head}, "mask", "mask"});
  return tabs;
}

std::string recipe_text(const Weights& weights) {
  if (!weights.recipe) return "given as numbers";
  const bool rand = weights.recipe->init == InitKind::Rand;
  return std::string(rand ? "torch.rand" : "nn.Linear") + ", seed " + std::to_string(weights.recipe->seed) +
         (weights.edited ? ", edited" : "");
}

float weights_grid_height(const UiContext& ui, const WeightsTabsState& state) {
  const std::vector<ParameterTab> tabs = parameter_tabs(ui.layer(), ui.view.sequence, ui.shown_head());
  if (tabs.empty()) return 0;
  const InputId& input = chosen_tab(state, tabs).input;
  return matrix_grid_height(ui.theme, state.grids[grid_index(input)], input_matrix(ui.layer(), input).rows());
}

MatrixGridState* shown_weights_grid(const UiContext& ui, WeightsTabsState& state) {
  const std::vector<ParameterTab> tabs = parameter_tabs(ui.layer(), ui.view.sequence, ui.shown_head());
  return tabs.empty() ? nullptr : &state.grids[grid_index(chosen_tab(state, tabs).input)];
}

void weights_tabs(UiContext& ui, WeightsTabsState& state, float max_grid_height_px, bool brief) {
  const std::vector<ParameterTab> tabs = parameter_tabs(ui.layer(), ui.view.sequence, ui.shown_head());
  if (ui.layer().attention.projection == Projection::None && !ui.layer().uses(Parameter::Output))
    draw_no_weights(ui);
  if (tabs.empty()) return;
  follow_recipe(ui, state);
  follow_pointed_input(ui, state, tabs);
  draw_tab_strip(ui, state, tabs);
  const ParameterTab& tab = chosen_tab(state, tabs);
  MatrixGridOptions options;
  options.name = "inputs." + tab.id;
  options.input = tab.input;
  options.max_height_px = max_grid_height_px;
  if (const auto& lit = ui.view.selection.pointed.last; lit && same_matrix(lit->input, tab.input)) {
    options.lit_row = lit->row;
    options.lit_column = lit->column;
  }
  const bool mask = tab.input.kind == InputKind::Mask;
  const bool given = tab.input.kind == InputKind::Given;
  const bool pairs = mask || tab.input.kind == InputKind::GivenWeights;
  // What a lesson names stands above the numbers, which may be many.
  const bool few = ui.view.offered.few, fixed = is_fixed(tab);
  if (few && !fixed && ui.view.offered.names("inputs.d_out")) draw_d_out(ui, state);
  if (few && !fixed && !given && ui.view.offered.names("inputs.draw")) draw_init_row(ui, state, tab);
  const Matrix& matrix = input_matrix(ui.layer(), tab.input);
  if (pairs || (tab.input.kind == InputKind::ScoreBias && matrix.rows() > 1))
    options.row_labels = ui.layer().tokens;
  if (pairs || (tab.input.kind == InputKind::ScoreBias && matrix.cols() > 1))
    options.column_labels = ui.layer().key_labels();
  if (given)
    options.row_labels =
        tab.input.parameter == Parameter::Query ? ui.layer().tokens : ui.layer().key_labels();
  matrix_grid(ui, state.grids[grid_index(tab.input)], options);
  if (!brief) {
    const float before = ImGui::GetCursorPosY();
    ImGui::PushTextWrapPos(0);
    quiet_text(ui, shape_text(ui, tab));
    ImGui::PopTextWrapPos();
    state.words_px = ImGui::GetCursorPosY() - before;
  }
}

void more_of_weights(UiContext& ui, WeightsTabsState& state) {
  if (!has_more_of_weights(ui, state)) return;
  const std::vector<ParameterTab> tabs = parameter_tabs(ui.layer(), ui.view.sequence, ui.shown_head());
  const ParameterTab& tab = chosen_tab(state, tabs);
  draw_shape_controls(ui, state);
  if (tab.input.kind != InputKind::Given) draw_init_row(ui, state, tab);
}

bool has_more_of_weights(const UiContext& ui, const WeightsTabsState& state) {
  const std::vector<ParameterTab> tabs = parameter_tabs(ui.layer(), ui.view.sequence, ui.shown_head());
  if (tabs.empty()) return false;
  const ParameterTab& tab = chosen_tab(state, tabs);
  return !is_fixed(tab) && (tab.input.kind != InputKind::Given || !ui.layer().embeddings.empty());
}

}  // namespace headlight
