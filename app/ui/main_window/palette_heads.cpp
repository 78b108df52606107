// Heads in the command palette: "head 3", "head 3 off", "sort by induction".
#include <algorithm>
#include <utility>

#include "app/ui/context/shown_heads.h"
#include "app/ui/main_window/palette.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/picture/heatmap_view.h"
#include "app/ui/views/head_captions.h"
#include "app/ui/views/head_sorting.h"

namespace headlight {
namespace {

using Entries = std::vector<PaletteEntry>;

constexpr Index kMostHeads = 256;  // heads with entries of their own

void add_view(Entries& entries, const std::string& text, bool current, const std::string& keywords,
              std::function<void(ViewState&)> change) {
  entries.push_back({"head", text, current ? "now" : "", keywords,
                     [change = std::move(change)](UiContext& ui, WorkbenchState&) { change(ui.view); }});
}

void add_switch(Entries& entries, const std::string& text, bool current, const Layer& layer,
                std::vector<Index> disabled) {
  AttentionSettings settings = layer.attention;
  settings.disabled_heads = std::move(disabled);
  entries.push_back({"head", text, current ? "now" : "", "enable disable switch",
                     [current, settings](UiContext& ui, WorkbenchState&) {
                       if (!current) ui.send(SetAttention{settings});
                     }});
}

// Shows the head in the focused stage if it has heads, else in the weights.
void show_head(ViewState& view, std::optional<Index> head, HeadPool pool = HeadPool::Each) {
  view.head = head;
  view.heads.pool = pool;
  if (!stage_info(view.focused_stage).per_head) view.focused_stage = Stage::Weights;
  if (view.opened_stage) view.opened_stage = view.focused_stage;
}

void add_heads(const UiContext& ui, Entries& entries) {
  const Layer& layer = ui.layer();
  const AttentionSettings& settings = layer.attention;
  for (Index head = 0; head < std::min(layer.head_count(), kMostHeads); ++head) {
    const std::string name = "head " + head_number(ui, head);
    const bool on = settings.head_enabled(head), solo = is_solo(settings, head);
    const std::vector<Index> toggled = toggled_head(settings, head);
    add_view(entries, name, ui.view.head == head, "show alone",
             [head](ViewState& view) { show_head(view, head); });
    add_switch(entries, name + " on", on, layer, toggled);
    add_switch(entries, name + " off", !on, layer, toggled);
    add_switch(entries, name + " solo", solo, layer, soloed_head(settings, head));
  }
  const auto add_all = [&](const char* name, const char* keywords, HeadPool pool) {
    add_view(entries, name, !ui.view.head && ui.view.heads.pool == pool, keywords,
             [pool](ViewState& view) { show_head(view, std::nullopt, pool); });
  };
  add_all("all heads", "show every head side by side", HeadPool::Each);
  add_all("mean of all heads", "average together one picture", HeadPool::Mean);
  add_all("maximum of all heads", "largest max together one picture", HeadPool::Maximum);
  if (can_weigh_by_value(ui, Stage::Weights))
    add_view(entries, ui.view.picture.by_value ? "weights alone" : "weights × |value|", false,
             "norm length value-weighted attention weighted by", [](ViewState& view) {
               show_head(view, view.head);
               view.picture.by_value = !view.picture.by_value;
               view.focused_stage = Stage::Weights;
               if (view.opened_stage) view.opened_stage = Stage::Weights;
             });
  add_switch(entries, "all heads on", settings.disabled_heads.empty(), layer, {});
}

// Sorted heads are shown side by side in the large picture.
void show_sorted(ViewState& view) {
  view.head.reset();
  view.focused_stage = Stage::Weights;
  if (view.opened_stage) view.opened_stage = Stage::Weights;
  view.focus_view = FocusView::Heatmap;
}

void add_likeness(const UiContext& ui, Entries& entries, const std::string& to, HeadPicture picture) {
  const bool current =
      ui.view.heads.sorting.by == HeadMeasure::LikePicture && ui.view.heads.picture == picture;
  add_view(entries, "sort by likeness to " + to, current, "heads order cosine like picture pattern",
           [picture](ViewState& view) {
             show_sorted(view);
             view.heads.picture = picture;
             sort_heads_by(view, HeadMeasure::LikePicture);
           });
}

void add_orders(const UiContext& ui, Entries& entries) {
  const HeadSorting& sorting = ui.view.heads.sorting;
  add_view(entries, "sort by number", !sorting.by, "heads order",
           [](ViewState& view) { sort_heads_by(view, std::nullopt); });
  for (const HeadMeasureInfo& info : head_measure_table()) {
    if (info.measure == HeadMeasure::LikePicture) continue;
    add_view(entries, "sort by " + std::string(info.label), sorting.by == info.measure,
             "heads order measure " + std::string(info.what), [measure = info.measure](ViewState& view) {
               show_sorted(view);
               sort_heads_by(view, measure);
             });
  }
  for (const bool ascending : {false, true})
    if (sorting.by)
      add_view(entries, ascending ? "sort heads: smallest first" : "sort heads: largest first",
               sorting.ascending == ascending, "order ascending descending",
               [ascending](ViewState& view) { view.heads.sorting.ascending = ascending; });
  if (ui.layer().custom_mask.size() > 0)
    add_likeness(ui, entries, "the painted mask", {PictureKind::Mask, 0});
  if (can_compare_with_baseline(ui))
    add_likeness(ui, entries, "itself when kept", {PictureKind::SameBaselineHead, 0});
  for (Index head = 0; head < std::min(ui.layer().head_count(), kMostHeads); ++head)
    add_likeness(ui, entries, "head " + head_number(ui, head), {PictureKind::Head, head});
}

}  // namespace

void add_head_entries(const UiContext& ui, Entries& entries) {
  if (ui.layer().head_count() < 2) return;
  add_heads(ui, entries);
  add_orders(ui, entries);
}

}  // namespace headlight
