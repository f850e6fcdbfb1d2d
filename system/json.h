// Json: a JSON value, for settings, metrics and the headers of files. Objects keep the order in which names came.
//
//   Json settings = Json::object();
//   settings["layers"] = 4;
//   settings["data"] = "enwik8";
//   settings.dump();                                    // {"layers":4,"data":"enwik8"}
//   Json::parse(text, "config.json").at("layers").integer()
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace heed {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json() = default;  // null
  Json(bool value) : value_(value) {}
  Json(int value) : value_(long(value)) {}
  Json(long value) : value_(value) {}
  Json(double value) : value_(value) {}  // JSON has neither NaN nor infinity: they are written as null
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}
  Json(Array items) : value_(std::move(items)) {}
  Json(Object members) : value_(std::move(members)) {}
  static Json object() { return Object(); }
  static Json array() { return Array(); }

  // One value and nothing behind it. Throws for what is not JSON, for a name that stands twice in an object, and below
  // 100 levels; `what` is the text's name in the error ("the header of a.safetensors").
  static Json parse(std::string_view text, const std::string& what);
  // On one line, or indented by that many blanks. Doubles are read back to the same bits. Bytes that are not UTF-8
  // become U+FFFD.
  std::string dump(int indent = -1) const;

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_integer() const { return std::holds_alternative<long>(value_); }  // without a point or an exponent
  bool is_number() const { return is_integer() || std::holds_alternative<double>(value_); }
  bool is_text() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }

  // What it holds. Each throws when it is something else, and says what it is.
  bool truth() const;
  long integer() const;
  double number() const;
  const std::string& text() const;
  const Array& items() const;
  const Object& members() const;

  void push_back(Json item);                        // to an array
  Json& operator[](const std::string& name);        // a member of an object, null at first; makes null an object
  const Json& at(const std::string& name) const;    // throws if there is none
  const Json* find(const std::string& name) const;  // null if there is none, or if this is not an object
  bool operator==(const Json&) const = default;

 private:
  std::variant<std::monostate, bool, long, double, std::string, Array, Object> value_;
};

}  // namespace heed
