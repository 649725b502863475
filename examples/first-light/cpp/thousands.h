// 1234567 as 1,234,567.
#ifndef FIRST_LIGHT_THOUSANDS_H_
#define FIRST_LIGHT_THOUSANDS_H_

#include <cstdint>
#include <string>

namespace first_light {

inline std::string thousands(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

}  // namespace first_light

#endif  // FIRST_LIGHT_THOUSANDS_H_
