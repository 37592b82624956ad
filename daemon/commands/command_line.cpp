#include "daemon/commands/command_line.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "specs/error.hpp"

namespace tandem::daemon::commands {
namespace {

std::shared_ptr<CompareOptions> add_compare(CLI::App& app) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand("compare", "Two executables, no spec: a verdict in seconds");
  command->add_option("CONTROL", options->control, "The executable to compare with")->required();
  command->add_option("TREATMENT", options->treatment, "The executable that may be slower")->required();
  command->add_option("ARGUMENTS", options->arguments, "After --: arguments for both");
  command->add_option("--margin", options->margin, "The change worth knowing, as a share (0.01 is 1 %)")
      ->check(CLI::Range(0.0001, 1.0))
      ->capture_default_str();
  command
      ->add_option("--max_launches,--max-launches", options->max_launches, "Launches per benchmark, at most")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of all coins; drawn by chance if not given");
  command->add_option("--timeout", options->timeout_seconds, "Seconds that one launch may take")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command->add_option("--filter", options->filter, "Only benchmarks whose name contains this");
  command->add_flag("--measure_identical,--measure-identical", options->measure_identical,
                    "Run even if the two are the same, byte for byte");
  command->add_flag_callback(
      "--json", [options] { options->format = Format::json; }, "Print JSON");
  return options;
}

}  // namespace

Request read_command_line(int argc, const char* const* argv) {
  CLI::App app("Tandem says which commit made a framework slower, and otherwise says nothing.", "tandem");
  app.require_subcommand(1);
  app.set_version_flag("--version", "tandem " TANDEM_VERSION);
  const auto compare = add_compare(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return Message{app.help()};
  } catch (const CLI::CallForVersion&) {
    return Message{app.version() + "\n"};
  } catch (const CLI::ParseError& error) {
    throw InputError(std::string(error.what()) +
                     "; tandem --help and tandem COMMAND --help list what is allowed");
  }
  return *compare;
}

}  // namespace tandem::daemon::commands
