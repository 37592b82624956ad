// Prints what oneDNN's benchdnn prints with --mode=P, for two problems of known work: in the default form, or
// with any --perf-template=… as the line says.
#include <chrono>
#include <cstdio>
#include <string>

#include "work.hpp"

namespace {

double milliseconds(std::uint64_t units) {
  static std::uint64_t value = 1;
  const auto begin = std::chrono::steady_clock::now();
  value = work(units, value | 1);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

std::string filled(std::string text, const std::string& problem, double time) {
  const auto replace = [&](const std::string& field, const std::string& value) {
    for (std::size_t at = 0; (at = text.find(field)) != std::string::npos;)
      text.replace(at, field.size(), value);
  };
  replace("%engine%", "cpu");
  replace("%impl%", "jit:avx2");
  replace("%name%", "\"net:ip1\"");
  replace("%prb%", problem);
  replace("%Gops%", "0.458752");
  replace("%+ctime%", "0.12");
  for (const char* field : {"%-time%", "%0time%", "%time%"}) replace(field, std::to_string(time));
  for (const char* field : {"%-Gflops%", "%0Gflops%"}) replace(field, std::to_string(0.458752e3 / time));
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  std::string form = "perf,%engine%,%impl%,%name%,%prb%,%Gops%,%+ctime%,%-time%,%-Gflops%,%0time%,%0Gflops%";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--perf-template=", 0) == 0) form = word.substr(16);
  }
  std::printf("Output template: %s\n", form.c_str());
  std::printf("%s\n", filled(form, "--dt=f32 mb1ic64oc64n\"net:ip1\"", milliseconds(400'000)).c_str());
  std::printf(
      "%s\n",
      filled(form, "--dt=s8:s8:f32 --attr-post-ops=sum:0.5,relu mb2ic64oc64", milliseconds(800'000)).c_str());
  std::puts("tests:2 passed:2 skipped:0 mistrusted:0 unimplemented:0 invalid_arguments:0 failed:0");
}
