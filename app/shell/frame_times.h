// The times of the last kMost frames.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace headlight {

class FrameTimes {
 public:
  static constexpr std::size_t kMost = 120;

  void add(double ms);
  // 0 before the first frame. Of an even number of frames, the upper of the two middle values.
  double median() const;
  double largest() const;

 private:
  std::vector<double> times_;
  std::size_t oldest_ = 0;
};

// What the automation reports of frames and edits.
struct FrameRecord {
  using TimePoint = std::chrono::steady_clock::time_point;

  std::uint64_t count = 0, revisions_drawn = 0;
  TimePoint last;  // when the last frame was handed over
  double first_ms = 0, slowest_ms = 0;
  FrameTimes cpu_times;                // without the driver's
  std::optional<TimePoint> edited_at;  // of the newest edit, until its picture is shown
  std::uint64_t edited_revision = 0;
  double edit_to_upload_ms = 0;
};

}  // namespace headlight
