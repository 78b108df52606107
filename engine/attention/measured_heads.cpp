#include "engine/attention/measured_heads.h"

#include <utility>

namespace headlight {
namespace {

// nullopt if there is no such head.
std::optional<RowSource> weights_of(const Evaluator* evaluator, Index sequence, Index head) {
  if (!evaluator || sequence >= evaluator->layer().sequence_count() ||
      head >= evaluator->layer().head_count())
    return std::nullopt;
  return evaluator->rows(Stage::Weights, sequence, head);
}

std::optional<RowSource> picture_of(const Evaluator& evaluator, const Evaluator* reference,
                                    const MeasuresRequest& request) {
  switch (request.picture.kind) {
    case PictureKind::None:
      break;
    case PictureKind::Head:
      return weights_of(&evaluator, request.sequence, request.picture.head);
    case PictureKind::BaselineHead:
      return weights_of(reference, request.sequence, request.picture.head);
    case PictureKind::SameBaselineHead:
      return weights_of(reference, request.sequence, request.head);
    case PictureKind::Mask:
      return RowSource(evaluator.layer().custom_mask);
  }
  return std::nullopt;
}

}  // namespace

HeadMeasuring begin_measuring(const Evaluator& evaluator, const Evaluator* reference,
                              const MeasuresRequest& request) {
  RowSource weights = evaluator.rows(Stage::Weights, request.sequence, request.head);
  std::optional<RowSource> picture = picture_of(evaluator, reference, request);
  if (picture && (picture->rows() != weights.rows() || picture->cols() != weights.cols())) picture.reset();
  const Layer& layer = evaluator.layer();
  std::optional<Index> offset;
  if (layer.queries_among_keys()) offset = layer.query_offset(request.sequence);
  const TokenMatches matches(layer.tokens, layer.key_labels(), offset);
  return {std::move(weights), matches, std::move(picture)};
}

HeadMeasures measures_of(const Evaluator& evaluator, const Evaluator* reference,
                         const MeasuresRequest& request) {
  return measured(begin_measuring(evaluator, reference, request));
}

}  // namespace headlight
