#include "app/ui/context/number_place.h"

#include <cctype>
#include <cmath>
#include <utility>

#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/names.h"
#include "app/ui/context/shown_layer.h"

namespace headlight {
namespace {

const OpenModel& open_model(const UiContext& ui) {
  return *ui.view.model.work;
}

std::string quoted(const UiContext& ui, Index token, Side side = Side::Own) {
  // A page shows the numbers of the text before until those of the new one arrive: it may be the shorter one.
  if (token >= token_count(open_model(ui), side)) return "token " + std::to_string(token);
  return "“" + spoken_label(token_label(open_model(ui), token, side)) + "”";
}

std::string at_token(const UiContext& ui, std::optional<Index> token) {
  return token ? " at " + quoted(ui, *token) : "";
}

// " from “to” to “Ann”", or what of it is known.
std::string pair_words(const UiContext& ui, LayerPlace layer, Stage stage, std::optional<Index> row,
                       std::optional<Index> column) {
  const Side keys = layer.side == Side::Cross ? Side::Encoder : layer.side;
  if (!row) return "";
  if (!is_pair(stage)) return at_token(ui, row);
  const Side queries = layer.side == Side::Cross ? Side::Own : layer.side;
  return " from " + quoted(ui, *row, queries) + (column ? " to " + quoted(ui, *column, keys) : "");
}

bool has_experts(const UiContext& ui, Index layer) {
  const auto& layers = open_model(ui).network->weights().layers;
  return !layers[static_cast<std::size_t>(layer)].experts.empty();
}

// What a patch of the stage overwrites in the layer's own picture.
Stage stage_of(PatchStage stage) {
  switch (stage) {
    case PatchStage::Residual:
    case PatchStage::Input:
      return Stage::Embeddings;
    case PatchStage::Queries:
      return Stage::Queries;
    case PatchStage::Keys:
      return Stage::Keys;
    case PatchStage::Values:
      return Stage::Values;
    case PatchStage::Weights:
      return Stage::Weights;
    case PatchStage::Context:
      return Stage::Context;
    case PatchStage::AttentionAdded:
    case PatchStage::MlpAdded:
      return Stage::Output;
  }
  return Stage::Weights;
}

// The numbers of *Parts* and *Patches* are of the logit behind one token: another one, which the selection of
// its row would make the asked one, is not selected there.
bool may_select(const UiContext& ui, const NumberPlace& place) {
  const ModelView& model = ui.view.model;
  const bool of_logit = model.page == ModelPage::Parts || model.page == ModelPage::Patches;
  return place.row && (!of_logit || *place.row == model.shown_position() ||
                       stage_info(place.stage).rows == StageRows::Keys);
}

// The pair of tokens that is looked at stays, in the other head.
void keep_pair(ViewState& view, std::optional<Index> head) {
  auto& cell = view.selection.cell;
  if (cell && head && is_pair(cell->stage))
    cell = CellAddress{Stage::Weights, cell->sequence, *head, cell->row, cell->column};
  else
    cell.reset();
}

void show_layer(UiContext& ui, const NumberPlace& place) {
  ViewState& view = ui.view;
  const Stage stage = stage_exists(ui.layer(), place.stage) ? place.stage : Stage::Weights;
  view.focus_view = FocusView::Heatmap;
  view.focused_stage = stage;
  if (view.opened_stage) view.opened_stage = stage;
  if (place.head || stage == Stage::Weights) view.head = place.head;
  if (may_select(ui, place) && stage == place.stage)
    view.selection.cell = CellAddress{
        stage, view.sequence,
        stage_info(stage).per_head ? stage_head(ui.layer(), stage, place.head.value_or(ui.shown_head())) : 0,
        *place.row, place.column.value_or(0)};
  else
    keep_pair(view, stage == Stage::Weights ? place.head : std::nullopt);
  if (*place.layer != view.model.work->layer)
    ui.send(EditOpenModel{ShowLayer{*place.layer}, "Another layer"});
}

void ask_neurons(ModelView& model, Index layer) {
  model.page = ModelPage::Analyses;
  model.analyses.asked.kind = AnalysisKind::Neurons;
  model.analyses.table = 0;
  model.analyses.layer = layer;
}

}  // namespace

NumberPlace head_place(const UiContext& ui, LayerPlace layer, Index head, Stage stage,
                       std::optional<Index> row, std::optional<Index> column) {
  NumberPlace place;
  place.layer = layer;
  place.head = head;
  place.stage = stage;
  place.row = row;
  place.column = column;
  place.words = names_of_layers(ui).text(layer) + ", " + head_name(head, ui.counting()) +
                pair_words(ui, layer, stage, row, column);
  return place;
}

NumberPlace stream_place(const UiContext& ui, Index layer, std::optional<Index> token) {
  const Index layers = open_model(ui).network->config().layers;
  NumberPlace place;
  place.layer = LayerPlace(std::min(layer, layers - 1));
  place.stage = layer < layers ? Stage::Embeddings : Stage::Output;
  place.row = token;
  place.words = layer < layers ? "the stream into " + names_of_layers(ui).text(LayerPlace(layer))
                               : std::string("the stream behind the last layer");
  place.words += at_token(ui, token);
  return place;
}

NumberPlace expected_place(const UiContext& ui, Index layer, std::optional<Index> token) {
  NumberPlace place = stream_place(ui, layer, token);
  if (!token) return place;
  place.page = ModelPage::Layers;
  place.position = token;
  place.words += ", by what is expected there after each layer";
  return place;
}

NumberPlace attention_place(const UiContext& ui, LayerPlace layer, std::optional<Index> token) {
  NumberPlace place;
  place.layer = layer;
  place.stage = Stage::Output;
  place.row = token;
  place.words = "what attention adds in " + names_of_layers(ui).text(layer) + at_token(ui, token);
  return place;
}

NumberPlace mlp_place(const UiContext& ui, Index layer, bool answer_stays) {
  const bool by_layer = answer_stays || has_experts(ui, layer);
  NumberPlace place = by_layer ? attention_place(ui, layer, std::nullopt) : NumberPlace();
  if (!by_layer) place.neurons_of = layer;
  place.words = "the MLP of " + names_of_layers(ui).text(LayerPlace(layer)) +
                (by_layer ? ", behind what attention adds there" : ", by its neurons");
  return place;
}

NumberPlace target_place(const UiContext& ui, std::int32_t id) {
  NumberPlace place;
  place.target = id;
  place.words = "the token “" + visible_label(open_model(ui).network->label(id)) +
                "”, which Parts and Patches are then about";
  return place;
}

NumberPlace patch_place(const UiContext& ui, PatchStage stage, Index layer, Index column) {
  if (stage == PatchStage::Residual || stage == PatchStage::Input) return stream_place(ui, layer, column);
  if (stage == PatchStage::AttentionAdded) return attention_place(ui, layer, column);
  if (stage == PatchStage::MlpAdded) return mlp_place(ui, layer, true);
  const NetworkConfig& config = open_model(ui).network->config();
  const bool shared = stage == PatchStage::Keys || stage == PatchStage::Values;
  const Index each = shared ? config.heads / config.kv_heads : 1;
  return head_place(ui, layer, column * each, stage_of(stage));
}

namespace {

// Whether a text that is told of a number has the words of its place already; "layer 1, head 1" is not in
// "layer 1, head 12".
bool names_place(const std::string& what, const std::string& words) {
  for (std::size_t at = what.find(words); at != std::string::npos; at = what.find(words, at + 1)) {
    const std::size_t behind = at + words.size();
    if (behind == what.size() || std::isdigit(static_cast<unsigned char>(what[behind])) == 0) return true;
  }
  return false;
}

}  // namespace

std::string exact_number(double value) {
  if (std::isnan(value)) return "";
  return number_text(value, value == std::round(value) ? 0 : 4);
}

std::string told_place(const UiContext& ui, const std::string& what, const NumberPlace& place) {
  if (place.words.empty()) return what;
  const bool shows = ui.view.model.pages_beside || !place.layer;
  return what + (names_place(what, place.words) ? "" : ", from " + place.words) +
         (shows ? ". A click shows it" : "");
}

void show_place(UiContext& ui, const NumberPlace& place) {
  ModelView& model = ui.view.model;
  if (place.position) model.position = place.position;
  if (place.position && !place.layer) ui.view.selection.cell.reset();  // what is told of is this token
  if (place.target) model.target = place.target;
  if (place.text) {
    model.position.reset();  // what comes next is asked behind the new text
    ui.send(EditOpenModel{SetModelIds{*place.text, Side::Own}, "Another text"});
  }
  if (place.page) model.page = *place.page;
  if (place.neurons_of) ask_neurons(model, *place.neurons_of);
  if (place.mlp_part) {
    model.part.reset();
    model.mlp_part = place.mlp_part;
  }
  if (place.layer) show_layer(ui, place);
}

void follow_place(UiContext& ui, NumberPlace place) {
  if (!ui.view.model.pages_beside) place.layer.reset();
  show_place(ui, place);
}

}  // namespace headlight
