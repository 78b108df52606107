// The softmax of one row of scores, for a layer of a session and for the layers of a model.

// exp(x - subtracted) of each number and their sum, both in float32, so that both overflow where the engine's do.
export function exponentials(row, subtracted) {
  const powers = row.map((score) => Math.exp(score - subtracted));
  return { powers, sum: Math.fround(powers.reduce((sum, power) => sum + power, 0)) };
}

// softmax: exp(s - max) / sum; the maximum is subtracted because exp overflows above 88. A sink is one more logit, whose weight is dropped
// (Xiao et al. 2023, arXiv 2309.17453). A row in which nothing is allowed gives zeros.
export function softmaxRow(row, sink) {
  const largest = row.reduce((most, score) => Math.max(most, score), sink ?? -Infinity);
  if (largest === -Infinity) return row.fill(0);
  const { powers, sum } = exponentials(row, largest);
  const all = sink === undefined ? sum : Math.fround(sum + Math.fround(Math.exp(sink - largest)));
  return powers.map((power) => power / all);
}
