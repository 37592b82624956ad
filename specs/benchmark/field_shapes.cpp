#include "specs/benchmark/field_shapes.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace tandem::specs {
namespace {

constexpr std::string_view hexadecimal = "0123456789abcdefABCDEF";
constexpr std::string_view digits = "0123456789";

bool only(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

bool is_statistic(std::string_view name) {
  constexpr std::array<std::string_view, 4> known = {"mean", "stdev", "MAD", "cv"};
  if (std::find(known.begin(), known.end(), name) != known.end()) return true;
  if (!name.starts_with("p")) return false;
  name.remove_prefix(1);
  const std::size_t dot = std::min(name.find('.'), name.size());
  const std::string_view whole = name.substr(0, dot);
  const std::string_view part = name.substr(std::min(dot + 1, name.size()));
  if (whole.empty() || whole.size() > 3 || !only(whole, digits) || !only(part, digits)) return false;
  if (dot < name.size() && (part.empty() || part.size() > 6)) return false;
  const int value = std::stoi(std::string(whole));
  return value < 100 || (value == 100 && only(part, "0"));
}

bool is_digest(std::string_view text, std::size_t length) {
  return text.empty() || (text.size() == length && only(text, hexadecimal));
}

bool is_cpu_mask(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  return !text.empty() && text.size() <= 256 && only(text, hexadecimal) && !only(text, "0");
}

bool is_cpu_range(std::string_view text) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto is_number = [](std::string_view number) {
    return !number.empty() && number.size() <= 5 && only(number, digits);
  };
  return is_number(text.substr(0, dash)) && (dash == text.size() || is_number(text.substr(dash + 1)));
}

bool is_cpu_list(std::string_view text) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (!is_cpu_range(text.substr(begin, end - begin))) return false;
    begin = end + 1;
  }
  return true;
}

bool is_variable(std::string_view name) {
  return !name.empty() && name.find_first_of(std::string_view("=\0", 2)) == std::string_view::npos;
}

bool is_parameter_name(std::string_view name) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  return !name.empty() && letters.find(name.front()) != std::string_view::npos &&
         only(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
}

bool is_command_flag(std::string_view name) {
  name.remove_prefix(std::min({name.find_first_not_of('-'), name.size(), std::size_t{2}}));
  return !name.empty() && name.front() != '-' &&
         only(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-");
}

bool is_flag_word(std::string_view text) {
  return text == "true" || text == "false" || text == "True" || text == "False";
}

}  // namespace

const TextRule statistic_rule = {
    R"(^(mean|stdev|MAD|cv|p([0-9]{1,2}|0[0-9]{2})(\.[0-9]{1,6})?|p100(\.0{1,6})?)$)", is_statistic,
    R"("mean", "stdev", "MAD", "cv" or a percentile such as "p50" or "p99.9")"};
const TextRule md5_rule = {"^([0-9a-fA-F]{32}|directory)?$",
                           [](std::string_view text) { return text == "directory" || is_digest(text, 32); },
                           "32 hexadecimal digits"};
const TextRule sha256_rule = {"^([0-9a-fA-F]{64})?$",
                              [](std::string_view text) { return is_digest(text, 64); },
                              "64 hexadecimal digits"};
const TextRule cpu_mask_rule = {"^(0[xX])?(?=[0-9a-fA-F]{1,256}$)0*[1-9a-fA-F][0-9a-fA-F]*$", is_cpu_mask,
                                "a mask of processors in hexadecimal digits such as \"0f\""};
const TextRule cpu_list_rule = {"^[0-9]{1,5}(-[0-9]{1,5})?(,[0-9]{1,5}(-[0-9]{1,5})?)*$", is_cpu_list,
                                "a number or a list of processors such as \"0-3,8\""};
const TextRule environment_rule = {R"(^[^=\x00]+$)", is_variable,
                                   "is not a name of an environment variable; write a name without \"=\""};
const TextRule parameter_name_rule = {
    "^[A-Za-z_][A-Za-z0-9_]*$", is_parameter_name,
    "is not a name of a parameter; write letters, digits and _, not beginning with a digit"};
const TextRule command_flag_rule = {"^-{0,2}[A-Za-z0-9_][A-Za-z0-9_-]*$", is_command_flag,
                                    "is not a name of a flag; write it as on the command line"};
const TextRule flag_word_rule = {"^([tT]rue|[fF]alse)$", is_flag_word, "true or false"};

}  // namespace tandem::specs
