#include "app/platform/damage.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "app/platform/imgui_compat.h"

namespace headlight {
namespace {

constexpr int kSquare = 32;  // pixels

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

std::uint64_t hash_of(const ImDrawVert& vertex) {
  static_assert(sizeof(ImDrawVert) == 20, "two points and a colour");
  std::uint64_t words[2];
  std::uint32_t last = 0;
  std::memcpy(words, &vertex, sizeof words);
  std::memcpy(&last, reinterpret_cast<const char*>(&vertex) + sizeof words, sizeof last);
  return mixed(mixed(mixed(0, words[0]), words[1]), last);
}

int area(const PixelRect& r) {
  return std::max(r.right - r.left, 0) * std::max(r.bottom - r.top, 0);
}

PixelRect around(const PixelRect& a, const PixelRect& b) {
  return {std::min(a.left, b.left), std::min(a.top, b.top), std::max(a.right, b.right),
          std::max(a.bottom, b.bottom)};
}

bool meet(const PixelRect& a, const PixelRect& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

ImVec4 common(const ImVec4& a, const ImVec4& b) {
  return {std::max(a.x, b.x), std::max(a.y, b.y), std::min(a.z, b.z), std::min(a.w, b.w)};
}

bool empty(const ImVec4& box) {
  return box.x >= box.z || box.y >= box.w;
}

const ImVec4 kNowhere = {1e9F, 1e9F, -1e9F, -1e9F};

void widen(ImVec4& box, ImVec2 at) {
  box = {std::min(box.x, at.x), std::min(box.y, at.y), std::max(box.z, at.x), std::max(box.w, at.y)};
}

void widen(ImVec4& box, const ImVec4& by) {
  box = {std::min(box.x, by.x), std::min(box.y, by.y), std::max(box.z, by.z), std::max(box.w, by.w)};
}

int vertex_of(const ImDrawList& list, const ImDrawCmd& command, unsigned element) {
  return static_cast<int>(command.VtxOffset + list.IdxBuffer.Data[command.IdxOffset + element]);
}

// The squares of a frame, each with a hash of what is drawn in it.
class Squares {
 public:
  Squares(int width, int height, std::uint64_t ground)
      : columns_((width + kSquare - 1) / kSquare),
        rows_((height + kSquare - 1) / kSquare),
        squares_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_), ground) {}

  // Adds the list to the hashes, and the area of each of its commands to `boxes`.
  void add(const ImDrawList& list, ImVec2 origin, const Damage::TextureVersion& version,
           std::vector<ImVec4>& boxes) {
    hashes_.resize(static_cast<std::size_t>(list.VtxBuffer.Size));
    for (int i = 0; i < list.VtxBuffer.Size; ++i)
      hashes_[static_cast<std::size_t>(i)] = hash_of(list.VtxBuffer[i]);
    for (const ImDrawCmd& command : list.CmdBuffer)
      boxes.push_back(add(list, command, origin, version));
  }

  int columns() const { return columns_; }
  int rows() const { return rows_; }
  std::vector<std::uint64_t> take() { return std::move(squares_); }

 private:
  ImVec4 add(const ImDrawList& list, const ImDrawCmd& command, ImVec2 origin,
             const Damage::TextureVersion& version) {
    std::uint64_t start = mixed(version(command.GetTexID()), gl_name(command.GetTexID()));
    for (const float edge : {command.ClipRect.x, command.ClipRect.y, command.ClipRect.z, command.ClipRect.w})
      start = mixed(start, static_cast<std::uint64_t>(std::llround(edge)));
    ImVec4 all = kNowhere;
    for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
      std::uint64_t hash = start;
      ImVec4 box = kNowhere;
      for (unsigned corner = i; corner < i + 3; ++corner) {
        const int vertex = vertex_of(list, command, corner);
        widen(box, list.VtxBuffer[vertex].pos);
        hash = mixed(hash, hashes_[static_cast<std::size_t>(vertex)]);
      }
      box = common(box, command.ClipRect);
      if (empty(box)) continue;
      widen(all, box);
      add(hash, {box.x - origin.x, box.y - origin.y, box.z - origin.x, box.w - origin.y});
    }
    return all;
  }

  void add(std::uint64_t hash, const ImVec4& box) {
    const auto square = [](float at, int count) {
      return std::clamp(static_cast<int>(at) / kSquare, 0, count - 1);
    };
    const int left = square(box.x, columns_), right = square(box.z, columns_);
    for (int row = square(box.y, rows_); row <= square(box.w, rows_); ++row)
      for (int column = left; column <= right; ++column) {
        std::uint64_t& in_square =
            squares_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                     static_cast<std::size_t>(column)];
        in_square = mixed(in_square, hash);
      }
  }

  int columns_, rows_;
  std::vector<std::uint64_t> squares_;
  std::vector<std::uint64_t> hashes_;  // of the vertices of one list
};

// The differing squares as horizontal runs, each merged with the run above if that has the same columns.
std::vector<PixelRect> rects_of(const std::vector<bool>& differs, int columns, int rows) {
  std::vector<PixelRect> rects;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      const int begin = column;
      while (column < columns && differs[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                                         static_cast<std::size_t>(column)])
        ++column;
      if (column == begin) continue;
      PixelRect run = {begin * kSquare, row * kSquare, column * kSquare, (row + 1) * kSquare};
      const auto above = std::find_if(rects.begin(), rects.end(), [&](const PixelRect& r) {
        return r.bottom == run.top && r.left == run.left && r.right == run.right;
      });
      if (above != rects.end())
        above->bottom = run.bottom;
      else
        rects.push_back(run);
    }
  return rects;
}

// The cost in pixels of one more rectangle, for which all commands are iterated once more.
constexpr int kWorthOneMore = 12'000;

// Joins rectangles that overlap, or if that costs less than drawing both.
void join(std::vector<PixelRect>& rects) {
  for (bool joined = true; joined;) {
    joined = false;
    for (std::size_t i = 0; i < rects.size() && !joined; ++i)
      for (std::size_t j = i + 1; j < rects.size() && !joined; ++j) {
        const PixelRect both = around(rects[i], rects[j]);
        joined = meet(rects[i], rects[j]) || area(both) < area(rects[i]) + area(rects[j]) + kWorthOneMore;
        if (!joined) continue;
        rects[i] = both;
        rects.erase(rects.begin() + static_cast<std::ptrdiff_t>(j));
      }
  }
}

}  // namespace

std::vector<PixelRect> Damage::changed(const ImDrawData& frame, std::uint64_t ground,
                                       const TextureVersion& version) {
  const auto width = static_cast<int>(std::ceil(frame.DisplaySize.x));
  const auto height = static_cast<int>(std::ceil(frame.DisplaySize.y));
  if (width <= 0 || height <= 0) return {};
  Squares now(width, height, ground);
  boxes_.clear();
  for (int i = 0; i < frame.CmdListsCount; ++i)
    now.add(*frame.CmdLists[i], frame.DisplayPos, version, boxes_);
  const std::vector<std::uint64_t> before = std::exchange(squares_, now.take());
  const bool same_size = before.size() == squares_.size() && columns_ == now.columns() && rows_ == now.rows();
  columns_ = now.columns();
  rows_ = now.rows();
  const PixelRect whole = {0, 0, width, height};
  if (!same_size) return {whole};
  std::vector<bool> differs(squares_.size());
  for (std::size_t i = 0; i < squares_.size(); ++i)
    differs[i] = squares_[i] != before[i];
  std::vector<PixelRect> rects = rects_of(differs, columns_, rows_);
  join(rects);
  for (PixelRect& rect : rects) {
    rect.right = std::min(rect.right, width);
    rect.bottom = std::min(rect.bottom, height);
  }
  return rects;
}

void Damage::restrict_to(ImDrawData& frame, const std::vector<PixelRect>& rects) const {
  std::size_t before = 0;  // commands of earlier lists
  for (int i = 0; i < frame.CmdListsCount; ++i) {
    ImDrawList& list = *frame.CmdLists[i];
    ImVector<ImDrawCmd> kept;
    for (const PixelRect& rect : rects) {
      const ImVec4 part = {frame.DisplayPos.x + static_cast<float>(rect.left),
                           frame.DisplayPos.y + static_cast<float>(rect.top),
                           frame.DisplayPos.x + static_cast<float>(rect.right),
                           frame.DisplayPos.y + static_cast<float>(rect.bottom)};
      for (int c = 0; c < list.CmdBuffer.Size; ++c) {
        if (empty(common(boxes_[before + static_cast<std::size_t>(c)], part))) continue;
        kept.push_back(list.CmdBuffer[c]);
        kept.back().ClipRect = common(list.CmdBuffer[c].ClipRect, part);
      }
    }
    before += static_cast<std::size_t>(list.CmdBuffer.Size);
    list.CmdBuffer.swap(kept);
  }
}

}  // namespace headlight
