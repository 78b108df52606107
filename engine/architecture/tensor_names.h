// The names of a model's tensors in its files, as a table that each family fills in. Names of weights stand
// without ".weight" and ".bias"; an empty name: the family has no such tensor.
#pragma once

#include <string>
#include <vector>

namespace headlight {

// How the matrices of queries, keys and values lie. Separate: each is a tensor. In one fused tensor: Blocks:
// all queries, all keys, all values. Groups: for each head of keys and values its queries, its keys and its
// values. Quarters: four blocks, each a quarter of the queries, of the values, and of the keys (CodeGen).
enum class QkvLayout { Separate, Blocks, Groups, Quarters };

struct TensorNames {
  // Before the names up to final_norm and head_projection: the first with which `tokens` (of images: the
  // class token) is there.
  std::vector<std::string> prefixes = {""};
  std::string tokens;     // vocabulary x E
  std::string positions;  // rows x E, or rows x d
  std::string types;      // token types x E
  std::string embedding_norm;
  std::string embedding_projection;  // E to d
  std::string class_token;           // of images: 1 x 1 x d; tokens is then empty
  std::string patches;               // of images: d x channels x height x width of a patch
  std::string relative_bias;         // buckets x heads; the whole name, without the prefix

  std::string layer;                // before the names below, '#' stands for the number of the layer
  std::vector<std::string> layers;  // the same for each layer, where layers share their weights; else empty
  std::string attention_norm, mlp_norm, attention_out_norm, mlp_out_norm;
  std::string query_norm, key_norm;  // '#' stands for the number of a head that has a tensor of its own
  QkvLayout qkv = QkvLayout::Separate;
  std::string fused;              // queries, keys and values in one tensor
  std::string query, key, value;  // else
  std::string output, gate, up, down;
  std::string gate_up;   // gate and up in one tensor, one after the other; else gate, up
  bool columns = false;  // a column for each output, as in GPT-2's Conv1D; else a row
  std::string sinks;     // one number for each head; the whole name
  std::string router;    // of experts
  std::string expert;    // before gate, up and down of an expert, '#' stands for its number
  std::string expert_gate, expert_up, expert_down;
  std::string packed_gate_up, packed_down;  // of all experts; whole names, biases end in "_bias"
  std::string cross_norm, cross_query, cross_key, cross_value, cross_output;

  std::string final_norm;
  std::string head_projection;  // after the final norm: d to E, or to what the logits are computed from

  // The names below have no prefix.
  std::string head_dense, head_norm;     // before the logits
  std::string head = "lm_head";          // the logits
  std::vector<std::string> head_biases;  // whole names, any of which may have the bias of the logits
};

}  // namespace headlight
