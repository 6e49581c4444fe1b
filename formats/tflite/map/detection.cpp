// Operators of object detectors.
#include <array>
#include <cmath>

#include "formats/tflite/file/flexbuffer.h"
#include "formats/tflite/map/map.h"

namespace quern::tflite_format {
namespace {

// A result that the file has in another integer type than ours.
void nms(Site& site, const Values& in, bool scores) {
    Values out{site.out_value(0), scores ? site.out_value(1) : site.value("scores"), site.out_value(scores ? 2 : 1)};
    site.put(ops::own::SoftNonMaxSuppression, in, out);
}

bool nms_v4(Site& site) {
    if (site.in_count() != 5 || site.out_count() != 2) throw bad_input("has {} inputs and {} outputs", site.in_count(), site.out_count());
    nms(site, site.ins(), false);
    return true;
}

bool nms_v5(Site& site) {
    if (site.in_count() != 6 || site.out_count() != 3) throw bad_input("has {} inputs and {} outputs", site.in_count(), site.out_count());
    nms(site, site.ins(), true);
    return true;
}

struct Option {
    std::string_view name;
    bool real;
    bool required = true;
};
constexpr std::array detection_options{
    Option{"max_detections", false},
    Option{"max_classes_per_detection", false},
    Option{"num_classes", false},
    Option{"nms_score_threshold", true},
    Option{"nms_iou_threshold", true},
    Option{"y_scale", true},
    Option{"x_scale", true},
    Option{"h_scale", true},
    Option{"w_scale", true},
    Option{"use_regular_nms", false, false},
    Option{"detections_per_class", false, false},
};

bool detection(Site& site) {
    if (site.in_count() != 3 || site.out_count() != 4) throw bad_input("has {} inputs and {} outputs", site.in_count(), site.out_count());
    const auto given = flexbuffer_numbers(site.op().custom_options);
    Attrs attrs;
    for (const Option& option : detection_options) {
        const auto found = given.find(std::string(option.name));
        if (found == given.end() && !option.required) continue;
        if (found == given.end() || !(std::abs(found->second) <= INT32_MAX))
            throw bad_input("its option {} is missing or no number", option.name);
        if (option.real)
            attrs[std::string(option.name)] = static_cast<float>(found->second);
        else
            attrs[std::string(option.name)] = static_cast<int64_t>(found->second);
    }
    site.put(ops::own::DetectionPostProcess, site.ins(), {site.out_value(0), site.out_value(1), site.out_value(2), site.out_value(3)},
             attrs);
    return true;
}

constexpr std::array detection_table{
    MapRow{.code = Code::CUSTOM, .ops = "DetectionPostProcess", .rewrite = detection, .custom = "TFLite_Detection_PostProcess"},
    MapRow{Code::NON_MAX_SUPPRESSION_V4, "SoftNonMaxSuppression", nms_v4},
    MapRow{Code::NON_MAX_SUPPRESSION_V5, "SoftNonMaxSuppression", nms_v5},
};

}  // namespace

std::span<const MapRow> detection_rows() { return detection_table; }

}  // namespace quern::tflite_format
