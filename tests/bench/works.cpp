#include "tests/bench/works.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "app/export/stage_picture.h"
#include "app/figure/paint/cairo_painter.h"
#include "app/figure/paint/figure_file.h"
#include "engine/attention/evaluator.h"
#include "engine/core/parallel.h"
#include "engine/core/torch_stream.h"
#include "engine/layer/reshape.h"
#include "engine/learning/gradients.h"
#include "tests/bench/timing.h"

namespace headlight_bench {
namespace {

using namespace headlight;
using Clock = std::chrono::steady_clock;

constexpr Index kMostExported = 1024;  // tokens; larger models are pooled, so their time adds nothing

Layer model_of(const Size& size, bool causal) {
  Layer layer;
  for (Index t = 0; t < size.tokens; ++t)
    layer.tokens.push_back("t" + std::to_string(t));
  Matrix x(size.tokens, size.d);
  TorchStream stream(7);
  fill_rand(stream, x);
  layer.embeddings = {(x.array() - 0.5f).matrix()};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = size.d;
  layer.attention.num_heads = size.heads;
  layer.attention.output_projection = true;
  layer.attention.mask = causal ? MaskKind::Causal : MaskKind::None;
  draw_weights(layer, {InitKind::Linear, 7, {kParameters.begin(), kParameters.end()}});
  return layer;
}

double forward_operations(const Size& size, bool causal) {
  const auto tokens = static_cast<double>(size.tokens), d = static_cast<double>(size.d);
  return 2 * (4 * tokens * d * d + 2 * tokens * tokens * d * (causal ? 0.5 : 1));
}

// One head of a sequence whose scores are not stored: its first pass, and its slowest tile at any zoom.
class Stream {
 public:
  static constexpr Size kSize = {32768, 64, 1};

  explicit Stream(bool causal) : causal_(causal), evaluator_(model_of(kSize, causal), StorageKind::Map) {}

  // Counts the products of scores and context only, not the projections.
  Row first_pass() {
    const double tokens = static_cast<double>(kSize.tokens);
    const double operations = 4 * tokens * tokens * static_cast<double>(kSize.d) * (causal_ ? 0.5 : 1);
    std::vector<double> all;
    const auto layer = std::make_shared<const Layer>(evaluator_.layer());
    for (int run = 0; run < 3; ++run) {
      evaluator_.apply(LayerEdit{layer});
      all.push_back(milliseconds([&] {
        while (!evaluator_.refresh_for(50, stage_bit(Stage::Weights))) {
        }
      }));
    }
    std::sort(all.begin(), all.end());
    return {"stream_first_pass", kSize, causal_, all[1], operations, 3};
  }

  // The slowest tile over sides that shrink by a quarter each step, and the side with the most cells that are
  // not pooled in advance; at the far corner and in the middle of the diagonal.
  Row worst_tile() {
    double worst = 0;
    int count = 0;
    std::vector<double> sides = {256 * 16 - 1};
    for (double side = static_cast<double>(kSize.tokens); side >= 16; side *= 0.75)
      sides.push_back(side);
    for (const double side : sides)
      for (const bool middle : {false, true})
        for (const Stage stage : {Stage::Masked, Stage::Weights})
          for (const Pooling pooling : {Pooling::AbsMax, Pooling::Mean}) {
            TileRequest request;
            request.stage = stage;
            request.pooling = pooling;
            const auto size = static_cast<Index>(side);
            request.row_begin = (kSize.tokens - size) / (middle ? 2 : 1);
            request.row_end = request.row_begin + size;
            request.column_begin = request.row_begin;
            request.column_end = request.row_end;
            std::vector<double> all;
            for (int run = 0; run < 3; ++run)
              all.push_back(milliseconds([&] { evaluator_.tile(request); }));
            std::sort(all.begin(), all.end());
            worst = std::max(worst, all[1]);
            ++count;
          }
    return {"stream_tile_worst", kSize, causal_, worst, 0, count};
  }

 private:
  template <class Work>
  static double milliseconds(Work work) {
    const Clock::time_point start = Clock::now();
    work();
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }

  bool causal_;
  Evaluator evaluator_;
};

class Bench {
 public:
  Bench(const Size& size, bool causal, const std::function<void(const Row&)>& report)
      : Bench(size, causal, model_of(size, causal), report) {}
  Bench(const Size& size, bool causal, Layer layer, const std::function<void(const Row&)>& report)
      : size_(size), causal_(causal), report_(report), evaluator_(std::move(layer)) {
    evaluator_.refresh();
  }

  // `work` is called with the number of its earlier calls. `prepare`, called before each run, is not timed.
  void time(
      const std::string& name, double operations, const std::function<void(int)>& work,
      const std::function<void()>& prepare = [] {}) {
    const Timed all = timed(work, prepare);
    report_({name, size_, causal_, all.ms, operations, all.runs});
  }

  // The model exists already, as PyTorch's does: copying it into the evaluator is not timed.
  void forward() { forward_of("forward", forward_operations(size_, causal_)); }
  void forward_of(const std::string& name, double operations) {
    const auto layer = std::make_shared<const Layer>(evaluator_.layer());
    time(
        name, operations, [&](int) { evaluator_.refresh(); }, [&] { evaluator_.apply(LayerEdit{layer}); });
  }

  // From the loss of the output to the embeddings and weights; the forward pass before it is not timed.
  void backward() {
    const Layer& layer = evaluator_.layer();
    const Goal goal = {Stage::Output, Loss::Squared, {1, 1, {Matrix::Zero(1, 1)}}};
    LayerPass pass(layer, goal);
    time(
        "backward", 0,
        [&](int) {
          pass.backward({stage_bit(Stage::Embeddings), kAllParameters});
        },
        [&] { pass.forward(); });
  }

  // Sets a cell in the middle to another value in every run.
  void edit_cell(const InputId& input, int run) {
    const Matrix& matrix = input_matrix(evaluator_.layer(), input);
    CellsEdit edit;
    edit.input = input;
    edit.row = matrix.rows() / 2;
    edit.column = matrix.cols() / 2;
    edit.values = Matrix::Constant(1, 1, 0.1f + 0.01f * static_cast<float>(run % 7));
    evaluator_.apply(edit);
  }

  // The tiles of `weights` of all heads, pooled to 256 x 256.
  void tiles() {
    for_each_index(size_.heads, 1e9, [&](Index head) { tile(head); });
  }

  void tile(Index head) {
    TileRequest request;
    request.head = head;
    evaluator_.tile(request);
  }

  // The tiles of the heads that changed since the last call, as the window computes them.
  void changed_tiles() {
    versions_.resize(static_cast<std::size_t>(size_.heads));
    for_each_index(size_.heads, 1e9, [&](Index head) {
      std::uint64_t& seen = versions_[static_cast<std::size_t>(head)];
      const std::uint64_t now = evaluator_.version(Stage::Weights, 0, head);
      if (std::exchange(seen, now) != now) tile(head);
    });
  }

  void edits() {
    const InputId embedding, weight = {InputKind::Weight, 0, Parameter::Query};
    constexpr StageSet kAllButOutput = kAllStages & ~stage_bit(Stage::Output);
    time("edit_embedding", 0, [&](int run) {
      edit_cell(embedding, run);
      evaluator_.refresh(kAllButOutput);
    });
    time("edit_embedding_tiles", 0, [&](int run) {
      edit_cell(embedding, run);
      evaluator_.refresh(kAllButOutput);
      tiles();
    });
    evaluator_.refresh();
    time("edit_embedding_output", 0, [&](int run) {
      edit_cell(embedding, run);
      evaluator_.refresh();
    });
    time("edit_weight_tiles", 0, [&](int run) {
      edit_cell(weight, run);
      evaluator_.refresh();
      changed_tiles();
    });
    settings_edit("toggle_head", [](AttentionSettings& settings, int run) {
      settings.disabled_heads.clear();
      if (run % 2 == 1) settings.disabled_heads.push_back(0);
    });
    settings_edit("edit_dropout_seed", [](AttentionSettings& settings, int run) {
      settings.disabled_heads.clear();
      settings.dropout = {0.1, true, run};
    });
    settings_edit(
        "dropout_off", [](AttentionSettings& settings, int) { settings.dropout = {}; }, false);
    edit_mask();
  }

  void export_weights() {
    if (size_.tokens > kMostExported) return;
    std::vector<Index> heads;
    for (Index head = 0; head < size_.heads; ++head)
      heads.push_back(head);
    const FigureOptions options;
    const FigureStyle style = figure_style(options);
    const MeasureText measure = pango_measure(style.fonts);
    for (const auto& [name, format] :
         {std::pair("export_png", FigureFormat::Png), std::pair("export_svg", FigureFormat::Svg),
          std::pair("export_pdf", FigureFormat::Pdf)})
      time(name, 0, [&, format = format](int) {
        const FigureGrid figure = lay_out(
            [&](Index most) {
              return heads_sheet({evaluator_, "bench"}, Stage::Weights, 0, heads, options, most);
            },
            {}, style, measure);
        figure_file(figure, format, options.dpi, {});
      });
  }

  void tile_queries() {
    time("tiles", 0, [&](int) { tiles(); });
  }

 private:
  void settings_edit(const std::string& name, const std::function<void(AttentionSettings&, int)>& change,
                     bool timed = true) {
    const auto work = [&](int run) {
      AttentionSettings settings = evaluator_.layer().attention;
      change(settings, run);
      evaluator_.apply(SettingsEdit{settings});
      evaluator_.refresh();
    };
    if (timed)
      time(name, 0, work);
    else
      work(0);
  }

  void edit_mask() {
    MaskEdit own{MaskKind::Custom, Matrix::Ones(size_.tokens, size_.tokens)};
    if (causal_)
      for (Index row = 0; row < size_.tokens; ++row)
        own.custom_mask.row(row).tail(size_.tokens - row - 1).setZero();
    evaluator_.apply(own);
    evaluator_.refresh();
    time("edit_mask", 0, [&](int run) {
      CellsEdit edit;
      edit.input.kind = InputKind::Mask;
      edit.row = size_.tokens / 2;
      edit.values = Matrix::Constant(1, 1, static_cast<float>(run % 2));
      evaluator_.apply(edit);
      evaluator_.refresh();
    });
    evaluator_.apply(MaskEdit{causal_ ? MaskKind::Causal : MaskKind::None, {}});
    evaluator_.refresh();
  }

  Size size_;
  bool causal_;
  const std::function<void(const Row&)>& report_;
  Evaluator evaluator_;
  std::vector<std::uint64_t> versions_;  // by head: the version whose tile was computed last
};

}  // namespace

const std::vector<Size>& sizes() {
  static const std::vector<Size> kSizes = {{6, 3, 1},       {64, 64, 4},     {256, 256, 8},  {512, 768, 12},
                                           {1024, 768, 12}, {2048, 768, 12}, {4096, 768, 12}};
  return kSizes;
}

namespace {

// A model with given queries, keys and values: attention alone.
Layer given_model(const Size& size) {
  Layer layer = model_of(size, true);
  const Matrix x = layer.embeddings.front();
  layer.weights = {};
  layer.attention.output_projection = false;
  layer.attention.projection = Projection::Given;
  layer.given = {std::vector{x}, std::vector{x}, std::vector{x}};
  return layer;
}

}  // namespace

void time_layers(const std::function<bool(Index)>& wanted, const std::function<void(const Row&)>& report) {
  constexpr Size kLayer = {1024, 768, 12}, kLong = {4096, 768, 12};
  constexpr Index kGroups = 4, kWindow = 256;
  if (wanted(kLayer.tokens)) {
    Layer groups = model_of(kLayer, true);
    set_num_kv_heads(groups, kGroups);
    const auto d = static_cast<double>(kLayer.d), tokens = static_cast<double>(kLayer.tokens);
    const double spared = 2 * 2 * tokens * d * d * (1 - static_cast<double>(kGroups) / kLayer.heads);
    Bench(kLayer, true, groups, report).forward_of("forward_gqa", forward_operations(kLayer, true) - spared);
    Layer rotary = model_of(kLayer, true);
    rotary.attention.position.kind = PositionKind::Rotary;
    Bench(kLayer, true, rotary, report).forward_of("forward_rope", forward_operations(kLayer, true));
  }
  if (!wanted(kLong.tokens)) return;
  Layer given = given_model(kLong);
  given.attention.mask = MaskKind::None;
  Bench(kLong, false, given, report).forward_of("forward_given", 0);
  given.attention.mask = MaskKind::Causal;
  Bench(kLong, true, given, report).forward_of("forward_given", 0);
  given.attention.mask = MaskKind::Rules;
  given.attention.rules.causal = true;
  given.attention.rules.left = kWindow - 1;
  Bench(kLong, true, given, report).forward_of("forward_window", 0);
}

void time_streams(const std::function<void(const Row&)>& report) {
  for (const bool causal : {true, false}) {
    Stream stream(causal);
    report(stream.first_pass());
    report(stream.worst_tile());
  }
}

void time_works(const Size& size, bool causal, const std::function<bool(const std::string&)>& wanted,
                const std::function<void(const Row&)>& report) {
  Bench bench(size, causal, report);
  if (wanted("forward")) bench.forward();
  if (wanted("backward")) bench.backward();
  if (wanted("edit")) bench.edits();
  if (wanted("tiles")) bench.tile_queries();
  if (wanted("export")) bench.export_weights();
}

}  // namespace headlight_bench
