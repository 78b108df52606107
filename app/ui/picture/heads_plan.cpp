#include "app/ui/picture/heads_plan.h"

#include <algorithm>
#include <cmath>

namespace headlight {

ImVec2 HeadsPlan::at(int i) const {
  const int row = i / columns, column = i % columns;
  return {area.at.x + static_cast<float>(column) * (cell.x + gap) + (column > 0 ? gutter : 0),
          area.at.y + static_cast<float>(row) * (cell.y + gap) + (row > 0 ? header : 0)};
}

HeadsPlan plan_heads(const HeadsRoom& room) {
  HeadsPlan plan;
  plan.count = room.count;
  plan.area = room.area;
  plan.gap = room.gap;
  const float width = room.area.size.x - room.bar - room.gutter, height = room.area.size.y;
  const float lines = room.caption + room.summary + room.halves;
  const auto columns_of = [&](float header) {
    if (room.one_row) return room.count;
    return best_columns(room.count, width, height - header, room.gap, room.aspect, lines);
  };
  plan.columns = columns_of(0);
  const float header =
      room.header ? room.header(std::min(width / static_cast<float>(plan.columns), height * room.aspect)) : 0;
  plan.columns = columns_of(header);
  // The labels, the half lines around them and the axis name of the first row serve all rows.
  plan.header = plan.rows() > 1 ? std::max(room.header ? 1.0f : 0.0f, header - room.halves) : 0;
  plan.bar = plan.columns > 1 ? room.bar : 0;
  plan.gutter = plan.columns > 1 ? room.gutter : 0;
  const auto share = [&](float space, int parts) {
    return std::floor((space - room.gap * static_cast<float>(parts - 1)) / static_cast<float>(parts));
  };
  plan.cell = {share(room.area.size.x - plan.bar - plan.gutter, plan.columns),
               share(height - plan.header, plan.rows())};
  return plan;
}

float heads_cell(const HeadsRoom& room, const HeadsPlan& plan) {
  return std::min(plan.cell.x / static_cast<float>(room.columns),
                  (plan.cell.y - room.caption - room.summary) / static_cast<float>(room.rows));
}

bool too_many_heads(const HeadsRoom& room, const HeadsPlan& plan, float least_cell) {
  constexpr int kMostHeads = 6;
  return room.count > kMostHeads && heads_cell(room, plan) < least_cell;
}

ImVec2 DropoutPlan::at(const DropoutRoom& room, int i) const {
  const int row = i / across, column = i % across;
  return {room.area.at.x + static_cast<float>(column) * (cells.x + room.gap) + (column > 0 ? room.gutter : 0),
          room.area.at.y + static_cast<float>(row) * (cells.y + room.caption + room.gap)};
}

DropoutPlan plan_dropout(const DropoutRoom& room) {
  const auto plan_of = [&room](int across) {
    const int down = (room.count + across - 1) / across;
    const float width = room.area.size.x - room.gap * static_cast<float>(across - 1) - room.gutter - room.bar;
    const float height = room.area.size.y - room.gap * static_cast<float>(down - 1);
    return DropoutPlan{across,
                       {std::floor(width / static_cast<float>(across)),
                        std::floor(height / static_cast<float>(down)) - room.caption}};
  };
  // Cells may be wider than high, to fit their numbers.
  const auto used = [&room](const DropoutPlan& plan) {
    constexpr float kWide = 1.6f;
    const float width = std::max(0.0f, plan.cells.x), height = std::max(0.0f, plan.cells.y - room.header);
    return std::min(width, kWide * height) * std::min(width, height);
  };
  DropoutPlan best = plan_of(room.count);
  for (int across = room.count - 1; across >= 1; --across)
    if (used(plan_of(across)) > used(best)) best = plan_of(across);
  return best;
}

}  // namespace headlight
