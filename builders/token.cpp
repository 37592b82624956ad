#include "builders/token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "specs/foundation/error.hpp"

namespace tandem::builders {

std::string read_token(const std::filesystem::path& file) {
  constexpr std::streamsize longest = 4096;
  std::string text(longest, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(text.data(), longest);
  text.resize(static_cast<std::size_t>(stream.gcount()));
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  const bool sound = std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= ' '; });
  if (text.empty() || !sound) {
    throw InputError(
        fmt::format("the token file '{}' must hold one line, `user:password` or a token", file.string()));
  }
  return text;
}

std::string decoded(std::string_view user_information) {
  std::string plain;
  for (std::size_t i = 0; i < user_information.size(); ++i) {
    const std::string code(user_information.substr(i + 1, 2));
    if (user_information[i] == '%' && code.size() == 2 &&
        code.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos) {
      plain += static_cast<char>(std::stoi(code, nullptr, 16));
      i += 2;
    } else {
      plain += user_information[i];
    }
  }
  std::erase_if(plain, [](unsigned char c) { return c < ' '; });
  return plain;
}

}  // namespace tandem::builders
