// How much memory the machine has.
#pragma once

namespace headlight {

// In bytes. Where the environment has HEADLIGHT_TEST_MEMORY, that many: so a test sees what a smaller machine
// would do.
double machine_memory();

}  // namespace headlight
