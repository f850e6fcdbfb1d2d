// `bench packages` without PyTorch: the table of rows, the file of versions, and packages that cannot be had. The
// python that installs is a shell script.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "bench/package_versions.h"
#include "bench/packages.h"
#include "nn/mixing/registry.h"
#include "system/json.h"
#include "system/write_file.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"

using namespace heed;
using namespace heed::bench;

BOOST_AUTO_TEST_SUITE(bench_packages_test)

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// What is printed while it lives goes nowhere.
struct Silence {
  int before;
  Silence() : before(::dup(STDOUT_FILENO)) { to(::open("/dev/null", O_WRONLY)); }
  ~Silence() { to(before); }
  static void to(int file) { std::fflush(stdout), ::dup2(file, STDOUT_FILENO), ::close(file); }
};

// A python that is a shell script: it runs `body` whatever script it is given, and notes what it is asked in `asked`.
struct Peer {
  Folder folder;
  Settings settings{.benchmark = "packages", .seconds = 0.01, .threads = 1};
  std::string versions = folder / "packages.txt";

  explicit Peer(const std::string& body) {
    for (const char* script : {"peer.py", "peer_install.py"}) write_file(folder / script, "");
    settings.peer_script = folder / "peer.py";
    write_file(settings.peer = folder / "python", "#!/bin/sh\nwhile read line; do echo \"$line\" >> '" +
                                                      (folder / "asked") + "'; case $line in\n" + body +
                                                      "\n*) echo ok;; esac; done\n");
    std::filesystem::permissions(settings.peer, std::filesystem::perms::owner_all);
  }
  Installed install(const std::vector<std::string>& packages) const {
    const Silence silence;
    return install_packages(settings, packages);
  }
  std::string asked() const { return read_file(folder / "asked"); }
};

const char* const kInstaller =
    "'install near'*) echo ok near==1.2 tools==3;;\n"
    "'install far'*) echo no pip cannot install far: it is too far;;\n"
    "'install worse'*) echo Segmentation fault >&2; exit 3;;";

}  // namespace

BOOST_AUTO_TEST_CASE(every_row_has_a_layer_at_the_peer_and_a_variant_of_ours) {
  const std::string peer = read_file("bench/peer_packages.py");
  for (const PackageRow& row : package_rows()) {
    BOOST_TEST(contains(peer, "\n@layer\ndef " + row.layer + "(s):"), row.layer);
    BOOST_TEST(!row.about.empty(), row.title);
    const auto mixer = make_mixer(row.spec, {.C = 16, .heads = 2, .max_length = 64, .bias = row.bias});
    BOOST_TEST((mixer->can().causal || !row.causal), row.title);
  }
}

BOOST_AUTO_TEST_CASE(a_row_is_two_cases_and_the_bar_is_for_both_directions) {
  const std::vector<PackageRow> rows = {{.title = "near",
                                         .package = "near-attention",
                                         .layer = "near",
                                         .spec = "full",
                                         .bar = 10,
                                         .about = "Near(1)",
                                         .note = "no denominator"}};
  const std::vector<Case> cases = package_cases(rows);
  BOOST_REQUIRE(cases.size() == 2u);
  BOOST_TEST(cases[0].name == "near, fwd");
  BOOST_TEST(cases[0].request == "package near 1 4096 512 8 1 0");
  BOOST_TEST(cases[0].bar.ratio == 0);
  BOOST_TEST(cases[1].name == "near, f+b");
  BOOST_TEST(cases[1].request == "package near 1 4096 512 8 1 1");
  BOOST_TEST(cases[1].bar.ratio == 10);
  BOOST_TEST(cases[1].group == "near-attention: Near(1), causal; ours: full (no denominator)");
  BOOST_TEST(&row_of(cases[1], rows) == &rows[0]);
  BOOST_TEST(error_of([&] { row_of({.group = "", .name = "far"}, rows); }) == "packages: no row has the case \"far\"");
}

BOOST_AUTO_TEST_CASE(versions_are_read_as_they_are_written) {
  const Folder folder;
  const Versions versions = {{"local-attention", "1.11.2"}, {"einops", "0.8.2"}};
  write_file(folder / "packages.txt", versions_text(versions) + "\n  # a remark\nlinformer==0.2.3  # and another\n");
  Versions expected = versions;
  expected["linformer"] = "0.2.3";
  BOOST_TEST((read_versions(folder / "packages.txt") == expected));
  BOOST_TEST(read_versions(folder / "nothing").empty());
  for (const char* line : {"einops>=0.8", "einops", "==1", "einops==", "einops==1,<2", "einops===1"}) {
    write_file(folder / "bad.txt", std::string("torch==2\n") + line + "\n");
    BOOST_TEST(error_of([&] { read_versions(folder / "bad.txt"); }) ==
               "packages: " + (folder / "bad.txt") + ":2: \"" + line +
                   "\" is not name==version. Delete the line, and the next run writes it anew");
  }
}

BOOST_AUTO_TEST_CASE(the_first_run_writes_versions_and_the_next_asks_for_them) {
  const Peer peer(kInstaller);
  const Installed first = peer.install({"", "near", "near"});
  BOOST_TEST(first.text() == "; near 1.2");
  BOOST_TEST((read_versions(peer.versions) == Versions{{"near", "1.2"}, {"tools", "3"}}));
  peer.install({"near"});
  BOOST_TEST(peer.asked() == "install near\ninstall near near==1.2 tools==3\n");
}

BOOST_AUTO_TEST_CASE(what_the_file_says_is_never_changed) {
  const Peer peer(kInstaller);
  write_file(peer.versions, "# mine\ntools==2\n");
  peer.install({"near"});
  BOOST_TEST((read_versions(peer.versions) == Versions{{"near", "1.2"}, {"tools", "2"}}));
  write_file(peer.versions, "# mine\nnear==1.2\ntools==3\n");
  peer.install({"near"});
  BOOST_TEST(read_file(peer.versions) == "# mine\nnear==1.2\ntools==3\n");
}

BOOST_AUTO_TEST_CASE(a_package_that_cannot_be_had_is_a_reason_and_stops_no_other) {
  const Peer peer(kInstaller);
  const Installed installed = peer.install({"far", "worse", "odd", "near"});
  BOOST_TEST((installed.versions == Versions{{"near", "1.2"}}));
  BOOST_TEST(installed.problems.size() == 3u);
  BOOST_TEST(installed.problems.at("far") == "pip cannot install far: it is too far");
  BOOST_TEST(installed.problems.at("worse") == "the installer ended with exit code 3: Segmentation fault");
  BOOST_TEST(installed.problems.at("odd") == "the installer answered \"ok\"; no version is in it");
  std::filesystem::remove(peer.folder / "peer_install.py");
  BOOST_TEST(peer.install({"near"}).problems.at("near") == (peer.folder / "peer_install.py") + " is not there");
}

BOOST_AUTO_TEST_CASE(without_a_python_nothing_is_installed) {
  Peer peer(kInstaller);
  for (const std::string& program : {std::string(), peer.folder / "bench"}) {
    peer.settings.peer = program;
    const Installed installed = peer.install({"near"});
    BOOST_TEST((installed.versions.empty() && installed.problems.empty()));
  }
  BOOST_TEST(!std::filesystem::exists(peer.versions));
}

BOOST_AUTO_TEST_CASE(cases_of_a_missing_package_are_ours_alone_and_say_why) {
  const std::vector<PackageRow> rows = package_rows();
  std::vector<Case> cases = package_cases(rows);
  leave_out(cases, rows, {{"local-attention", "pip cannot install local-attention: no network"}});
  for (const Case& work : cases) {
    const bool missing = row_of(work, rows).package == "local-attention";
    BOOST_TEST(work.request.empty() == missing, work.name);
    BOOST_TEST((work.remark ? work.remark() : "") == (missing ? "pip cannot install local-attention: no network" : ""));
  }
}

// A layer that kills the process of the peer costs its own row, and one that is declined tells the reason.
BOOST_AUTO_TEST_CASE(a_layer_that_fails_becomes_a_note_and_the_next_is_measured) {
  Peer peer(
      "probe) echo 'Shell 1.0';; *good) echo ok;; time*) echo 0.001;; *bad) exit 4;; *odd) echo no ImportError;;");
  peer.settings.json = peer.folder / "out.json";
  std::vector<Case> cases;
  for (const std::string name : {"bad", "odd", "good"})
    cases.push_back({.group = "layers", .name = name, .request = name, .make = [] { return [] {}; }});
  {
    const Silence silence;
    run_cases(cases, peer.settings, "; near 1.2");
  }
  const Json report = Json::parse(read_file(peer.settings.json), "the report");
  BOOST_TEST(report.at("peer").text() == "Shell 1.0; near 1.2");
  const Json::Array& rows = report.at("results").items();  // the machine is not measured: nothing is held against it
  BOOST_REQUIRE(rows.size() == 3u);
  BOOST_TEST(rows[0].at("note").text() == "the peer ended with exit code 4");
  BOOST_TEST(rows[1].at("note").text() == "ImportError");
  BOOST_TEST(rows[2].at("peer_seconds").items().size() == 3u);
}

BOOST_AUTO_TEST_SUITE_END()
