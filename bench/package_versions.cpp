#include "bench/package_versions.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "bench/run.h"
#include "system/error.h"
#include "system/text.h"
#include "system/write_file.h"

namespace heed::bench {
namespace {

namespace fs = std::filesystem;

// {name, version} of "name==version"; nothing if it is something else.
std::vector<std::string> parts_of(const std::string& pin) {
  const size_t at = pin.find("==");
  if (at == 0 || at == std::string::npos || at + 2 == pin.size()) return {};
  if (pin.find_first_of(" \t;<>!~,") != std::string::npos || pin.find('=', at + 2) != std::string::npos) return {};
  return {pin.substr(0, at), pin.substr(at + 2)};
}

std::string without_comment(std::string line) {
  line.erase(std::min(line.find('#'), line.size()));
  line.erase(line.find_last_not_of(" \t\r") + 1);
  return line;
}

// Asks for a package with these versions; what came, or the reason why nothing did.
struct Answer {
  Versions versions = {};
  std::string problem = {};
};

Answer ask(Worker& installer, const std::string& package, const Versions& pins) {
  std::string request = "install " + package;
  for (const auto& [name, version] : pins) request.append(" ").append(name).append("==").append(version);
  const std::string text = installer.ask(request);
  if (text.starts_with("no ")) return {.problem = text.substr(3)};
  Answer answer;
  for (const std::string& pin : split(text.starts_with("ok ") ? text.substr(3) : "", ' ')) {
    const std::vector<std::string> parts = parts_of(pin);
    if (!parts.empty()) answer.versions[parts[0]] = parts[1];
  }
  if (!answer.versions.contains(package))
    answer.problem = "the installer answered \"" + text + "\"; no version is in it";
  return answer;
}

// Starts an installer for each package, so that one that dies takes no other along.
Answer install(const Settings& settings, const std::string& script, const std::string& package, const Versions& pins) {
  const Transient line("installing " + package + " ...");
  try {
    if (!fs::exists(script)) throw WorkerError(script + " is not there");
    Worker installer("the installer", {settings.peer, script});
    return ask(installer, package, pins);
  } catch (const WorkerError& error) {
    return {.problem = error.what()};
  }
}

}  // namespace

Versions read_versions(const std::string& path) {
  Versions versions;
  std::ifstream file(path);
  long number = 0;
  for (std::string line; std::getline(file, line);) {
    number++;
    const std::string pin = without_comment(line);
    if (pin.empty()) continue;
    const std::vector<std::string> parts = parts_of(pin);
    HEED_CHECK(!parts.empty(), "packages", path, ":", number, ": \"", pin,
               "\" is not name==version. Delete the line, and the next run writes it anew");
    versions[parts[0]] = parts[1];
  }
  return versions;
}

std::string versions_text(const Versions& versions) {
  std::string text =
      "# What `build/bench packages` compares heed with, and what these packages need. Written by its first run; "
      "later\n"
      "# runs install exactly these. Without a line, a package is installed as it is that day, and its line is "
      "added.\n";
  for (const auto& [name, version] : versions) text.append(name).append("==").append(version).append("\n");
  return text;
}

std::string Installed::text() const {
  std::string text;
  for (const auto& [name, version] : versions) text.append("; ").append(name).append(" ").append(version);
  return text;
}

Installed install_packages(const Settings& settings, const std::vector<std::string>& packages) {
  if (settings.peer.empty() || !is_python(settings.peer)) return {};
  const fs::path folder = fs::path(peer_script(settings)).parent_path();
  const std::string file = (folder / "packages.txt").string();
  const Versions before = read_versions(file);
  Versions pins = before;
  Installed installed;
  for (const std::string& package : packages) {
    if (package.empty() || installed.versions.contains(package) || installed.problems.contains(package)) continue;
    const Answer answer = install(settings, (folder / "peer_install.py").string(), package, pins);
    if (!answer.problem.empty()) {
      installed.problems[package] = answer.problem;
      continue;
    }
    installed.versions[package] = answer.versions.at(package);
    pins.insert(answer.versions.begin(), answer.versions.end());
  }
  if (pins != before) write_report(file, versions_text(pins));
  return installed;
}

}  // namespace heed::bench
