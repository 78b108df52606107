// The words of references and conditions in a lesson's text, for what reads them and what writes them.
#pragma once

#include <array>
#include <string_view>

#include "engine/json/json_fields.h"
#include "engine/session/condition.h"
#include "engine/session/text_reference.h"

namespace headlight {

inline constexpr std::array<Word<Parameter>, 4> kWeightWords = {{{"W_query", Parameter::Query},
                                                                 {"W_key", Parameter::Key},
                                                                 {"W_value", Parameter::Value},
                                                                 {"W_output", Parameter::Output}}};
inline constexpr std::array<Word<ReferencedSetting>, 14> kReferencedSettingWords = {
    {{"scale", ReferencedSetting::Scale},
     {"dropout", ReferencedSetting::Dropout},
     {"dropout_factor", ReferencedSetting::DropoutFactor},
     {"d_in", ReferencedSetting::DIn},
     {"d_out", ReferencedSetting::DOut},
     {"d_k", ReferencedSetting::DHead},
     {"heads", ReferencedSetting::Heads},
     {"kv_heads", ReferencedSetting::KvHeads},
     {"tokens", ReferencedSetting::Tokens},
     {"key_tokens", ReferencedSetting::KeyTokens},
     {"sequences", ReferencedSetting::Sequences},
     {"weight_seed", ReferencedSetting::WeightSeed},
     {"dropout_seed", ReferencedSetting::DropoutSeed},
     {"loss", ReferencedSetting::Loss}}};
inline constexpr std::array<Word<ReferenceKind>, 7> kCellWords = {
    {{"terms", ReferenceKind::Terms},
     {"term", ReferenceKind::Term},
     {"exponential", ReferenceKind::Exponential},
     {"row_max", ReferenceKind::RowMax},
     {"row_sum", ReferenceKind::RowSum},
     {"noise", ReferenceKind::Noise},
     {"drawn_mean", ReferenceKind::DrawnMean}}};
inline constexpr std::array<Word<ReferenceKind>, 9> kListWords = {
    {{"sum", ReferenceKind::Sum},
     {"mean", ReferenceKind::Mean},
     {"largest", ReferenceKind::Largest},
     {"smallest", ReferenceKind::Smallest},
     {"spread", ReferenceKind::Spread},
     {"count", ReferenceKind::Count},
     {"largest_token", ReferenceKind::LargestToken},
     {"smallest_token", ReferenceKind::SmallestToken},
     {"entropy", ReferenceKind::Entropy}}};
inline constexpr std::array<Word<CountedIf>, 4> kCountedWords = {{{"<", CountedIf::Less},
                                                                  {">", CountedIf::Greater},
                                                                  {"!=", CountedIf::NotEqual},
                                                                  {"=", CountedIf::Equal}}};

// A sign comes after the longer signs that begin with it.
inline constexpr std::array<Word<ConditionKind>, 8> kComparisonSigns = {
    {{"<=", ConditionKind::LessOrEqual},
     {"<", ConditionKind::Less},
     {">=", ConditionKind::GreaterOrEqual},
     {">", ConditionKind::Greater},
     {"!=", ConditionKind::NotEqual},
     {"=", ConditionKind::Equal},
     {"!~", ConditionKind::NotAlike},
     {"~", ConditionKind::Alike}}};
inline constexpr std::array<Word<ConditionSetting>, 11> kConditionSettingWords = {
    {{"mask", ConditionSetting::Mask},
     {"normalization", ConditionSetting::Normalization},
     {"projection", ConditionSetting::Projection},
     {"scale", ConditionSetting::Scale},
     {"dropout", ConditionSetting::Dropout},
     {"training", ConditionSetting::Training},
     {"bias", ConditionSetting::Bias},
     {"output_projection", ConditionSetting::OutputProjection},
     {"dropout_seed", ConditionSetting::DropoutSeed},
     {"layout", ConditionSetting::Layout},
     {"disabled_heads", ConditionSetting::DisabledHeads}}};
inline constexpr std::array<Word<ChangedSetting>, 8> kChangedWords = {
    {{"mask", ChangedSetting::Mask},
     {"normalization", ChangedSetting::Normalization},
     {"scale", ChangedSetting::Scale},
     {"dropout", ChangedSetting::Dropout},
     {"disabled_heads", ChangedSetting::DisabledHeads},
     {"bias", ChangedSetting::Bias},
     {"heads", ChangedSetting::Heads},
     {"d_out", ChangedSetting::DOut}}};

}  // namespace headlight
