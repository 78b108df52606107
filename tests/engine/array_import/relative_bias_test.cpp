#include "engine/array_import/relative_bias.h"

#include "tests/support/catch.h"

using namespace headlight;

TEST_CASE("relative bias: near distances have buckets of their own, far ones share one") {
  const RelativeBuckets both{true, 128}, past{false, 128};
  // T5 encoder, 32 buckets: 8 single distances and 8 ranges in each direction.
  CHECK(relative_bucket(0, 32, both) == 0);
  CHECK(relative_bucket(-7, 32, both) == 7);
  CHECK(relative_bucket(7, 32, both) == 23);
  CHECK(relative_bucket(-8, 32, both) == 8);
  CHECK(relative_bucket(-11, 32, both) == 8);
  CHECK(relative_bucket(-12, 32, both) == 9);
  CHECK(relative_bucket(-127, 32, both) == 15);
  CHECK(relative_bucket(-5000, 32, both) == 15);
  CHECK(relative_bucket(5000, 32, both) == 31);
  // T5 decoder: 16 single distances and 16 ranges into the past; later keys share bucket 0.
  CHECK(relative_bucket(3, 32, past) == 0);
  CHECK(relative_bucket(-15, 32, past) == 15);
  CHECK(relative_bucket(-16, 32, past) == 16);
  CHECK(relative_bucket(-5000, 32, past) == 31);
}

TEST_CASE("relative bias: buckets grow with the distance, up to the last one, however many there are") {
  for (const bool both_ways : {false, true})
    for (const Index count : {2, 3, 4, 7, 8, 32})
      for (const Index most : {1, 2, 16, 128}) {
        const RelativeBuckets buckets{both_ways, most};
        Index last = 0;
        for (Index far = 0; far < 300; ++far) {
          const Index bucket = relative_bucket(-far, count, buckets);
          INFO(count << " buckets, " << far << " of " << most << (both_ways ? ", both ways" : ""));
          CHECK(bucket >= last);
          CHECK(bucket < (both_ways ? count / 2 : count));
          CHECK(relative_bucket(far, count, buckets) < count);
          last = bucket;
        }
      }
}

TEST_CASE("relative bias: a number of the table for each pair and head") {
  Matrix table(4, 2);
  table << 0, 10, 1, 11, 2, 12, 3, 13;
  const PairArray bias = relative_bias(table, 2, 3, {true, 8});
  REQUIRE(bias.heads == 2);
  REQUIRE(bias.sequences == 1);
  Matrix first(2, 3);
  first << 0, 3, 3, 1, 0, 3;
  CHECK(bias.of(0, 1) == (first.array() + 10).matrix());
}
