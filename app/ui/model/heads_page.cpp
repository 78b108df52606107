// All heads of all layers as small live pictures, labelled and sorted by a measure.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include <imgui.h>

#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/names.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/context/shown_layer.h"
#include "app/ui/model/head_menu.h"
#include "app/ui/model/matrix_picture.h"
#include "app/ui/model/model_pages.h"
#include "app/ui/model/page_menu.h"
#include "app/ui/model/page_sentences.h"
#include "app/ui/model/strongest_heads.h"
#include "app/ui/widgets/plan_painter.h"
#include "app/ui/widgets/widgets.h"
#include "engine/views/matrix_tile.h"

namespace headlight {
namespace {

// In planned pixels. Where all rows would not fit otherwise, the gaps are narrower.
constexpr float kLeastPicture = 26, kLeastHeight = 8, kMostPicture = 400, kGap = 6, kNarrowGap = 2,
                kLowPicture = 24, kReadable = 44, kLayerName = 28, kBelowMap = 12;

// The resolution of a head's picture: not finer than can be seen at this size.
Index numbers_across(float side) {
  constexpr float kSmall = 160, kMiddle = 260;
  return side <= kSmall ? 32 : side <= kMiddle ? 64 : 128;
}

// The map that is shown: of the present text, or of the one before while that is computed.
const HeadsOverview& shown_map(const ModelPagesState& state) {
  return *state.shown.heads.answer->glance;
}

std::optional<double> part_of(const ModelPagesState& state, LayerPlace place, Index head) {
  const ShownResult& shown = state.shown.parts;
  const Attribution* parts = shown.answer ? &*shown.answer->parts : nullptr;
  if (!parts || place.side == Side::Encoder) return std::nullopt;  // an encoder's heads add to no logit
  return double{(place.side == Side::Cross ? parts->cross_heads : parts->heads)(place.layer, head)};
}

// Per row, the sum of the absolute differences between the two small pictures, averaged over the rows;
// nullopt if their sizes differ.
std::optional<double> change_of(const ModelView& model, const ModelPagesState& state, Index row, Index head) {
  if (!model.baseline || !model.baseline->glance) return std::nullopt;
  const HeadsOverview &now = shown_map(state), &before = *model.baseline->glance;
  if (row >= before.layers || head >= before.heads) return std::nullopt;
  const Matrix &a = before.of(row, head).picture.values, &b = now.of(row, head).picture.values;
  if (a.rows() != b.rows() || a.cols() != b.cols()) return std::nullopt;
  double sum = 0;
  for (Index i = 0; i < a.size(); ++i)
    if (std::isfinite(a.data()[i]) && std::isfinite(b.data()[i]))
      sum += static_cast<double>(std::abs(a.data()[i] - b.data()[i]));
  return sum / static_cast<double>(a.rows());
}

std::optional<double> value_of(const ModelView& model, const ModelPagesState& state, Index row, Index head) {
  if (model.map_colors == MapColors::Part) return part_of(state, shown_map(state).place(row), head);
  if (model.map_colors == MapColors::Change) return change_of(model, state, row, head);
  if (!state.measure) return std::nullopt;
  const auto measured = shown_map(state).of(row, head).measures.of(*state.measure);
  return measured ? std::optional(static_cast<double>(*measured)) : std::nullopt;
}

std::string few_of(const ModelView& model, const ModelPagesState& state, Index row, Index head) {
  if (model.map_colors != MapColors::Weights || !state.measure) return "";
  return shown_map(state).of(row, head).measures.few(*state.measure);
}

std::vector<HeadValue> heads_of(const ModelView& model, const ModelPagesState& state) {
  std::vector<HeadValue> heads;
  const HeadsOverview& overview = shown_map(state);
  for (Index row = 0; row < overview.layers; ++row)
    for (Index head = 0; head < overview.head_count(row); ++head)
      heads.push_back(
          {overview.place(row), head, value_of(model, state, row, head), few_of(model, state, row, head)});
  const auto size = [](const HeadValue& head) { return head.value ? std::abs(*head.value) : -1; };
  if (state.sorted)
    std::stable_sort(heads.begin(), heads.end(),
                     [&](const HeadValue& a, const HeadValue& b) { return size(a) > size(b); });
  return heads;
}

void draw_tile(UiContext& ui, const Tile& tile, bool off, const std::string& name, ImVec2 at, ImVec2 size) {
  HeatmapFigure figure;
  figure.without_color = off;
  figure.tile = std::make_shared<const Tile>(tile);
  const StageColors colors = ui.view.picture.colors_of(Stage::Weights);
  figure.colormap = colormap_of(colors, Stage::Weights);
  figure.range = color_range(statistics_of(tile), colors, Stage::Weights);
  figure.show_colorbar = false;
  figure.decimals = -1;
  figure.grid_lines = GridLines::Never;
  PlanLimits limits;
  limits.cell_px = static_cast<double>(size.x) / static_cast<double>(tile.values.cols());
  limits.cell_height_px = static_cast<double>(size.y) / static_cast<double>(tile.values.rows());
  limits.show_title = limits.show_labels = false;
  paint_plan(plan_heatmap(figure, ui.theme.figure, limits, imgui_measure(ui.theme)), at,
             *ImGui::GetWindowDrawList(), ui.theme, ui.textures, name, picture_version(tile.values));
}

// "layer 3, head 1" below a picture of a sorted map, or "3, 1" where that has no room: its tooltip has the
// words.
std::string head_in_map(const UiContext& ui, const HeadValue& one, float width) {
  std::string whole = names_of_layers(ui).text(one.layer) + ", " + head_name(one.head, ui.counting());
  if (text_width(ui.theme.fonts.label, whole) <= width) return whole;
  return ui.counting().number(one.layer.layer) + ", " + ui.counting().number(one.head);
}

void draw_head(UiContext& ui, const HeadsOverview& map, const HeadValue& one, ImVec2 at, ImVec2 size,
               bool captioned, bool named) {
  const ModelView& model = ui.view.model;
  const NetworkConfig& config = model.work->network->config();
  const std::string name = "model.head." +
                           (config.cross ? side_name(one.layer.side) + std::string(".") : "") +
                           std::to_string(one.layer.layer) + "." + std::to_string(one.head);
  const ReplacedHead replaced = replaced_head(*model.work, one.layer, one.head);
  ImGui::PushID(name.c_str());
  ImGui::SetCursorScreenPos(at);
  if (click_area(name.c_str(), size)) show_place(ui, head_place(ui, one.layer, one.head));
  const std::string said = replaced.words.empty() ? "" : ", " + replaced.words;
  const std::string few = one.few.empty() ? "" : ", " + one.few;
  ui.probe.mark(name, (one.value ? two_decimals(*one.value) : "") + few + said);
  const std::string title = names_of_layers(ui).text(one.layer) + ", " + head_name(one.head, ui.counting());
  tooltip(ui,
          title + said + (one.value ? ": " + exact_number(*one.value) : "") +
              (one.few.empty() ? "" : " (" + one.few + ": a mean over so few queries says nothing of it)") +
              (one.layer.side == Side::Cross ? ". A click opens it, a right click switches it off"
                                             : ". A click opens it, a right click switches it off or "
                                               "replaces it by its mean"));
  const bool hovered = ImGui::IsItemHovered();
  head_menu(ui, one.layer, one.head);
  ImGui::PopID();
  draw_tile(ui, map.of(row_of(config, one.layer), one.head).picture, replaced.mark == HeadMark::Off, name, at,
            size);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end = {at.x + size.x, at.y + size.y};
  draw_head_mark(ui, replaced.mark, at, end);
  const bool shown = one.layer == model.work->layer && ui.view.head == one.head;
  list.AddRect(at, end,
               to_imgui(shown     ? ui.theme.accent
                        : hovered ? ui.theme.text
                                  : ui.theme.line),
               0, 0, shown || hovered ? ui.theme.px(1.5f) : 1.0f);
  if (!captioned) return;
  ImFont* const font = ui.theme.fonts.label;
  const std::string number = named ? head_in_map(ui, one, size.x) : "";
  const std::string value =
      one.value ? two_decimals(*one.value) + (one.few.empty() ? "" : "  " + one.few) : "";
  const std::string caption = number + (named && one.value ? "  " : "") + value;
  const bool told = one.value && one.few.empty();
  fitted_text(font, {at.x, end.y + ui.theme.px(2)}, size.x, told ? ui.theme.text : ui.theme.quiet_text,
              caption);
}

// Those of cross-attention are none: nothing sets its layers apart.
std::vector<LayerTrait> traits_of(const NetworkConfig& config, LayerPlace place) {
  if (place.side == Side::Cross) return {};
  return config_of(config, place.side).layer_traits(place.layer);
}

// "layer 3", also where the side that it is of stands above.
std::string row_name(const UiContext& ui, LayerPlace place) {
  return "layer " + ui.counting().number(place.layer);
}

// Its lines: sides beside each other leave room for a word only.
std::vector<std::string> row_lines(const UiContext& ui, LayerPlace place) {
  if (!ui.view.model.work->network->config().cross) return {row_name(ui, place)};
  return {"layer", ui.counting().number(place.layer)};
}

// The layers' names take more room where layers differ.
float layer_label_width(const UiContext& ui) {
  const NetworkConfig& config = ui.view.model.work->network->config();
  float widest = 0;
  for (const std::string& line : row_lines(ui, layer_places(config).back()))
    widest = std::max(widest, text_width(ui.theme.fonts.label, line));
  for (const LayerPlace place : layer_places(config))
    for (const LayerTrait& trait : traits_of(config, place))
      widest = std::max(widest, text_width(ui.theme.fonts.label, trait.name));
  return std::max(ui.theme.px(kLayerName), widest + ui.theme.px(kGap));
}

// "layer 3", and below it, as far as there is room, what sets the layer apart.
void layer_label(const UiContext& ui, LayerPlace place, ImVec2 at, ImVec2 size) {
  const NetworkConfig& config = ui.view.model.work->network->config();
  const std::vector<LayerTrait> traits = traits_of(config, place);
  const float line = font_size(ui.theme.fonts.label) + ui.theme.px(2);
  const auto most = static_cast<std::size_t>(std::max(1.0f, size.y / line));
  std::vector<std::string> name = row_lines(ui, place);
  if (name.size() > most) name.erase(name.begin());  // the number alone, beside low pictures
  const std::size_t shown = std::min(traits.size(), most - name.size());
  std::string all = row_name(ui, place), tip;
  float y = at.y + (size.y - line * static_cast<float>(name.size() + shown)) / 2;
  for (const std::string& text : name) {
    fitted_text(ui.theme.fonts.label, {at.x, y}, size.x, ui.theme.quiet_text, text);
    y += line;
  }
  for (std::size_t i = 0; i < traits.size(); ++i) {
    all += (i == 0 ? ": " : ", ") + traits[i].name;
    tip += (i == 0 ? "" : "\n") + traits[i].name + ": " + traits[i].what;
    if (i < shown) fitted_text(ui.theme.fonts.label, {at.x, y}, size.x, ui.theme.quiet_text, traits[i].name);
    y += line;
  }
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({size.x, size.y});
  ui.probe.mark("model.layer." + std::to_string(row_of(config, place)), all);
  if (!tip.empty()) tooltip(ui, tip);
}

// Where the pictures of the map stand, in pixels from its upper left corner. The sides of a model stand below
// each other, beside each other, or some of them beside each other, as the pictures are larger.
struct MapLayout {
  float name = 0, gap = 0, pitch = 0;  // widths of the layers' names and between pictures; from row to row
  ImVec2 picture;
  std::size_t across = 1;          // sides beside each other
  std::vector<ImVec2> rows;        // the upper left corner of each row's first picture
  std::vector<ImVec2> titles;      // of each side's name; empty: there is one side
  std::vector<ImVec2> head_names;  // where the numbers of the heads begin
  float low = 0;                   // the lower end of all
};

// Where the rows of another side begin.
bool begins_side(const HeadsOverview& overview, Index row) {
  return row == 0 || overview.place(row).side != overview.place(row - 1).side;
}

// The numbers of rows of the sides.
std::vector<Index> rows_of_sides(const HeadsOverview& overview) {
  std::vector<Index> rows;
  for (Index row = 0; row < overview.layers; ++row) {
    if (begins_side(overview, row)) rows.push_back(0);
    ++rows.back();
  }
  return rows;
}

// Heights of lines of text, and the gap between sides.
struct MapLines {
  float caption = 0, title = 0, names = 0, apart = 0;
};

// The most rows of the sides [first, first + across).
Index highest(const std::vector<Index>& sides, std::size_t first, std::size_t across) {
  const auto begin = sides.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = sides.begin() + static_cast<std::ptrdiff_t>(std::min(first + across, sides.size()));
  return *std::max_element(begin, end);
}

// The largest picture with so many sides beside each other, and so much between its rows.
ImVec2 fitting_picture(const std::vector<Index>& sides, std::size_t across, float columns,
                       const MapLines& lines, ImVec2 size, const MapLayout& layout, float between) {
  float rows = 0, above = across == 1 ? lines.names : 0;
  for (std::size_t first = 0; first < sides.size(); first += across) {
    rows += static_cast<float>(highest(sides, first, across));
    above += lines.title + (first > 0 ? lines.apart : 0) + (across == 1 ? 0 : lines.names);
  }
  const auto blocks = static_cast<float>(across);
  const float width = (size.x - (blocks - 1) * lines.apart) / blocks - layout.name;
  return {width / columns - layout.gap, (size.y - above) / rows - between - lines.caption};
}

// Chooses the arrangement, and the size of a picture in it.
void size_map(const UiContext& ui, const std::vector<Index>& sides, float columns, const MapLines& lines,
              ImVec2 size, MapLayout& layout) {
  float between = layout.gap;
  ImVec2 best;
  for (std::size_t across = 1; across <= sides.size(); ++across) {
    const ImVec2 fits = fitting_picture(sides, across, columns, lines, size, layout, layout.gap);
    if (across > 1 && std::min(fits.x, fits.y) <= std::min(best.x, best.y)) continue;
    best = fits;
    layout.across = across;
  }
  if (best.y < best.x && best.y < ui.theme.px(kLowPicture)) {
    between = ui.theme.px(kNarrowGap);
    best = fitting_picture(sides, layout.across, columns, lines, size, layout, between);
  }
  const float width = std::floor(std::clamp(best.x, ui.theme.px(kLeastPicture), ui.theme.px(kMostPicture)));
  // In a low area the map of few layers scrolls before its pictures are too low to be read; one of many is
  // squeezed, so that all of it is in sight.
  constexpr Index kFewLayers = 8;
  const Index layers = std::accumulate(sides.begin(), sides.end(), Index{0});
  const float least = std::min(width, ui.theme.px(layers <= kFewLayers ? kReadable : kLeastHeight));
  const float side = std::floor(std::max(std::min(width, best.y), least));
  layout.picture = {side, side};
  layout.pitch = side + between + lines.caption;
}

MapLayout plan_map(const UiContext& ui, const HeadsOverview& overview, bool sorted, bool captioned,
                   ImVec2 size) {
  constexpr float kApart = 10;
  const std::vector<Index> sides = sorted ? std::vector{overview.layers} : rows_of_sides(overview);
  const auto columns = static_cast<float>(overview.heads);
  const float line = font_size(ui.theme.fonts.label) + ui.theme.px(4);
  const MapLines lines = {captioned ? line : 0, sides.size() > 1 ? line : 0, sorted ? 0 : line,
                          sides.size() > 1 ? ui.theme.px(kApart) : 0};
  MapLayout layout;
  layout.gap = ui.theme.px(kGap);
  layout.name = layer_label_width(ui);
  const ImVec2 room = {size.x - ImGui::GetStyle().ScrollbarSize,
                       size.y - ui.theme.px(2)};  // the end of the rows
  size_map(ui, sides, columns, lines, room, layout);
  const bool together = layout.across == 1;  // one line of the heads' numbers for all sides
  float top = together ? lines.names : 0;
  for (std::size_t side = 0; side < sides.size(); ++side) {
    const auto column = static_cast<float>(side % layout.across);
    const float x = column * (layout.name + columns * (layout.picture.x + layout.gap) + lines.apart);
    if (side > 0 && side % layout.across == 0) top = layout.low + lines.apart;
    if (sides.size() > 1) layout.titles.push_back({x, top});
    if (!together || layout.head_names.empty())
      layout.head_names.push_back({x + layout.name, together ? 0 : top + lines.title});
    float y = top + lines.title + (together ? 0 : lines.names);
    for (Index row = 0; row < sides[side]; ++row, y += layout.pitch)
      layout.rows.push_back({x + layout.name, y});
    layout.low = std::max(layout.low, y);
  }
  return layout;
}

const char* side_title(Side side) {
  switch (side) {
    case Side::Encoder:
      return "Encoder: the source attends to itself";
    case Side::Own:
      return "Decoder: its text attends to itself";
    case Side::Cross:
      break;
  }
  return "Cross: the decoder's text attends to the source";
}

// The numbers of the heads, and the names of the sides.
void map_names(UiContext& ui, const HeadsOverview& overview, const MapLayout& layout, ImVec2 origin) {
  ImFont* const font = ui.theme.fonts.label;
  const float step = layout.picture.x + layout.gap;
  // Where the pictures are too narrow for it, the word stands once, before the numbers.
  const bool words = text_width(font, head_name(overview.heads - 1, ui.counting())) <= layout.picture.x;
  for (const ImVec2 at : layout.head_names) {
    if (!words)
      fitted_text(font, {origin.x + at.x - layout.name, origin.y + at.y}, layout.name, ui.theme.quiet_text,
                  "head");
    for (Index head = 0; head < overview.heads; ++head)
      fitted_text(font, {origin.x + at.x + static_cast<float>(head) * step, origin.y + at.y},
                  layout.picture.x, ui.theme.quiet_text,
                  words ? head_name(head, ui.counting()) : ui.counting().number(head));
  }
  const float block = layout.name + static_cast<float>(overview.heads) * step;
  std::size_t title = 0;
  for (Index row = 0; row < overview.layers && title < layout.titles.size(); ++row) {
    if (!begins_side(overview, row)) continue;
    const Side side = overview.place(row).side;
    const ImVec2 at = {origin.x + layout.titles[title].x, origin.y + layout.titles[title].y};
    const std::string whole = side_title(side), name = whole.substr(0, whole.find(':'));
    const bool beside = layout.across > 1;
    const bool fits = !beside || text_width(font, side_title(Side::Cross)) < block;  // the longest
    const float width = text_width(font, fits ? whole : name) + 1;
    fitted_text(font, at, beside ? std::min(width, block) : width, ui.theme.text, fits ? whole : name);
    ImGui::SetCursorScreenPos(at);
    ImGui::Dummy({width, font_size(font)});
    ui.probe.mark(std::string("model.side.") + side_name(side), whole);
    if (!fits) tooltip(ui, whole);
    ++title;
  }
}

}  // namespace

namespace {

// What computes the number of each head; without one, the weights of all.
PageCommand heads_command(const UiContext& ui, const ModelPagesState& state) {
  const ModelView& model = ui.view.model;
  const std::shared_ptr<const Network>& network = model.work->network;
  if (can_ask(*network) && model.map_colors == MapColors::Part)
    return shown_command(ui, AnalysisKind::Parts, network);
  if (can_ask(*network) && state.measure) return shown_command(ui, AnalysisKind::Measures, network);
  return computing(ui, *model.work);
}

// The order of the heads, and what is copied and saved of the map.
void heads_menu(UiContext& ui, ModelPagesState& state) {
  const ModelView& model = ui.view.model;
  PageExports exports{"model.heads"};
  const bool has_file = !model.work->image || !model.work->image->path.empty();
  if (has_file)  // no command names an image that the program made
    exports.command = [&] { return heads_command(ui, state); };
  exports.save_figure = [&](FileFormat format) {
    ui.actions.push_back({Action::SaveHeads, {}, Stage::Weights, format});
  };
  page_menu(ui, exports, [&] {
    if (menu_choice(ui, "model.sorted", "The largest first",
                    "The heads with the most of what is told of each stand first; else layer by layer",
                    state.sorted))
      state.sorted = !state.sorted;
    ImGui::Separator();
  });
}

}  // namespace

void heads_tools(UiContext& ui, ModelPagesState& state, Flow& flow) {
  ModelView& model = ui.view.model;
  std::vector<Choice> choices = {{"none", "no measure", "Pictures alone"}};
  for (const HeadMeasureInfo& info : head_measure_table())
    if (info.measure != HeadMeasure::LikePicture)
      choices.push_back({std::string(info.name), std::string(info.label), std::string(info.what)});
  const std::size_t measures = choices.size();
  choices.push_back(
      {"part", "adds to the logit", "What the head adds to the logit of the chosen prediction"});
  choices.push_back(
      {"change", "change since kept", "How far its weights have moved since the state was kept"});
  std::size_t current = 0;
  if (model.map_colors == MapColors::Part)
    current = measures;
  else if (model.map_colors == MapColors::Change)
    current = measures + 1;
  else if (state.measure)
    current = static_cast<std::size_t>(*state.measure) + 1;
  const float named = text_width(ui.theme.fonts.text, choices[current].label) + ui.theme.px(48);
  const float gap = ui.theme.px(8), more = more_menu_width();
  const float width = std::min(std::max(ui.theme.px(116), named), flow.width());
  flow.to_end(width + gap + more);
  flow.control(width, gap);
  if (const auto chosen = choice_box(ui, "model.measure", choices, current, width,
                                     "What is told of each head, and sorted by")) {
    model.map_colors = *chosen == measures       ? MapColors::Part
                       : *chosen == measures + 1 ? MapColors::Change
                                                 : MapColors::Weights;
    state.measure = *chosen == 0 || *chosen >= measures
                        ? std::nullopt
                        : std::optional(head_measure_table()[*chosen - 1].measure);
  }
  flow.control(more, gap);
  heads_menu(ui, state);
}

// Beside the shown head, what it gives where the text asks; else what stands out among all heads.
static std::string pair_or_heads_sentence(const UiContext& ui, const HeadsOverview& overview,
                                          const LayerNames& names) {
  const std::string pair = ui.view.model.pages_beside ? pair_sentence(ui) : "";
  return pair.empty() ? heads_sentence(overview, names) : pair;
}

// The selected head, by the row of its layer.
static std::optional<std::pair<Index, Index>> selected_head(const UiContext& ui,
                                                            const HeadsOverview& overview) {
  const OpenModel& work = *ui.view.model.work;
  const Index row = row_of(work.network->config(), work.layer), head = ui.view.head.value_or(-1);
  if (head < 0 || head >= overview.head_count(row)) return std::nullopt;
  return std::pair(row, head);
}

PageIntro heads_intro(const UiContext& ui, const ModelPagesState& state) {
  const ModelView& model = ui.view.model;
  const bool waits = model.map_colors == MapColors::Change && !ui.view.baseline.work;
  if (!model.work || !model.current_overview() || waits) return {};
  const HeadsOverview& overview = *model.answer->glance;
  const SentenceNames names = sentence_names(ui);
  PageIntro intro{"", heads_example(overview, spoken_tokens(*model.work), names.layers,
                                    !model.work->network->weights().layers.front().sinks.empty(),
                                    selected_head(ui, overview))};
  if (model.map_colors == MapColors::Part)
    intro.sentence = head_parts_sentence(heads_of(model, state), model.logit_choice(), names);
  else if (model.map_colors == MapColors::Change)
    intro.sentence = head_changes_sentence(heads_of(model, state), names.layers);
  else if (state.measure)
    intro.sentence =
        measure_sentence(heads_of(model, state), head_measure_info(*state.measure).label, names.layers);
  else
    intro.sentence = pair_or_heads_sentence(ui, overview, names.layers);
  return intro;
}

void heads_page(UiContext& ui, ModelPagesState& state, const Area& area) {
  ModelView& model = ui.view.model;
  if (model.map_colors == MapColors::Change && !ui.view.baseline.work)
    return page_note(
        ui, area,
        "Keep the present state (Ctrl+Shift+K), then change something: each head tells how far its "
        "weights move.");
  if (!state.shown.heads.answer) return page_note(ui, area, "Computing all heads…");
  const HeadsOverview& shown = shown_map(state);
  const bool parts =
      model.map_colors == MapColors::Part && state.shown.parts.answer && !model.current_parts();
  const bool earlier = !model.current_overview();
  const std::vector<HeadValue> heads = heads_of(model, state);
  const bool captioned =
      state.sorted || heads.front().value.has_value() || model.map_colors != MapColors::Weights;
  const MapLayout layout = plan_map(ui, shown, state.sorted, captioned, area.size);
  model.glance_side = numbers_across(layout.picture.x / ui.theme.scale);
  const float map = std::min(area.size.y, layout.low + 1), below = ui.theme.px(kBelowMap);
  if (!earlier) state.asked = asked_pair(ui);
  if (model.pages_beside)
    strongest_heads(ui, shown, *state.shown.heads.work, state.asked,
                    {{area.at.x, area.at.y + map + below}, {area.size.x, area.size.y - map - below}});
  ImGui::SetCursorScreenPos(area.at);
  if (begin_child("##model.heads", {area.size.x, model.pages_beside ? map : area.size.y}, false,
                  ImGuiWindowFlags_NoBackground)) {
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    const bool named_all = layout.pitch >= 0.8f * font_size(ui.theme.fonts.label);
    if (!state.sorted) map_names(ui, shown, layout, origin);
    for (std::size_t i = 0; i < heads.size(); ++i) {
      const auto across = static_cast<std::size_t>(shown.heads);
      const Index row = state.sorted ? static_cast<Index>(i / across)
                                     : row_of(model.work->network->config(), heads[i].layer);
      const Index column = state.sorted ? static_cast<Index>(i % across) : heads[i].head;
      const ImVec2 first = layout.rows[static_cast<std::size_t>(row)];
      const ImVec2 at = {origin.x + first.x + static_cast<float>(column) * (layout.picture.x + layout.gap),
                         origin.y + first.y};
      if (!ImGui::IsRectVisible(at, {at.x + layout.picture.x, at.y + layout.pitch})) continue;
      if (column == 0 && !state.sorted && (named_all || row % 2 == 0))
        layer_label(ui, heads[i].layer, {at.x - layout.name, at.y}, {layout.name, layout.picture.y});
      draw_head(ui, shown, heads[i], at, layout.picture, captioned, state.sorted);
    }
    ImGui::SetCursorScreenPos({origin.x, origin.y + layout.low});
    ImGui::Dummy({1, 1});
  }
  cover_waiting(ui, state, area, earlier || parts);
  ImGui::EndChild();
}

}  // namespace headlight
