// The words of an analysis's choices: on the command line, in files and in the commands that repeat an
// answer.
#pragma once

#include <array>

#include "engine/analysis/analysis.h"
#include "engine/json/json_fields.h"

namespace headlight {

inline constexpr std::array<Word<PatchStage>, 8> kStageWords = {{{"residual", PatchStage::Residual},
                                                                 {"attention", PatchStage::AttentionAdded},
                                                                 {"mlp", PatchStage::MlpAdded},
                                                                 {"queries", PatchStage::Queries},
                                                                 {"keys", PatchStage::Keys},
                                                                 {"values", PatchStage::Values},
                                                                 {"pattern", PatchStage::Weights},
                                                                 {"output", PatchStage::Context}}};
inline constexpr std::array<Word<AblationKind>, 2> kAblationWords = {
    {{"mean", AblationKind::Mean}, {"zero", AblationKind::Zero}}};
// On the command line anything else is a file, whose texts the mean is over (MeanOver::Others).
inline constexpr std::array<Word<MeanOver>, 2> kMeanOverWords = {
    {{"set", MeanOver::Set}, {"text", MeanOver::Text}}};
inline constexpr std::array<Word<EmbeddingKind>, 2> kEmbeddingWords = {
    {{"raw", EmbeddingKind::Raw}, {"effective", EmbeddingKind::Effective}}};
inline constexpr std::array<Word<OutputMeasure::Kind>, 2> kMeasureWords = {
    {{"loss", OutputMeasure::Kind::Loss}, {"logit", OutputMeasure::Kind::Logit}}};

inline constexpr std::array<Word<PatchStage>, 3> kPlaceWords = {{{"residual", PatchStage::Residual},
                                                                 {"attention", PatchStage::AttentionAdded},
                                                                 {"mlp", PatchStage::MlpAdded}}};
inline constexpr std::array<Word<TranscoderInput>, 3> kReadsWords = {
    {{"mlp_input", TranscoderInput::MlpInput},
     {"normalized", TranscoderInput::Normalized},
     {"stream", TranscoderInput::Stream}}};
inline constexpr std::array<Word<MlpsBetween>, 2> kMlpsWords = {
    {{"held", MlpsBetween::Held}, {"recomputed", MlpsBetween::Recomputed}}};
inline constexpr std::array<Word<Metric>, 6> kMetricWords = {{{kMetricNames[0], Metric::Logit},
                                                              {kMetricNames[1], Metric::LogitDifference},
                                                              {kMetricNames[2], Metric::LogProbability},
                                                              {kMetricNames[3], Metric::Probability},
                                                              {kMetricNames[4], Metric::Rank},
                                                              {kMetricNames[5], Metric::Loss}}};

}  // namespace headlight
