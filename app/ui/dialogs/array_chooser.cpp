#include "app/ui/dialogs/array_chooser.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/dialogs/array_words.h"
#include "app/ui/widgets/dialog_frame.h"
#include "app/ui/widgets/number_cell.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kChooserWidth = 1040, kChooserHeight = 680, kListShare = 0.38f;
constexpr double kLookAgainSeconds = 0.02;  // between two checks whether a background read has ended

void close(ArrayChooserState& state) {
  close_array_chooser(state);
  close_dialog(state.open);
}

void take_listing(UiContext& ui, ArrayChooserState& state, ArrayListing listing) {
  LayerHints hints;
  hints.config = std::move(listing.config);
  state.choices =
      ArrayChoices(std::move(listing.entries), ui.layer(), std::move(hints), std::move(listing.facts));
  try {
    if (state.answers.any()) state.choices.answer(state.answers, ui.layer());
  } catch (const Error& error) {
    state.message = problem_words(error, state.path);
    state.apply_at_once = false;
  }
  state.reveal = true;
  const std::vector<ArrayQuestion>& questions = state.choices.questions();
  const auto selected = questions.empty() ? state.choices.selected() : std::optional(questions.front().entry);
  const std::string message = state.message;
  if (selected) select_array(ui, state, *selected);
  state.message = message;
}

void take_results(UiContext& ui, ArrayChooserState& state) {
  if (auto listing = state.listing.take()) {
    if (listing->problem) state.message = problem_words(*listing->problem, state.path);
    if (listing->config_problem) state.config_problem = problem_words(*listing->config_problem, state.path);
    take_listing(ui, state, std::move(*listing));
  }
  if (auto check = state.checking.take())
    state.choices.set_facts(check->entry, std::move(check->facts), ui.layer());
  if (auto look = state.looking.take()) {
    if (!state.choices.facts(look->entry)) state.choices.set_facts(look->entry, look->facts, ui.layer());
    state.look = std::move(*look);
    state.thumbnail_room = {};
    ++state.thumbnail_version;
  }
  auto outcome = state.applying.take();
  if (!outcome) return;
  if (outcome->problem) {
    state.message = problem_words(*outcome->problem, state.path);
    return;
  }
  ui.send(ReplaceLayer{.layer = outcome->layer,
                       .name = "Arrays from " + state.path.filename().string(),
                       .may_leave_model = true});
  begin_layers(ui, state.layers, std::move(state.planned), *outcome);
  close(state);
}

// Reads the arrays that have a role before they can be applied, one at a time.
void check_values(ArrayChooserState& state) {
  if (state.checking.running() || state.looking.running()) return;
  const auto entry = state.choices.unread();
  if (!entry) return;
  state.checking.start([path = state.path, name = state.choices.entries()[*entry].name, entry = *entry] {
    return ArrayChooserState::Checked{entry, read_facts(path, name)};
  });
}

// Why the choice cannot be applied; "" if it can.
std::string problem_of(const ArrayChooserState& state) {
  if (!state.message.empty()) return state.message;
  const auto refusal = state.choices.refusal(Choosing::Seen);
  if (!refusal) return "";
  // An open question is shown above, beside its array; that of the sequence is a control of the dialog.
  const std::vector<ArrayQuestion>& questions = state.choices.questions();
  const bool asked = !questions.empty() && refusal->summary() == questions.front().what;
  if (!asked) return problem_words(*refusal, state.path);
  const bool of_sequence = questions.front().kind == ArrayQuestion::Kind::Sequence;
  const char* const where = of_sequence ? "choose the sequence below" : "choose above";
  return problem_words(Error(refusal->summary(), refusal->where(), where), state.path);
}

bool can_apply(const ArrayChooserState& state) {
  return state.choices.plan() && !state.applying.running() && state.choices.values_known() &&
         !state.choices.refusal(Choosing::Seen);
}

void apply(const UiContext& ui, ArrayChooserState& state) {
  if (!can_apply(state)) return;
  PlacementRequest order = state.choices.order_for(state.path, std::make_shared<Layer>(ui.layer()));
  state.planned = {order, state.choices.layers(), state.choices.layer()};
  state.message.clear();
  state.applying.start([order = std::move(order)] { return place_from_file(order); });
}

// Applies without asking, once the values are known, if no question is open.
void apply_unasked(const UiContext& ui, ArrayChooserState& state) {
  if (state.listing.running() || (state.choices.plan() && !state.choices.values_known())) return;
  state.apply_at_once = false;
  if (const auto refusal = state.choices.refusal(Choosing::Unseen))
    state.message = problem_words(*refusal, state.path);
  else
    apply(ui, state);
}

// The numbers of heads that divide d_out.
void heads_choice(const UiContext& ui, ArrayChooserState& state) {
  const std::optional<ArrayPlan>& plan = state.choices.plan();
  if (!plan || plan->width == 0) return;
  std::vector<Choice> choices;
  std::vector<Index> numbers;
  std::size_t current = 0;
  for (Index heads = 1; heads <= plan->width; ++heads) {
    if (!plan->heads_possible(heads)) continue;
    if (state.choices.heads_stated() && heads != plan->num_heads) continue;
    if (heads == plan->num_heads) current = choices.size();
    numbers.push_back(heads);
    choices.push_back({std::to_string(heads), std::to_string(heads), ""});
  }
  ImGui::AlignTextToFramePadding();
  quiet_text(ui, "heads");
  ImGui::SameLine(0, ui.theme.px(6));
  const auto chosen =
      choice_box(ui, "arrays.heads", choices, current, ui.theme.px(72),
                 "How many heads share the width of the queries, " + std::to_string(plan->width));
  if (!chosen) return;
  state.message.clear();
  state.choices.set_heads(numbers[*chosen], ui.layer());
}

// Offered if query heads can share keys and values (grouped-query attention).
void kv_heads_choice(const UiContext& ui, ArrayChooserState& state) {
  const std::optional<ArrayPlan>& plan = state.choices.plan();
  const std::vector<Index> numbers = state.choices.possible_kv_heads();
  if (!plan || numbers.size() < 2) return;
  std::vector<Choice> choices;
  std::size_t current = 0;
  const Index now = plan->num_kv_heads > 0 ? plan->num_kv_heads : plan->num_heads;
  for (const Index heads : numbers) {
    if (heads == now) current = choices.size();
    choices.push_back({std::to_string(heads), std::to_string(heads), ""});
  }
  ImGui::SameLine();
  quiet_text(ui, "of keys");
  ImGui::SameLine(0, ui.theme.px(6));
  const auto chosen = choice_box(ui, "arrays.kv_heads", choices, current, ui.theme.px(72),
                                 "How many heads of keys and values there are, each for as many heads");
  if (!chosen) return;
  state.message.clear();
  state.choices.set_kv_heads(numbers[*chosen], ui.layer());
}

// Offered if neither an array nor the model family determines the causal mask.
void causal_choice(const UiContext& ui, ArrayChooserState& state) {
  const std::optional<ArrayPlan>& plan = state.choices.plan();
  if (!plan || plan->layer || plan->projection == Projection::Weights) return;
  ImGui::SameLine();
  const bool causal = plan->causal;
  if (tool_button(ui, "arrays.causal", "causal",
                  "No query sees what stands behind it; fewer queries than keys are the last ones", true,
                  causal))
    state.choices.set_causal(!causal, ui.layer());
}

// Offered for a layer with rotary positions; no array holds theta.
void theta_field(const UiContext& ui, ArrayChooserState& state) {
  const std::optional<ArrayPlan>& plan = state.choices.plan();
  if (!plan || !plan->layer || plan->layer->position.kind != PositionKind::Rotary) return;
  ImGui::SameLine();
  quiet_text(ui, "theta");
  ImGui::SameLine(0, ui.theme.px(6));
  const auto typed = text_field(
      ui, state.theta, "arrays.theta", plain_number(plan->layer->position.theta), ui.theme.px(88),
      plan->layer->theta_stated ? "Of the rotary positions: pair i is turned by position × theta^(−2i/dims)"
                                : "Of the rotary positions, a proposal: config.json has it as rope_theta",
      refuse_theta);
  if (typed) state.choices.set_theta(static_cast<double>(*parse_number(*typed).value), ui.layer());
}

// What the first axis of a four-dimensional array counts.
void axis_choice(const UiContext& ui, ArrayChooserState& state) {
  const std::optional<bool> by_layers = state.choices.by_layers();
  if (!by_layers) return;
  ImGui::SameLine();
  quiet_text(ui, "first axis");
  ImGui::SameLine(0, ui.theme.px(6));
  const std::vector<Choice> choices = {{"layers", "layers", "Each is a layer: the bar at the top switches"},
                                       {"sequences", "sequences", "Each is a sequence of one batch"}};
  const auto chosen = choice_box(ui, "arrays.first_axis", choices, *by_layers ? 0 : 1, ui.theme.px(110),
                                 "What the first axis of the attention weights counts");
  if (chosen) state.choices.set_by_layers(*chosen == 0, ui.layer());
}

// Which sequence of a batch is placed, offered where there are several or where there may be padding.
void sequence_choice(const UiContext& ui, ArrayChooserState& state) {
  const ArrayChoices& choices = state.choices;
  const std::vector<ArrayQuestion>& questions = choices.questions();
  const bool asked = std::any_of(questions.begin(), questions.end(), [](const ArrayQuestion& question) {
    return question.kind == ArrayQuestion::Kind::Sequence;
  });
  const Index batch = std::max(choices.batch(), asked ? choices.possible_batch() : 0);
  if (batch < 2 && !asked && !choices.sequence()) return;
  std::vector<Choice> options = {{"all", "all", "The whole batch"}};
  for (Index sequence = 0; sequence < batch; ++sequence)
    options.push_back(
        {std::to_string(sequence), ui.counting().number(sequence), "This one alone, without its padding"});
  ImGui::SameLine();
  quiet_text(ui, "sequence");
  ImGui::SameLine(0, ui.theme.px(6));
  const auto current = static_cast<std::size_t>(choices.sequence().value_or(-1) + 1);
  const auto chosen = choice_box(ui, "arrays.sequence", options, std::min(current, options.size() - 1),
                                 ui.theme.px(72), "Which sequence of the batch is placed");
  if (!chosen) return;
  state.message.clear();
  state.choices.set_sequence(*chosen == 0 ? std::nullopt : std::optional(static_cast<Index>(*chosen) - 1),
                             ui.layer());
}

// What contradicts the role of attention weights, in the arrays read so far; "" if nothing does.
std::string wrong_weights(const ArrayChooserState& state) {
  for (const std::size_t entry : state.choices.chosen()) {
    const std::optional<ArrayFacts>& facts = state.choices.facts(entry);
    const bool weights = state.choices.role_of(entry)->role == ArrayRole::AttentionWeights;
    if (weights && facts) return facts->as_weights;
  }
  return {};
}

std::string chosen_text(const ArrayChooserState& state) {
  const ArrayChoices& choices = state.choices;
  const std::size_t count = choices.chosen().size();
  const std::vector<ArrayEntry>& entries = choices.entries();
  const bool any =
      std::any_of(entries.begin(), entries.end(), [](const auto& entry) { return !entry.problem; });
  if (count == 0) return any ? "Choose where an array goes." : "";
  const std::string arrays = count == 1 ? "1 array: " : std::to_string(count) + " arrays: ";
  if (!choices.plan()) return {};
  const std::string wrong = wrong_weights(state);
  return arrays + choices.outcome() + (wrong.empty() ? "" : "; as they are: " + wrong);
}

// The choice, and the problem of the config.json beside the file.
std::string foot_words(const ArrayChooserState& state) {
  const std::string chosen = chosen_text(state);
  return state.config_problem.empty() ? chosen : chosen + "; not used: " + state.config_problem;
}

struct FootText {
  std::string text;
  bool problem = false;  // `text` is why nothing can be applied; else it describes the choice
};
FootText foot_text_of(const ArrayChooserState& state) {
  if (state.listing.running()) return {"Reading…"};
  std::string problem = problem_of(state);
  if (!problem.empty()) return {std::move(problem), true};
  return {state.applying.running() ? "Reading the arrays…" : foot_words(state)};
}

// Fits the text, between two and six lines.
float foot_text_height(const UiContext& ui, const std::string& text) {
  constexpr float kFewest = 2, kMost = 6;
  const float line = font_size(ui.theme.fonts.label);
  push_font(ui.theme.fonts.label);
  const float room = ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ScrollbarSize;
  const float height = ImGui::CalcTextSize(text.c_str(), nullptr, false, room).y;
  ImGui::PopFont();
  return std::clamp(height, kFewest * line, kMost * line) + ImGui::GetStyle().ItemSpacing.y;
}

void foot_text(const UiContext& ui, const ArrayChooserState& state, const FootText& foot, float height) {
  if (begin_child("##arrays.foot", {0, height}, false, ImGuiWindowFlags_NoBackground)) {
    if (state.listing.running()) {
      quiet_text(ui, foot.text);
    } else if (foot.problem) {
      dialog_message(ui, "arrays.message", foot.text);
    } else {
      ImGui::PushTextWrapPos(0);
      label_text(ui, foot.text, ui.theme.text);
      ImGui::PopTextWrapPos();
      ui.probe.mark("arrays.outcome", foot.text);
    }
  }
  ImGui::EndChild();
}

void foot(UiContext& ui, ArrayChooserState& state) {
  const bool busy = state.applying.running(), typing = state.theta.active || !state.theta.message.empty();
  ImGui::BeginDisabled(busy);
  heads_choice(ui, state);
  kv_heads_choice(ui, state);
  causal_choice(ui, state);
  theta_field(ui, state);
  axis_choice(ui, state);
  sequence_choice(ui, state);
  ImGui::EndDisabled();
  if (state.choices.plan()) ImGui::SameLine();
  align_right(button_width("Cancel") + button_width("Apply") + ImGui::GetStyle().ItemSpacing.x);
  const bool escape = dialog_answers_to(Key::Escape);
  const bool leave = tool_button(ui, "arrays.cancel", "Cancel", "Escape") || (escape && !typing);
  if (escape && typing) state.theta = {};
  ImGui::SameLine();
  const bool ok = primary_button(ui, "arrays.apply", "Apply",
                                 "The arrays go into the model in one step (Enter); one undo takes it back",
                                 can_apply(state));
  if (leave)
    close(state);
  else if (ok || (dialog_answers_to(Key::Enter) && !typing))
    apply(ui, state);
}

void move_selection(UiContext& ui, ArrayChooserState& state) {
  const auto steps = (key_pressed(Key::Down, true) ? 1 : 0) - (key_pressed(Key::Up, true) ? 1 : 0) +
                     (key_pressed(Key::PageDown, true) ? 8 : 0) - (key_pressed(Key::PageUp, true) ? 8 : 0);
  if (steps == 0 || state.shown.empty() || list_in_front()) return;
  const auto at = std::find(state.shown.begin(), state.shown.end(), state.choices.selected());
  const auto last = static_cast<std::ptrdiff_t>(state.shown.size()) - 1;
  const std::ptrdiff_t from = at == state.shown.end() ? -1 : at - state.shown.begin();
  const std::ptrdiff_t to = std::clamp<std::ptrdiff_t>(from + steps, 0, last);
  select_array(ui, state, state.shown[static_cast<std::size_t>(to)]);
  state.reveal = true;
}

}  // namespace

void select_array(UiContext& ui, ArrayChooserState& state, std::size_t entry) {
  state.message.clear();
  state.choices.select(entry, ui.layer());
  state.look.reset();
  state.looking.forget();
  const ArrayEntry& array = state.choices.entries()[entry];
  if (array.problem) return;
  state.looking.start(
      [path = state.path, name = array.name, entry] { return preview_array(path, name, entry); });
}

void close_array_chooser(ArrayChooserState& state) {
  state.open = false;
  state.listing.forget();
  state.looking.forget();
  state.checking.forget();
  state.applying.forget();
}

void open_array_chooser(ArrayChooserState& state, const std::filesystem::path& path, bool apply_at_once,
                        const ArrayOptions& answers) {
  close_array_chooser(state);
  state.open = true;
  state.answers = answers;
  state.apply_at_once = apply_at_once;
  state.path = path;
  state.choices = {};
  state.filter.clear();
  state.message.clear();
  state.config_problem.clear();
  state.theta = {};
  state.look.reset();
  state.listing.start([path] { return list_array_file(path); });
}

void array_chooser(UiContext& ui, ArrayChooserState& state) {
  if (const auto problem = switch_layers(ui, state.layers)) {
    open_array_chooser(state, state.path);
    state.message = problem_words(*problem, state.path);
  }
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const ImVec2 size = {std::min(kChooserWidth, window.x / ui.theme.scale - 32),
                       std::min(kChooserHeight, window.y / ui.theme.scale - 32)};
  const bool drawn_now =
      begin_dialog(ui, "##arrays", state.open, size, "Arrays in " + state.path.filename().string());
  state.waits = state.open && !drawn_now;
  if (!drawn_now) return;
  if (state.reading()) ui.wake_within(kLookAgainSeconds);
  take_results(ui, state);
  if (!state.open) return end_dialog();  // applied: later reads would never be taken
  const std::uint64_t drawn = state.choices.revision();
  check_values(state);
  ImGui::BeginDisabled(state.applying.running());
  if (state.apply_at_once) apply_unasked(ui, state);
  move_selection(ui, state);
  const ImGuiStyle& style = ImGui::GetStyle();
  const FootText said = foot_text_of(state);
  const float message = foot_text_height(ui, said.text);
  const float foot_height = ImGui::GetFrameHeightWithSpacing() + message + style.ItemSpacing.y;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float width = std::floor((room.x - style.ItemSpacing.x) * kListShare);
  array_list(ui, state, {width, room.y - foot_height});
  ImGui::SameLine();
  array_details(ui, state, {0, room.y - foot_height});
  ImGui::EndDisabled();
  foot_text(ui, state, said, message);
  foot(ui, state);
  if (state.choices.revision() != drawn) ui.wake_within(0);  // parts were drawn before the change
  end_dialog();
}

}  // namespace headlight
