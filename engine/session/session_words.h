// The words of the session file and their values, for the reader and the writer.
#pragma once

#include <array>
#include <string_view>

#include "engine/json/json_fields.h"
#include "engine/layer/layer.h"
#include "engine/learning/goal.h"
#include "engine/learning/training_settings.h"
#include "engine/session/lesson.h"

namespace headlight {

inline constexpr std::string_view kSessionFormat = "headlight-session";
inline constexpr int kSessionVersion = 1;

inline constexpr std::array<Word<Projection>, 3> kProjectionWords = {
    {{"none", Projection::None}, {"linear", Projection::Linear}, {"weights", Projection::Weights}}};
inline constexpr std::array<Word<PositionKind>, 2> kPositionWords = {
    {{"rope", PositionKind::Rotary}, {"alibi", PositionKind::Alibi}}};
inline constexpr std::array<Word<RotaryBlend>, 3> kBlendWords = {
    {{"turns", RotaryBlend::Turns}, {"whole_pairs", RotaryBlend::WholePairs}, {"pairs", RotaryBlend::Pairs}}};
inline constexpr std::array<Word<RotaryPairs>, 2> kPairsWords = {
    {{"halves", RotaryPairs::Halves}, {"neighbours", RotaryPairs::Neighbours}}};
inline constexpr std::array<Word<ScaleKind>, 2> kScaleWords = {
    {{"inverse_sqrt_dk", ScaleKind::InverseSqrtDk}, {"none", ScaleKind::None}}};
inline constexpr std::array<Word<MaskKind>, 2> kMaskWords = {
    {{"none", MaskKind::None}, {"causal", MaskKind::Causal}}};
inline constexpr std::array<Word<Normalization>, 3> kNormalizationWords = {
    {{"softmax", Normalization::Softmax},
     {"naive_softmax", Normalization::NaiveSoftmax},
     {"sum", Normalization::Sum}}};
inline constexpr std::array<Word<LessonView>, 6> kLessonViewWords = {{{"heatmap", LessonView::Heatmap},
                                                                      {"flow", LessonView::Flow},
                                                                      {"row", LessonView::Row},
                                                                      {"vectors", LessonView::Vectors},
                                                                      {"compare", LessonView::Compare},
                                                                      {"model", LessonView::Model}}};
inline constexpr std::array<Word<WeightLayout>, 2> kLayoutWords = {
    {{"in_out", WeightLayout::InOut}, {"out_in", WeightLayout::OutIn}}};
inline constexpr std::array<Word<DropoutBuild>, 2> kDropoutBuildWords = {
    {{"default", DropoutBuild::Default}, {"mkl", DropoutBuild::Mkl}}};
inline constexpr std::array<Word<InitKind>, 2> kInitWords = {
    {{"rand", InitKind::Rand}, {"linear", InitKind::Linear}}};
inline constexpr std::array<Word<Loss>, 2> kLossWords = {
    {{"cross_entropy", Loss::CrossEntropy}, {"squared", Loss::Squared}}};
inline constexpr std::array<Word<OptimizerKind>, 3> kOptimizerWords = {
    {{"sgd", OptimizerKind::Sgd}, {"adam", OptimizerKind::Adam}, {"adamw", OptimizerKind::AdamW}}};
inline constexpr std::array<Word<TrainedPart>, 5> kTrainedPartWords = {
    {{"embeddings", TrainedPart::Embeddings},
     {"query", TrainedPart::Query},
     {"key", TrainedPart::Key},
     {"value", TrainedPart::Value},
     {"output", TrainedPart::Output}}};
inline constexpr std::array<Word<Parameter>, 4> kParameterWords = {{{"query", Parameter::Query},
                                                                    {"key", Parameter::Key},
                                                                    {"value", Parameter::Value},
                                                                    {"output", Parameter::Output}}};

}  // namespace headlight
