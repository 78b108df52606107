#include "app/lesson_text/glossary.h"

#include <algorithm>
#include <iterator>

#include "engine/core/ascii.h"

namespace headlight {
namespace {

constexpr GlossaryTerm kTerms[] = {
    {"attention",
     "Each token gathers what it needs from the others: a mean of their values, in which some count more "
     "than "
     "others. How much each counts is computed from the tokens themselves."},
    {"batch", "Several sequences that are computed at once, each for itself, with the same weights."},
    {"bias",
     "A number that is added to each output of a linear layer, whatever the input is. Learned in "
     "training."},
    {"causal mask",
     "A mask that lets each token attend to itself and to those before it only. A model that predicts the "
     "next "
     "token must not see it."},
    {"context vector",
     "What attention gives a token: the sum of all values, each times its weight. It is the token's "
     "embedding, "
     "enriched by what stands around it."},
    {"dimension", "One of the numbers of a vector, and its place in it."},
    {"dot product",
     "The sum of the products of two vectors' numbers, place by place. Large when both are long and point "
     "the "
     "same way, zero at a right angle, negative when they point apart."},
    {"dropout",
     "In training some weights are set to zero at random and the others are made larger in return, so that "
     "the "
     "model does not rely on single ones. In use it is off."},
    {"embedding", "The vector that stands for a token: a list of numbers that training has found for it."},
    {"entropy",
     "How widely a row of weights is spread, in bits: zero when one token has all of it, and the largest "
     "when all "
     "have the same."},
    {"head",
     "One of several attentions that work side by side, each with queries, keys and values of its own. "
     "Their "
     "results stand side by side in the output."},
    {"induction head",
     "A head that looks for what came after the last time the present token occurred, and so goes on with "
     "a "
     "pattern that was seen before."},
    {"key", "The vector by which a token is found: queries are compared with it."},
    {"linear layer", "Every output is a weighted sum of all inputs, and a bias where there is one: x W + b."},
    {"logit", "A number before softmax makes shares of all of them."},
    {"mask",
     "Which pairs of query and key are allowed. A forbidden one has the score −∞ and so the weight zero."},
    {"matrix", "A table of numbers, with rows and columns."},
    {"mlp",
     "The other half of a layer beside attention: a small network that works on each token by itself."},
    {"output projection", "A last linear layer, which mixes what the heads have found."},
    {"parameter", "A number of the model that training sets: the matrices W and the biases b."},
    {"query", "The vector with which a token asks: it is compared with the key of every token."},
    {"random stream",
     "Random numbers one after the other, as a seed begins them. Whatever is drawn, matrices or dropout, "
     "takes "
     "the next ones."},
    {"residual stream",
     "The row of numbers that each token carries from layer to layer. A layer reads it and adds to it."},
    {"scale", "What scores are multiplied by before softmax: usually one over the square root of d_k."},
    {"score", "The dot product of a query and a key: how well they match, before softmax."},
    {"seed", "The number that a stream of random numbers begins with. The same seed gives the same numbers."},
    {"sequence", "The tokens that are looked at together, in their order."},
    {"softmax",
     "Makes shares of scores: e to the power of each, divided by the sum of them all. Larger scores get "
     "more, "
     "none gets less than nothing, and all of a row make up one."},
    {"token", "A piece of text, a word or a part of one, that a model works with as one unit."},
    {"training",
     "How a model comes to its numbers: it predicts, is compared with what really came, and every number "
     "is moved "
     "a little so that the prediction would have been better. Again and again."},
    {"transpose", "The same table with rows and columns exchanged, written with a raised T."},
    {"value", "The vector that a token hands over to those who attend to it."},
    {"vector", "A list of numbers; in two dimensions an arrow."},
    {"weight",
     "Of attention: the share that a query gives to a key, after softmax. Of a model: a number of its "
     "matrices, "
     "which training sets."}};

// Bytes outside ASCII count as letters, and so does the underscore of names like W_query.
bool is_of_word(char c) {
  return is_letter_byte(c) || c == '_';
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lowered(x) == lowered(y); });
}

FoundTerm term_at(std::string_view text, std::size_t at, std::span<const GlossaryTerm> terms) {
  FoundTerm found;
  for (const GlossaryTerm& term : terms) {
    if (!same_word(text.substr(at, term.name.size()), term.name)) continue;
    std::size_t end = at + term.name.size();
    if (end < text.size() && text[end] == 's') ++end;
    if (end < text.size() && is_of_word(text[end])) continue;
    if (end > found.end) found = {at, end, &term};
  }
  return found;
}

}  // namespace

std::span<const GlossaryTerm> glossary() {
  return kTerms;
}

std::vector<GlossaryTerm> terms_of(const LessonLanguage& language) {
  if (language.is_english()) return {std::begin(kTerms), std::end(kTerms)};
  std::vector<GlossaryTerm> terms;
  for (const auto& [name, meaning] : language.glossary)
    terms.push_back({name, meaning});
  return terms;
}

std::vector<FoundTerm> terms_in(std::string_view text, std::span<const GlossaryTerm> terms) {
  std::vector<FoundTerm> found;
  std::size_t at = 0;
  while (at < text.size()) {
    const bool begins = is_of_word(text[at]) && (at == 0 || !is_of_word(text[at - 1]));
    const FoundTerm term = begins ? term_at(text, at, terms) : FoundTerm{};
    if (term.term) found.push_back(term);
    at = term.term ? term.end : at + 1;
  }
  return found;
}

}  // namespace headlight
