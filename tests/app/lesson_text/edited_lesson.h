// A lesson with random edits of every kind: numbers and settings; tokens and dimensions inserted, removed and
// moved; heads and projections; equal rows; scores that overflow. Computes the origin of each token and
// dimension independently of the program. tests/page/told_lessons.cpp prints what is told after such edits.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/document/document.h"
#include "tests/app/recovery/random_commands.h"

namespace headlight_test {

// For each current line (token, input or output dimension) its index in the first state, -1 for a new line.
// Lines that never moved are numbered from 0.
struct PlainLines {
  std::vector<int> tokens, inputs, outputs;
  bool moved_tokens = false, moved_inputs = false, moved_outputs = false;

  static std::vector<int> counted(headlight::Index count) {
    std::vector<int> lines;
    for (int i = 0; i < count; ++i)
      lines.push_back(i);
    return lines;
  }
  explicit PlainLines(const headlight::Layer& layer) { fit(layer); }
  // Adjusts the lists to the model's sizes: widths grow and shrink at their ends.
  void fit(const headlight::Layer& layer) {
    fit(tokens, moved_tokens, layer.token_count());
    fit(inputs, moved_inputs, layer.d_in());
    fit(outputs, moved_outputs, layer.d_out());
  }

 private:
  static void fit(std::vector<int>& lines, bool moved, headlight::Index count) {
    if (moved)
      lines.resize(static_cast<std::size_t>(count), -1);
    else
      lines = counted(count);
  }
};

class EditedLesson {
 public:
  explicit EditedLesson(const headlight::Session& session)
      : document_(layer_of(session)), lines_(session.layer) {}

  const headlight::Layer& layer() const { return document_.layer(); }
  const PlainLines& lines() const { return lines_; }

  // Throws `Error` if the command does not fit; then nothing changes.
  void run(headlight::Command command) {
    if (auto* cells = std::get_if<headlight::SetCells>(&command)) cells->gesture = 0;  // one step each
    if (auto* settings = std::get_if<headlight::SetAttention>(&command)) settings->gesture = 0;
    if (auto* mask = std::get_if<headlight::SetMask>(&command)) mask->gesture = 0;
    const bool joined = layer().attention.projection == headlight::Projection::None;
    document_.run(command);
    before_.push_back(lines_);
    follow(command, joined);
    lines_.fit(layer());
  }
  void undo() {
    document_.undo();
    lines_ = before_.back();
    before_.pop_back();
  }

  // The name of the edit; none if the document refused it.
  std::optional<std::string> random_edit(Dice& dice) {
    if (!before_.empty() && dice.chance(0.2)) {
      undo();
      return "undo";
    }
    try {
      const headlight::Command command = random_command_of(dice);
      run(command);
      return command_name(command);
    } catch (const headlight::Error&) {
      return std::nullopt;
    }
  }

 private:
  // A lesson on a whole model without the model: its edits would wait for the layer to be computed.
  static headlight::Session layer_of(headlight::Session session) {
    session.work.reset();
    return session;
  }

  headlight::Command random_command_of(Dice& dice) const {
    const double kind = dice.real(0, 1);
    if (kind < 0.4) return random_cells(dice, layer());
    if (kind < 0.55) return random_settings(dice, layer());
    if (kind < 0.6) return random_mask(dice, layer());
    if (kind < 0.65) return random_tie(dice);
    if (kind < 0.7) return random_overflow(dice);
    if (kind < 0.73 && layer().attention.projection == headlight::Projection::Linear)
      return headlight::DrawWeights{random_recipe(dice)};
    return random_structure(dice);
  }

  // Sets the embedding of a token to that of another, so that their scores are equal.
  headlight::Command random_tie(Dice& dice) const {
    using namespace headlight;
    if (layer().embeddings.empty()) return random_settings(dice, layer());
    const Matrix& x = layer().embeddings[0];
    return SetCells{{InputKind::Embeddings, 0, Parameter::Query},
                    dice.below(x.rows()),
                    0,
                    Matrix(x.row(dice.below(x.rows()))),
                    0};
  }
  // Selects the naive softmax, or sets an embedding so large that a naive softmax overflows.
  headlight::Command random_overflow(Dice& dice) const {
    using namespace headlight;
    if (dice.chance(0.5) || layer().embeddings.empty()) {
      AttentionSettings settings = layer().attention;
      settings.normalization = Normalization::NaiveSoftmax;
      return SetAttention{settings, 0};
    }
    const Matrix& x = layer().embeddings[0];
    const Index row = dice.below(x.rows());
    return SetCells{{InputKind::Embeddings, 0, Parameter::Query},
                    row,
                    0,
                    Matrix(Matrix::Constant(1, x.cols(), static_cast<float>(dice.real(15, 30)))),
                    0};
  }

  headlight::Command random_structure(Dice& dice) const {
    using namespace headlight;
    const Index tokens = layer().token_count();
    switch (dice.below(13)) {
      case 0:
        return InsertToken{dice.below(tokens + 1), "new", dice.chance(0.5)};
      case 1:
      case 2:
        return RemoveToken{dice.below(tokens)};
      case 3:
      case 4:
        return MoveToken{dice.below(tokens), dice.below(tokens)};
      case 5:
        return RenameToken{dice.below(tokens), "renamed"};
      case 6:
        return random_lines(dice, LineKind::Input);
      case 7:
        return random_lines(dice, LineKind::Output);
      case 8:
        return SetDOut{dice.between(1, 6)};
      case 9:
        return SetProjection{
            dice.pick<Projection>({Projection::None, Projection::Linear, Projection::Given})};
      case 10:
        return SetQkvBias{dice.chance(0.5)};
      case 11:
        return SetOutputProjection{dice.chance(0.5)};
      default:
        return SetNumHeads{dice.pick<Index>({1, 1, 2, 4})};
    }
  }
  headlight::Command random_lines(Dice& dice, headlight::LineKind kind) const {
    using namespace headlight;
    const Index count = line_count(layer(), kind);
    if (count == 0) return RenameToken{0, "renamed"};
    return ChangeLines{{kind,
                        dice.pick<LineChange>({LineChange::Insert, LineChange::Duplicate, LineChange::Remove,
                                               LineChange::Move}),
                        dice.below(count), dice.between(1, 2), dice.below(count)}};
  }

  static void change(std::vector<int>& lines, bool& moved, const headlight::LinesEdit& edit) {
    using namespace headlight;
    moved = true;
    const auto at = lines.begin() + edit.at;
    const std::vector<int> chosen(at, edit.change == LineChange::Insert ? at : at + edit.count);
    const auto count = static_cast<std::size_t>(edit.count);
    if (edit.change == LineChange::Insert) lines.insert(at, count, -1);
    if (edit.change == LineChange::Duplicate) lines.insert(at + edit.count, count, -1);
    if (edit.change != LineChange::Remove && edit.change != LineChange::Move) return;
    lines.erase(at, at + edit.count);
    if (edit.change == LineChange::Move) lines.insert(lines.begin() + edit.to, chosen.begin(), chosen.end());
  }

  // `joined`: there was no projection, so that input and output dimensions are the same.
  void follow(const headlight::Command& command, bool joined) {
    using namespace headlight;
    const auto tokens = [&](LineChange of, Index at, Index to) {
      change(lines_.tokens, lines_.moved_tokens, {LineKind::Token, of, at, 1, to});
    };
    if (const auto* insert = std::get_if<InsertToken>(&command)) tokens(LineChange::Insert, insert->at, 0);
    if (const auto* remove = std::get_if<RemoveToken>(&command)) tokens(LineChange::Remove, remove->at, 0);
    if (const auto* move = std::get_if<MoveToken>(&command)) tokens(LineChange::Move, move->from, move->to);
    if (const auto* lines = std::get_if<ChangeLines>(&command)) {
      if (lines->edit.kind == LineKind::Input || joined)
        change(lines_.inputs, lines_.moved_inputs, lines->edit);
      if (lines->edit.kind == LineKind::Output || joined)
        change(lines_.outputs, lines_.moved_outputs, lines->edit);
    }
    if (std::holds_alternative<SetProjection>(command)) lines_.moved_outputs = false;
  }

  headlight::Document document_;
  PlainLines lines_;
  std::vector<PlainLines> before_;
};

}  // namespace headlight_test
