// A beam of the flow view that is pulled: its end to another key, or its beginning up and down, which makes
// it stronger or weaker. While it is held, the parameters that may move are led there with the least change.
//
// Names: "flow.pull" (what was reached), "flow.pull.parts" with "flow.pull.part.<embeddings|query|key>".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/context/ui_context.h"
#include "engine/core/newest_job.h"
#include "engine/learning/beam_goals.h"
#include "engine/learning/least_change.h"

namespace headlight {

// Where the keys of the picture are.
struct BeamGeometry {
  float first_key = 0, pitch = 1;  // the middle of key 0, in screen pixels, and from one key to the next
  float keys_x = 0;                // where lines end

  double key_at(float y) const { return static_cast<double>((y - first_key) / pitch); }
  float y_of(double key) const { return first_key + pitch * static_cast<float>(key); }
};

class BeamPull {
 public:
  // Whether the beams of the layer can be pulled: its weights are computed from parameters of its own, and it
  // is small enough to follow the hand.
  static bool offered(const UiContext& ui);

  // The pointer was pressed on a beam. from_end: nearer to the key than to the query.
  void press(TakenBeam beam, ImVec2 at, ImVec2 query, bool from_end);
  // Call once a frame. held: the pointer is still down since press().
  void follow(UiContext& ui, const BeamGeometry& keys, bool held);
  // The line from the query to where the hand leads it; nothing while none is pulled.
  void draw(const UiContext& ui, const BeamGeometry& keys) const;

  bool pulls() const { return taken_ && taken_->began; }
  // "the → cat 0.58 of 0.60   ·   most moved: W_query[2, 1] 0.43 → 0.61"; "" unless the last change of the
  // document was a pull. reached: the present weight of the beam that was wanted, if known.
  std::string words(const UiContext& ui, std::optional<float> reached) const;
  // The weight that was wanted last.
  std::optional<CellAddress> wanted() const;

  // What may move: of the embeddings, W_query and W_key those that the layer has.
  std::vector<TrainedPart> parts(const Layer& layer) const;
  void choose_parts(UiContext& ui);

 private:
  // What the hand wants: a place among the keys, or a share.
  struct Wish {
    bool moves = true;
    double value = 0;
    bool operator==(const Wish&) const = default;
  };
  struct Taken {
    TakenBeam beam;
    ImVec2 at, query;
    bool from_end = true, began = false;
    Wish wish;
    std::optional<Wish> asked;
    bool thorough = false;  // whether `asked` was searched for until it was settled
    std::shared_ptr<const Layer> start;
    std::uint64_t gesture = 0, opening = 0;
  };
  struct Outcome {
    CellAddress cell;  // whose weight is wanted
    double wanted = 0;
    LeastChange change;
    std::vector<CellsEdit> blocks;
    bool closed = false;  // there is no such goal
    std::string failure;  // why the search was not possible
    std::string parts;    // what might move, in words
    std::uint64_t revision = 0;
  };

  Wish wish_at(ImVec2 mouse, const BeamGeometry& keys) const;
  void begin(const UiContext& ui);
  void ask(const UiContext& ui, bool thorough);
  void take(UiContext& ui);
  static Outcome search(const Taken& taken, const std::vector<TrainedPart>& parts, bool thorough);

  std::optional<Taken> taken_;
  std::optional<Outcome> outcome_;
  std::vector<TrainedPart> chosen_ = {TrainedPart::Query, TrainedPart::Key};
  std::shared_ptr<NewestJob<Outcome>> job_;
};

}  // namespace headlight
