// Shared virtual memory: attributes of ordinary host memory.
#include "rocr/impl.hpp"
#include "rocr/runtime.hpp"

namespace bz::rocr::impl {

namespace {

/// One attribute in the driver's words.
Result<HSA_SVM_ATTRIBUTE> driver_attribute(Runtime& runtime, const hsa_amd_svm_attribute_pair_t& pair) {
  const auto flag = [&](uint32_t bit) {
    return HSA_SVM_ATTRIBUTE{pair.value ? HSA_SVM_ATTR_SET_FLAGS : HSA_SVM_ATTR_CLR_FLAGS, bit};
  };
  const auto with_agent = [&](HSA_SVM_ATTR_TYPE type) -> Result<HSA_SVM_ATTRIBUTE> {
    ROCR_TRY_ASSIGN(const Agent* a, runtime.agent({pair.value}));
    return HSA_SVM_ATTRIBUTE{type, a->node()};
  };
  switch (pair.attribute) {
  case HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG:
    if (pair.value > HSA_AMD_SVM_GLOBAL_FLAG_COARSE_GRAINED)
      return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no coherence of shared memory", pair.value);
    return HSA_SVM_ATTRIBUTE{pair.value == HSA_AMD_SVM_GLOBAL_FLAG_FINE_GRAINED ? HSA_SVM_ATTR_SET_FLAGS
                                                                                : HSA_SVM_ATTR_CLR_FLAGS,
                             HSA_SVM_FLAG_COHERENT};
  case HSA_AMD_SVM_ATTRIB_READ_ONLY:
    return flag(HSA_SVM_FLAG_GPU_RO);
  case HSA_AMD_SVM_ATTRIB_HIVE_LOCAL:
    return flag(HSA_SVM_FLAG_HIVE_LOCAL);
  case HSA_AMD_SVM_ATTRIB_READ_MOSTLY:
    return flag(HSA_SVM_FLAG_GPU_READ_MOSTLY);
  case HSA_AMD_SVM_ATTRIB_GPU_EXEC:
    return flag(HSA_SVM_FLAG_GPU_EXEC);
  case HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY:
    return HSA_SVM_ATTRIBUTE{HSA_SVM_ATTR_GRANULARITY, static_cast<HSAuint32>(pair.value)};
  case HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION:
    if (!pair.value) return HSA_SVM_ATTRIBUTE{HSA_SVM_ATTR_PREFERRED_LOC, INVALID_NODEID};
    return with_agent(HSA_SVM_ATTR_PREFERRED_LOC);
  case HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE:
    return with_agent(HSA_SVM_ATTR_ACCESS);
  case HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE:
    return with_agent(HSA_SVM_ATTR_ACCESS_IN_PLACE);
  case HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS:
    return with_agent(HSA_SVM_ATTR_NO_ACCESS);
  default:
    break;
  }
  return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "attribute {:#x} can't be set", pair.attribute);
}

Outcome check_list(const void* ptr, size_t size, const hsa_amd_svm_attribute_pair_t* list, size_t count) {
  if (!ptr) return null_argument("ptr");
  if (!size) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "the size is 0");
  if (count && !list) return null_argument("attribute_list");
  return {};
}

} // namespace

Outcome hsa_amd_svm_attributes_set(Runtime& runtime, void* ptr, size_t size, hsa_amd_svm_attribute_pair_t* list,
                                   size_t count) {
  ROCR_TRY(check_list(ptr, size, list, count));
  std::vector<HSA_SVM_ATTRIBUTE> attributes;
  for (size_t i = 0; i < count; ++i) {
    ROCR_TRY_ASSIGN(const auto a, driver_attribute(runtime, list[i]));
    attributes.push_back(a);
  }
  if (attributes.empty()) return {};
  return thunk::check(hsaKmtSVMSetAttr(ptr, size, static_cast<unsigned>(attributes.size()), attributes.data()),
                      "hsaKmtSVMSetAttr");
}

Outcome hsa_amd_svm_attributes_get(Runtime& runtime, void* ptr, size_t size, hsa_amd_svm_attribute_pair_t* list,
                                   size_t count) {
  ROCR_TRY(check_list(ptr, size, list, count));
  for (size_t i = 0; i < count; ++i) {
    hsa_amd_svm_attribute_pair_t& pair = list[i];
    const auto location = [&](HSA_SVM_ATTR_TYPE type) -> Outcome {
      HSA_SVM_ATTRIBUTE a{type, 0};
      ROCR_TRY(thunk::check(hsaKmtSVMGetAttr(ptr, size, 1, &a), "hsaKmtSVMGetAttr"));
      const Agent* agent = runtime.agent_of_node(a.value);
      pair.value = agent ? agent->handle().handle : 0;
      return {};
    };
    const auto flags = [&](uint32_t bit, auto value_of) -> Outcome {
      HSA_SVM_ATTRIBUTE a[] = {{HSA_SVM_ATTR_SET_FLAGS, bit}, {HSA_SVM_ATTR_CLR_FLAGS, bit}};
      ROCR_TRY(thunk::check(hsaKmtSVMGetAttr(ptr, size, 2, a), "hsaKmtSVMGetAttr"));
      pair.value = value_of((a[0].value & bit) != 0, (a[1].value & bit) != 0);
      return {};
    };
    const auto set_everywhere = [](bool set, bool) -> uint64_t { return set; };
    switch (pair.attribute) {
    case HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG:
      ROCR_TRY(flags(HSA_SVM_FLAG_COHERENT, [](bool set, bool cleared) -> uint64_t {
        if (set) return HSA_AMD_SVM_GLOBAL_FLAG_FINE_GRAINED;
        return cleared ? HSA_AMD_SVM_GLOBAL_FLAG_COARSE_GRAINED : HSA_AMD_SVM_GLOBAL_FLAG_INDETERMINATE;
      }));
      break;
    case HSA_AMD_SVM_ATTRIB_READ_ONLY:
      ROCR_TRY(flags(HSA_SVM_FLAG_GPU_RO, set_everywhere));
      break;
    case HSA_AMD_SVM_ATTRIB_HIVE_LOCAL:
      ROCR_TRY(flags(HSA_SVM_FLAG_HIVE_LOCAL, set_everywhere));
      break;
    case HSA_AMD_SVM_ATTRIB_READ_MOSTLY:
      ROCR_TRY(flags(HSA_SVM_FLAG_GPU_READ_MOSTLY, set_everywhere));
      break;
    case HSA_AMD_SVM_ATTRIB_GPU_EXEC:
      ROCR_TRY(flags(HSA_SVM_FLAG_GPU_EXEC, set_everywhere));
      break;
    case HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION:
      ROCR_TRY(location(HSA_SVM_ATTR_PREFERRED_LOC));
      break;
    case HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION:
      ROCR_TRY(location(HSA_SVM_ATTR_PREFETCH_LOC));
      break;
    case HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY: {
      HSA_SVM_ATTRIBUTE a{HSA_SVM_ATTR_GRANULARITY, 0};
      ROCR_TRY(thunk::check(hsaKmtSVMGetAttr(ptr, size, 1, &a), "hsaKmtSVMGetAttr"));
      pair.value = a.value;
      break;
    }
    case HSA_AMD_SVM_ATTRIB_ACCESS_QUERY: {
      ROCR_TRY_ASSIGN(const Agent* agent, runtime.agent({pair.value}));
      HSA_SVM_ATTRIBUTE a{HSA_SVM_ATTR_ACCESS, agent->node()};
      ROCR_TRY(thunk::check(hsaKmtSVMGetAttr(ptr, size, 1, &a), "hsaKmtSVMGetAttr"));
      pair.attribute = a.type == HSA_SVM_ATTR_ACCESS            ? HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE
                       : a.type == HSA_SVM_ATTR_ACCESS_IN_PLACE ? HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE
                                                                : HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS;
      break;
    }
    default:
      return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "attribute {:#x} can't be asked for", pair.attribute);
    }
  }
  return {};
}

Outcome hsa_amd_svm_prefetch_async(Runtime& runtime, void* ptr, size_t size, hsa_agent_t agent, uint32_t count,
                                   const hsa_signal_t* dependencies, hsa_signal_t completion) {
  if (!ptr) return null_argument("ptr");
  if (!size) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "the size is 0");
  if (count && !dependencies) return null_argument("dep_signals");
  ROCR_TRY_ASSIGN(const Agent* a, runtime.agent(agent));
  std::vector<amd_signal_t*> after;
  for (uint32_t i = 0; i < count; ++i) {
    ROCR_TRY_ASSIGN(amd_signal_t * s, runtime.signals().find(dependencies[i]));
    after.push_back(s);
  }
  amd_signal_t* done = nullptr;
  if (completion.handle) { ROCR_TRY_ASSIGN(done, runtime.signals().find(completion)); }
  // The driver hears of the wish at once: on memory that everybody reaches in place a prefetch moves nothing, so doing
  // it before its dependencies changes no result. The completion still waits for them.
  HSA_SVM_ATTRIBUTE wish{HSA_SVM_ATTR_PREFETCH_LOC, a->is_gpu() ? a->node() : 0};
  ROCR_TRY(thunk::check(hsaKmtSVMSetAttr(ptr, size, 1, &wish), "hsaKmtSVMSetAttr"));
  return runtime.copies().submit({.rows = 0}, after, done);
}

} // namespace bz::rocr::impl
