// What the machine could do at best, measured by itself: the yardsticks of the benchmark.
#pragma once

namespace headlight_bench {

// Multiply-adds that do nothing else, on all threads at once, with the instructions that the engine uses.
// 10^9 operations a second, two for each multiply-add.
double peak_gflops();

// Copying 256 MB from one place to another, on all threads at once: bytes read and written, 10^9 a second.
double copy_gb_per_s();

}  // namespace headlight_bench
