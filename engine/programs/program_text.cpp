#include "engine/programs/program_text.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/float_text.h"
#include "engine/model/dropout_mean.h"
#include "engine/model/reshape.h"

namespace headlight {
namespace {

std::string literal(float value) {
  std::string text;
  append_float(text, value);
  return text;
}

bool is_control(char letter) {
  return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f;
}

// A literal of Python. It does not run with a NUL in it, and takes a carriage return for the end of a line.
std::string quoted(const std::string& text) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result += std::string("\\") + c;
    else if (c == '\n')
      result += "\\n";
    else if (is_control(c))
      result += std::string("\\x") + kDigits[c >> 4] + kDigits[c & 15];
    else
      result += c;
  }
  return result + '"';
}

// The first line of a title, as a comment.
std::string comment(const std::string& title) {
  std::string line = title.substr(0, title.find('\n'));
  std::replace_if(line.begin(), line.end(), is_control, ' ');
  return "# " + line;
}

std::string number(Index value) {
  return std::to_string(value);
}

class Program {
 public:
  Program(const Model& model, ProgramKind kind)
      : model_(model),
        torch_(kind == ProgramKind::PyTorch),
        plain_(model.sequence_count() == 1 && model.head_count() == 1) {}

  std::string text(const std::string& title, const ProgramRequest& request) {
    begin(title);
    if (request.stage != Stage::Embeddings) {
      if (is_given()) add_given(request.stage);
      if (model_.attention.projection == Projection::Linear || needs_output(request.stage)) add_weights();
      add_stages(request.stage);
    }
    line("");
    line("print(" + variable(request.stage) + selection(request) + ")");
    return text_;
  }

 private:
  void line(const std::string& text) { text_ += text + '\n'; }
  std::string np(const char* name) const { return (torch_ ? "torch." : "np.") + std::string(name); }

  std::string zero() const { return torch_ ? "torch.zeros(())" : "np.float32(0)"; }

  void begin(const std::string& title) {
    if (!title.empty()) line(comment(title));
    line(torch_ ? "import torch" : "import numpy as np");
    line(torch_ ? "torch.set_printoptions(precision=4, sci_mode=False, threshold=10**6, linewidth=160)"
                : "np.set_printoptions(precision=4, suppress=True, floatmode=\"fixed\", threshold=10**6, "
                  "linewidth=160)");
    if (torch_) line("torch.set_grad_enabled(False)");
    line("");
    std::string tokens;
    for (const std::string& token : model_.tokens)
      tokens += (tokens.empty() ? "" : ", ") + quoted(token);
    line("tokens = [" + tokens + "]");
    array("x", pointers(model_.embeddings), plain_ ? 0 : 1);
    if (!plain_)
      line("B, T, H, d_k = " + number(model_.sequence_count()) + ", " + number(model_.token_count()) + ", " +
           number(model_.head_count()) + ", " + number(model_.d_k()));
  }

  static std::vector<const Matrix*> pointers(const std::vector<Matrix>& matrices) {
    std::vector<const Matrix*> result;
    result.reserve(matrices.size());
    for (const Matrix& matrix : matrices)
      result.push_back(&matrix);
    return result;
  }

  // name = an array of the matrices, below so many dimensions of its own.
  void array(const std::string& name, const std::vector<const Matrix*>& matrices, int dimensions) {
    const std::string head = name + " = " + (torch_ ? "torch.tensor(" : "np.array(");
    std::string text = head;
    const std::string indent(head.size() + static_cast<std::size_t>(dimensions) + 1, ' ');
    text.append(static_cast<std::size_t>(dimensions), '[');
    for (std::size_t i = 0; i < matrices.size(); ++i)
      text += (i > 0 ? ",\n" + indent.substr(1) : "") + rows(*matrices[i], indent);
    text.append(static_cast<std::size_t>(dimensions), ']');
    line(text + (torch_ ? ")" : ", dtype=np.float32)"));
  }

  std::string rows(const Matrix& matrix, const std::string& indent) {
    literals_ += matrix.size();
    if (literals_ > kMostLiterals)
      throw Error("more than " + number(kMostLiterals) + " numbers would have to be written out", "program",
                  "save the arrays as .npz and load them with numpy.load");
    std::string text = "[";
    for (Index r = 0; r < matrix.rows(); ++r) {
      text += r > 0 ? ",\n" + indent + "[" : "[";
      for (Index c = 0; c < matrix.cols(); ++c)
        text += (c > 0 ? ", " : "") + literal(matrix(r, c));
      text += "]";
    }
    return text + "]";
  }

  bool needs_output(Stage stage) const {
    return stage == Stage::Output && model_.attention.output_projection;
  }
  bool drawn() const { return torch_ && model_.weights.recipe && !model_.weights.edited; }
  static std::string weight_name(Parameter p) {
    return p == Parameter::Output ? "W_out" : "W_" + std::string(parameter_name(p));
  }
  static std::string bias_name(Parameter p) {
    return p == Parameter::Output ? "b_out" : "b_" + std::string(parameter_name(p));
  }
  bool is_layer() const { return drawn() && model_.weights.recipe->init == InitKind::Linear; }
  bool adds_bias(Parameter p) const {
    return model_.uses_bias(p) && !is_layer() && !model_.weights.bias(p).isZero(0);
  }

  void add_weights() {
    line("");
    if (drawn()) {
      draws_weights_ = true;
      line("torch.manual_seed(" + std::to_string(model_.weights.recipe->seed) + ")");
      for (const Parameter p : model_.weights.recipe->order)
        if (model_.uses(p)) draw(p);
    } else {
      for (const Parameter p : kParameters)
        if (model_.uses(p)) array(weight_name(p), {&model_.weights.matrix(p)}, 0);
    }
    for (const Parameter p : kParameters)
      if (adds_bias(p)) array(bias_name(p), {&model_.weights.bias(p)}, 0);
  }

  bool is_given() const { return model_.attention.projection == Projection::Given; }
  static std::string given_name(Parameter p) { return std::string(1, *parameter_name(p)); }  // q, k, v

  void add_given(Stage last) {
    for (std::size_t p = 0; p < model_.given.size() && projected_stage(kParameters[p]) <= last; ++p)
      array(given_name(kParameters[p]), pointers(model_.given[p]), plain_ ? 0 : 1);
  }

  void draw(Parameter p) {
    const Index in = p == Parameter::Output ? model_.d_out() : model_.d_in();
    const std::string shape = number(in) + ", " + number(model_.d_out());
    line(weight_name(p) + " = " +
         (is_layer() ? "torch.nn.Linear(" + shape + (model_.uses_bias(p) ? "" : ", bias=False") + ")"
                     : "torch.rand(" + shape + ")"));
  }

  std::string projected(const std::string& x, Parameter p) const {
    if (is_given() && p != Parameter::Output) return given_name(p);
    if (!model_.uses(p)) return x;
    if (is_layer()) return weight_name(p) + "(" + x + ")";
    std::string product = x + " @ " + weight_name(p);
    if (model_.weights.layout == WeightLayout::OutIn) product += ".T";
    if (adds_bias(p)) product += " + " + bias_name(p);
    return product;
  }

  std::string in_heads(const std::string& x) const {
    if (plain_) return x;
    const bool name = x.find(' ') == std::string::npos;
    const std::string whole = name ? x : "(" + x + ")";
    return torch_ ? whole + ".view(B, T, H, d_k).transpose(1, 2)"
                  : whole + ".reshape(B, T, H, d_k).transpose(0, 2, 1, 3)";
  }

  // The stages in the order of their computation, up to `last`.
  void add_stages(Stage last) {
    line("");
    const auto reaches = [&](Stage stage) { return last >= stage; };
    line("queries = " + in_heads(projected("x", Parameter::Query)));
    if (reaches(Stage::Keys)) line("keys = " + in_heads(projected("x", Parameter::Key)));
    if (reaches(Stage::Values)) line("values = " + in_heads(projected("x", Parameter::Value)));
    if (reaches(Stage::Scores))
      line(torch_ ? "scores = queries @ keys.transpose(-2, -1)" : "scores = queries @ keys.swapaxes(-2, -1)");
    if (reaches(Stage::Scaled)) line("scaled = scores" + scale());
    if (reaches(Stage::Masked)) add_mask();
    if (reaches(Stage::Weights)) add_weighting();
    if (reaches(Stage::Dropped)) add_dropout();
    if (reaches(Stage::Context)) line("context = dropped @ values");
    if (reaches(Stage::Concat)) add_concat();
    if (reaches(Stage::Output)) line("output = " + projected("concat", Parameter::Output));
  }

  std::string scale() const {
    switch (model_.attention.scale.kind) {
      case ScaleKind::InverseSqrtDk:
        return " / " + number(model_.d_k()) + " ** 0.5";
      case ScaleKind::Number:
        return " * " + literal(model_.scale_factor());
      case ScaleKind::None:
        break;
    }
    return "";
  }

  void add_mask() {
    const MaskKind mask = model_.attention.mask;
    if (mask == MaskKind::None) return line("masked = scaled");
    const std::string tokens = number(model_.token_count());
    if (mask == MaskKind::Causal) {
      line(torch_ ? "allowed = torch.ones(" + tokens + ", " + tokens + ").tril().bool()"
                  : "allowed = np.tri(" + tokens + ", dtype=bool)");
    } else {
      array("allowed", {&model_.custom_mask}, 0);
      line(torch_ ? "allowed = allowed.bool()" : "allowed = allowed.astype(bool)");
    }
    line(torch_ ? "masked = scaled.masked_fill(~allowed, -torch.inf)"
                : "masked = np.where(allowed, scaled, np.float32(-np.inf))");
  }

  // A row that may look at nothing gets weights of zero.
  bool has_blind_row() const {
    const Matrix& mask = model_.custom_mask;
    return model_.attention.mask == MaskKind::Custom &&
           (mask.array() != 0.0f).rowwise().count().minCoeff() == 0;
  }

  void add_weighting() {
    const std::string sum = torch_ ? ".sum(dim=-1, keepdim=True)" : ".sum(axis=-1, keepdims=True)";
    switch (model_.attention.normalization) {
      case Normalization::Softmax:
        if (torch_) {
          line("weights = torch.softmax(masked, dim=-1)");
        } else {
          line("exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))");
          line("weights = exponentials / exponentials" + sum);
        }
        break;
      case Normalization::NaiveSoftmax:
        line("exponentials = " + np("exp") + "(masked)");
        line("weights = exponentials / exponentials" + sum);
        break;
      case Normalization::Sum:
        line(model_.attention.mask == MaskKind::None
                 ? std::string("open = masked")
                 : "open = " + np("where") + "(allowed, masked, " + zero() + ")");
        line("weights = open / open" + sum);
        break;
    }
    if (has_blind_row())
      line("weights = " + np("where") + "(allowed." +
           (torch_ ? "any(dim=-1, keepdim=True)" : "any(axis=-1, keepdims=True)") + ", weights, " + zero() +
           ")");
  }

  void add_dropout() {
    const Dropout& dropout = model_.attention.dropout;
    if (!dropout.active()) return line("dropped = weights");
    if (!torch_) {
      const std::vector<Matrix> noise = dropout_noise(model_, 0);
      array("noise", pointers(noise), plain_ ? 0 : 1);
      if (!plain_) line("noise = noise.reshape(B, H, T, T)");
      return line("dropped = weights * noise");
    }
    if (dropout.seed) {
      line("torch.manual_seed(" + std::to_string(*dropout.seed) + ")");
    } else if (!draws_weights_) {
      line("torch.manual_seed(" + std::to_string(model_.weights.recipe ? model_.weights.recipe->seed : 0) +
           ")");
      if (const std::uint64_t count = drawn_value_count(model_); count > 0)
        line("torch.rand(" + std::to_string(count) +
             ")  # dropout goes on after the weights as they were drawn");
    }
    char probability[64];
    *std::to_chars(probability, probability + 63, dropout.probability).ptr = '\0';
    line("dropped = torch.nn.functional.dropout(weights, " + std::string(probability) + ")");
  }

  void add_concat() {
    const std::vector<Index>& off = model_.attention.disabled_heads;
    std::string from = "context";
    if (!off.empty()) {
      std::string heads;
      for (const Index head : off)
        heads += (heads.empty() ? "" : ", ") + number(head);
      from = "kept";
      line(torch_ ? "kept = context.clone()" : "kept = context.copy()");
      line(plain_ ? "kept[:] = 0" : "kept[:, [" + heads + "]] = 0  # heads that are switched off");
    }
    if (plain_) return line("concat = " + from);
    line("concat = " + from + (torch_ ? ".transpose(1, 2)" : ".transpose(0, 2, 1, 3)") +
         ".reshape(B, T, H * d_k)");
  }

  static std::string variable(Stage stage) {
    return stage == Stage::Embeddings ? "x" : std::string(stage_info(stage).name);
  }

  std::string selection(const ProgramRequest& request) const {
    if (plain_) return "";
    std::string places = number(request.sequence);
    if (stage_info(request.stage).per_head && request.head) places += ", " + number(*request.head);
    return "[" + places + "]";
  }

  const Model& model_;
  bool torch_;
  bool plain_;  // one sequence, one head: matrices, without dimensions for them
  bool draws_weights_ = false;
  Index literals_ = 0;
  std::string text_;
};

}  // namespace

std::string program_text(const Model& model, const std::string& title, const ProgramRequest& request,
                         ProgramKind kind) {
  const Index heads = stage_heads(model, request.stage);
  if (request.sequence < 0 || request.sequence >= model.sequence_count() ||
      (request.head && (*request.head < 0 || *request.head >= heads)))
    throw Error("there is no such sequence or head", std::string(stage_info(request.stage).name),
                "there are " + number(model.sequence_count()) + " sequences and " + number(heads) +
                    " heads, counted from 0");
  return Program(model, kind).text(title, request);
}

}  // namespace headlight
