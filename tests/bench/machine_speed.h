// The machine's measured peak speeds, to which the benchmark compares its times.
#pragma once

namespace headlight_bench {

// The rate of multiply-adds alone, on all threads, with the engine's instruction set: 10^9 operations a
// second, where a multiply-add counts as two.
double peak_gflops();

// The rate of copying 256 MB on all threads: bytes read and written, 10^9 a second.
double copy_gb_per_s();

}  // namespace headlight_bench
