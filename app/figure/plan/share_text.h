// The text of a share of attention or a probability: per cent, everywhere a share is shown for reading.
#pragma once

#include <string>

namespace headlight {

// "58 %", with one decimal near both ends, so that a share is never written as none or all of it: "0.4 %",
// "99.7 %", "< 0.1 %", "> 99.9 %". Exactly none and all are "0 %" and "100 %". `decimals`: of the other
// shares, "55.2 %" with 1. Shares below zero and above one, which some normalisations give, are written out.
std::string share_text(double share, int decimals = 0);
// share_text() without the sign, for columns whose head says per cent: "58", "< 0.1", "0".
std::string share_digits(double share, int decimals = 0);

}  // namespace headlight
