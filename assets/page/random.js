// The random streams of PyTorch on the CPU that drawn weights and dropout need, bit for bit. A slow twin of
// engine/core/torch_stream.cpp, tested against the same numbers of PyTorch (tests/page/layer_test.mjs).

const RANDOM_WORDS = 624; // the state of MT19937
const RANDOM_FORWARD = 397;
const MKL_MODULUS = 2 ** 31 - 1,
  MKL_FACTOR = 1132489760;
const TWO_TO_24 = 2 ** 24,
  TWO_TO_32 = 2 ** 32,
  TWO_TO_53 = 2 ** 53;

// MT19937 of Matsumoto and Nishimura 1998, seeded as torch.manual_seed does: of the seed only the low 32 bits matter. `seed` is a whole
// number, or its digits as text where it is beyond 2^53.
export class TorchStream {
  constructor(seed) {
    this.state = new Uint32Array(RANDOM_WORDS);
    this.at = RANDOM_WORDS;
    this.state[0] = Number(BigInt.asUintN(32, BigInt(seed)));
    for (let i = 1; i < RANDOM_WORDS; i++) {
      const before = this.state[i - 1] ^ (this.state[i - 1] >>> 30);
      this.state[i] = Math.imul(1812433253, before) + i;
    }
  }

  refill() {
    const state = this.state;
    for (let i = 0; i < RANDOM_WORDS; i++) {
      const both = (state[i] & 0x80000000) | (state[(i + 1) % RANDOM_WORDS] & 0x7fffffff);
      state[i] = state[(i + RANDOM_FORWARD) % RANDOM_WORDS] ^ (both >>> 1) ^ (both & 1 ? 0x9908b0df : 0);
    }
    this.at = 0;
  }

  nextWord() {
    if (this.at === RANDOM_WORDS) this.refill();
    let word = this.state[this.at++];
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  skip(count) {
    for (let i = 0; i < count; i++) this.nextWord();
  }

  // torch.rand in float32: 24 bits, in [0, 1).
  rand() {
    return (this.nextWord() & 0xffffff) / TWO_TO_24;
  }

  // Tensor.uniform_(-bound, bound): fma(u, width, low), rounded to float32 once, as in PyTorch's AVX2 build. `width` is twice `bound`, so
  // that product and sum have at most 50 bits: the arithmetic of doubles is exact, and fround is the only rounding.
  uniform(bound) {
    const low = Math.fround(-bound),
      width = Math.fround(Math.fround(bound) - low);
    return Math.fround(this.rand() * width + low);
  }

  // 53 bits of two words, the first of which is the high one, as a fraction in [0, 1): what Dropout compares.
  nextFraction() {
    const high = this.nextWord() & 0x1fffff;
    return (high * TWO_TO_32 + this.nextWord()) / TWO_TO_53;
  }
}

// The bound of the default weight of nn.Linear: kaiming_uniform_(a = sqrt(5)) with PyTorch's order of operations, because sqrt(5) * sqrt(5)
// is not 5 in doubles.
export function linearWeightBound(inputs) {
  const gain = Math.sqrt(2 / (1 + Math.sqrt(5) * Math.sqrt(5)));
  return Math.sqrt(3) * (gain / Math.sqrt(inputs));
}

// The bound of the default bias of nn.Linear.
export function linearBiasBound(inputs) {
  return 1 / Math.sqrt(inputs);
}

// The generator of dropout in PyTorch's wheels with MKL on Intel processors: MCG31m1 of L'Ecuyer 1999, x -> 1132489760 x mod (2^31 - 1).
// Each call of Dropout seeds it with one word of torch's stream.
class MklStream {
  constructor(seed) {
    this.state = Math.max(seed % MKL_MODULUS, 1);
  }

  nextFraction() {
    const fraction = this.state / MKL_MODULUS;
    // In two steps: the product has 61 bits, a double 53.
    const high = (MKL_FACTOR * Math.floor(this.state / 65536)) % MKL_MODULUS;
    this.state = (high * 65536 + MKL_FACTOR * (this.state % 65536)) % MKL_MODULUS;
    return fraction;
  }
}

// The multipliers of Dropout(probability) in training, in index order: 0 or 1/(1-p) as float32. A probability of 0 gives ones and 1 zeros;
// neither draws. build: "default", or "mkl".
export function drawDropoutNoise(stream, probability, count, build) {
  const noise = new Float32Array(count);
  if (probability <= 0) noise.fill(1);
  if (probability <= 0 || probability >= 1) return noise;
  const fractions = build === "mkl" ? new MklStream(stream.nextWord()) : stream;
  const keep = 1 - probability,
    kept = Math.fround(1 / Math.fround(keep));
  for (let i = 0; i < count; i++) noise[i] = fractions.nextFraction() < keep ? kept : 0;
  return noise;
}
