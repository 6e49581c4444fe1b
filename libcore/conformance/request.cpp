#include "libcore/conformance/request.h"

#include "libcore/base/json.h"

namespace quern::conformance {
namespace {

std::vector<std::string> texts_in(const JsonView& list) {
    std::vector<std::string> out;
    for (size_t i = 0; i < list.size(); ++i) out.push_back(list.at(i).text());
    return out;
}

}  // namespace

std::string to_text(const Request& request) {
    const Settings& s = request.settings;
    std::vector<std::string> claimed;
    for (const CaseId& id : request.claimed) claimed.push_back(id.text());
    return json_line({{"path", s.path},
                      {"name", s.name},
                      {"options", s.options},
                      {"seed", s.seed},
                      {"cases", s.cases},
                      {"ops", s.ops},
                      {"target", s.target},
                      {"packages", s.packages},
                      {"hints", s.hints},
                      {"tolerance", s.verification.tolerance},
                      {"steps", s.verification.steps},
                      {"check", request.check},
                      {"first", request.first},
                      {"claimed", claimed}});
}

Request request_in(const std::string& text) {
    const Json json = parse_json(text);
    const JsonView view(json);
    Request request;
    Settings& s = request.settings;
    s.path = view["path"].text(), s.name = view["name"].text(), s.options = view["options"].text();
    s.seed = view["seed"].natural(), s.cases = view["cases"].natural(), s.ops = texts_in(view["ops"]);
    s.target = view["target"].text();
    s.packages = texts_in(view["packages"]), s.hints = texts_in(view["hints"]);
    s.verification = {.tolerance = view["tolerance"].real(), .steps = view["steps"].integer()};
    request.check = view["check"].text(), request.first = view["first"].natural();
    for (const std::string& id : texts_in(view["claimed"])) request.claimed.push_back(CaseId::of(id));
    return request;
}

std::string to_text(const Report& report) {
    Json json{{"number", report.number}, {"subject", report.subject}};
    if (report.finding) json["ok"] = report.finding->ok, json["detail"] = report.finding->detail;
    return json_line(json);
}

Report report_in(const std::string& text) {
    const Json json = parse_json(text);
    const JsonView view(json);
    Report report{view["number"].natural(), view["subject"].text(), {}};
    if (view.has("ok")) report.finding = Finding{"", report.subject, view["detail"].text(), view["ok"].boolean()};
    return report;
}

}  // namespace quern::conformance
