// Graphs as structures: nodes, edges, queries, copies, printing, user objects.
#include "hip/runtime/behaviour/graph_support.hpp"

#include <cstdio>
#include <fstream>
#include <sstream>

namespace {

using namespace graphs;

TEST(Graph, NodesAndEdges) {
  GraphHandle g;
  auto a = empty_node(g), b = empty_node(g, {a}), c = empty_node(g, {a}), d = empty_node(g, {b, c});
  EXPECT_EQ(nodes_of(g), (std::vector<hipGraphNode_t>{a, b, c, d}));
  size_t n = 0;
  EXPECT_OK(hipGraphGetEdges(g, nullptr, nullptr, &n));
  ASSERT_EQ(n, 4u);
  std::vector<hipGraphNode_t> from(6, a), to(6, a);
  n = 6;
  EXPECT_OK(hipGraphGetEdges(g, from.data(), to.data(), &n));
  EXPECT_EQ(n, 4u) << "as many as there are";
  EXPECT_EQ(from, (std::vector<hipGraphNode_t>{a, a, b, c, nullptr, nullptr})) << "the rest is null";
  EXPECT_EQ(to, (std::vector<hipGraphNode_t>{b, c, d, d, nullptr, nullptr}));
  n = 1;
  hipGraphNode_t one = nullptr;
  EXPECT_OK(hipGraphNodeGetDependencies(d, &one, &n));
  EXPECT_EQ(one, b);
  EXPECT_OK(hipGraphNodeGetDependentNodes(a, nullptr, &n));
  EXPECT_EQ(n, 2u);
  EXPECT_OK(hipGraphGetRootNodes(g, nullptr, &n));
  EXPECT_EQ(n, 1u);

  EXPECT_OK(hipGraphRemoveDependencies(g, &b, &d, 1));
  EXPECT_OK(hipGraphNodeGetDependencies(d, nullptr, &n));
  EXPECT_EQ(n, 1u);
  EXPECT_HIP(hipErrorInvalidValue, hipGraphRemoveDependencies(g, &b, &d, 1)) << "twice";
  EXPECT_OK(hipGraphAddDependencies(g, &b, &d, 1));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddDependencies(g, &b, &d, 1)) << "twice";
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddDependencies(g, &b, &b, 1)) << "on itself";

  EXPECT_OK(hipGraphDestroyNode(b));
  EXPECT_EQ(node_count(g), 3u);
  EXPECT_OK(hipGraphNodeGetDependencies(d, nullptr, &n));
  EXPECT_EQ(n, 1u) << "edges go with their node";
  EXPECT_HIP(hipErrorInvalidValue, hipGraphDestroyNode(b)) << "twice";
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddDependencies(g, &b, &d, 1)) << "after destroy";
  (void)hipGetLastError();
}

TEST(Graph, HandlesAreChecked) {
  GraphHandle g, other;
  auto a = empty_node(g), foreign = empty_node(other);
  hipGraphNode_t n = nullptr;
  size_t count = 0;
  hipGraph_t bad = made_up<hipGraph_t>();
  EXPECT_HIP(hipErrorInvalidValue, hipGraphCreate(nullptr, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphCreate(&bad, 1));
  bad = made_up<hipGraph_t>();
  EXPECT_HIP(hipErrorInvalidValue, hipGraphDestroy(nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphDestroy(bad));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphGetNodes(bad, nullptr, &count));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphGetNodes(g, nullptr, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphGetRootNodes(nullptr, nullptr, &count));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphGetEdges(g, &n, nullptr, &count));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphNodeGetDependencies(nullptr, nullptr, &count));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphNodeGetDependentNodes(a, nullptr, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphNodeGetType(a, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphNodeGetType(made_up<hipGraphNode_t>(), nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddEmptyNode(nullptr, g, nullptr, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddEmptyNode(&n, bad, nullptr, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddEmptyNode(&n, g, nullptr, 1));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddEmptyNode(&n, g, &foreign, 1)) << "a node of another graph";
  hipGraphNode_t twice[] = {a, a};
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddEmptyNode(&n, g, twice, 2));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddDependencies(g, &a, &foreign, 1));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphRemoveDependencies(bad, &a, &a, 1));
  EXPECT_EQ(node_count(g), 1u);
  (void)hipGetLastError();
}

TEST(Graph, Clone) {
  GraphHandle g, inner;
  empty_node(inner);
  auto a = empty_node(g), b = empty_node(g, {a});
  hipGraphNode_t child = nullptr;
  ASSERT_OK(hipGraphAddChildGraphNode(&child, g, &b, 1, inner));
  hipGraph_t copied = nullptr;
  ASSERT_OK(hipGraphClone(&copied, g));
  GraphHandle copy(copied);
  EXPECT_EQ(node_count(copy), 3u);
  hipGraphNode_t twin = nullptr, other = nullptr;
  EXPECT_OK(hipGraphNodeFindInClone(&twin, b, copy));
  EXPECT_NE(twin, b);
  size_t n = 1;
  EXPECT_OK(hipGraphNodeGetDependencies(twin, &other, &n));
  hipGraphNode_t a_twin = nullptr;
  EXPECT_OK(hipGraphNodeFindInClone(&a_twin, a, copy));
  EXPECT_EQ(other, a_twin);
  EXPECT_OK(hipGraphDestroyNode(a));
  EXPECT_EQ(node_count(copy), 3u) << "a copy of its own";
  EXPECT_HIP(hipErrorInvalidValue, hipGraphNodeFindInClone(&twin, a, copy)) << "destroyed";
  EXPECT_HIP(hipErrorInvalidValue, hipGraphNodeFindInClone(&twin, b, g)) << "no clone";
  EXPECT_HIP(hipErrorInvalidValue, hipGraphNodeFindInClone(nullptr, b, copy));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphClone(nullptr, g));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphClone(&copied, nullptr));
  (void)hipGetLastError();
}

TEST(Graph, ChildGraphsBelongToTheirNode) {
  GraphHandle g;
  hipGraphNode_t child = nullptr;
  {
    GraphHandle inner;
    empty_node(inner);
    ASSERT_OK(hipGraphAddChildGraphNode(&child, g, nullptr, 0, inner));
    empty_node(inner);
  }
  hipGraph_t embedded = nullptr;
  ASSERT_OK(hipGraphChildGraphNodeGetGraph(child, &embedded));
  EXPECT_EQ(node_count(embedded), 1u) << "as it was when the node was made";
  EXPECT_HIP(hipErrorInvalidValue, hipGraphDestroy(embedded)) << "the node owns it";
  hipGraphNode_t itself = nullptr;
  EXPECT_OK(hipGraphAddChildGraphNode(&itself, g, nullptr, 0, g)) << "a copy of what it is now";
  EXPECT_OK(hipGraphDestroyNode(itself));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddChildGraphNode(&child, g, nullptr, 0, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphChildGraphNodeGetGraph(empty_node(g), &embedded));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphChildGraphNodeGetGraph(child, nullptr));
  EXPECT_OK(hipGraphDestroyNode(child));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphGetNodes(embedded, nullptr, nullptr)) << "gone with the node";
  (void)hipGetLastError();
}

TEST(Graph, DotPrint) {
  GraphHandle g;
  PinnedBuffer<int> log(8);
  auto a = kernel_node(g, {}, kernels::append, log.get(), 1);
  auto b = empty_node(g, {a});
  const std::string path = testing::TempDir() + "bz_graph.dot";
  ASSERT_OK(hipGraphDebugDotPrint(g, path.c_str(), hipGraphDebugDotFlagsKernelNodeParams));
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str().rfind("digraph", 0), 0u) << text.str();
  EXPECT_NE(text.str().find("k_append"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("grid 1x1x1"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find(" -> "), std::string::npos) << text.str();
  ASSERT_OK(hipGraphDebugDotPrint(g, path.c_str(), 0));
  std::stringstream plain;
  plain << std::ifstream(path).rdbuf();
  EXPECT_EQ(plain.str().find("grid"), std::string::npos) << "not asked for";
  std::remove(path.c_str());
  EXPECT_HIP(hipErrorInvalidValue, hipGraphDebugDotPrint(nullptr, path.c_str(), 0));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphDebugDotPrint(g, nullptr, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphDebugDotPrint(g, path.c_str(), 0x4000));
  EXPECT_HIP(hipErrorOperatingSystem, hipGraphDebugDotPrint(g, "/nowhere/at/all.dot", 0));
  (void)b;
  (void)hipGetLastError();
}

// ---- User objects ---------------------------------------------------------------------------------------------------

void count_up(void* counter) { ++*static_cast<std::atomic<int>*>(counter); }

TEST(UserObject, EndsWithItsLastReference) {
  std::atomic<int> ended{0};
  hipUserObject_t object = nullptr;
  ASSERT_OK(hipUserObjectCreate(&object, &ended, count_up, 1, hipUserObjectNoDestructorSync));
  EXPECT_OK(hipUserObjectRetain(object, 2));
  EXPECT_OK(hipUserObjectRelease(object, 2));
  EXPECT_EQ(ended, 0);
  EXPECT_HIP(hipErrorInvalidValue, hipUserObjectRelease(object, 2)) << "more than there are";
  EXPECT_OK(hipUserObjectRelease(object, 1));
  EXPECT_EQ(ended, 1);
  EXPECT_HIP(hipErrorInvalidValue, hipUserObjectRelease(object, 1)) << "after its end";
  EXPECT_HIP(hipErrorInvalidValue, hipUserObjectRetain(object, 1));
  EXPECT_HIP(hipErrorInvalidValue, hipUserObjectRetain(nullptr, 1));
  EXPECT_HIP(hipErrorInvalidValue, hipUserObjectCreate(nullptr, &ended, count_up, 1, hipUserObjectNoDestructorSync));
  EXPECT_HIP(hipErrorInvalidValue, hipUserObjectCreate(&object, &ended, nullptr, 1, hipUserObjectNoDestructorSync));
  EXPECT_HIP(hipErrorInvalidValue, hipUserObjectCreate(&object, &ended, count_up, 0, hipUserObjectNoDestructorSync));
  EXPECT_HIP(hipErrorInvalidValue, hipUserObjectCreate(&object, &ended, count_up, 1, 0));
  (void)hipGetLastError();
}

TEST(UserObject, GraphsAndExecutablesHoldIt) {
  std::atomic<int> ended{0};
  PinnedBuffer<int> flag(2);
  StreamHandle s;
  hipUserObject_t object = nullptr;
  ASSERT_OK(hipUserObjectCreate(&object, &ended, count_up, 1, hipUserObjectNoDestructorSync));
  hipGraphExec_t exec = nullptr;
  {
    GraphHandle g;
    kernel_node(g, {}, kernels::spin, flag.get(), flag.get() + 1);
    EXPECT_OK(hipGraphRetainUserObject(g, object, 1, hipGraphUserObjectMove));
    EXPECT_OK(hipGraphRetainUserObject(g, object, 2, 0));
    EXPECT_HIP(hipErrorInvalidValue, hipGraphReleaseUserObject(g, object, 4)) << "more than it holds";
    EXPECT_OK(hipGraphReleaseUserObject(g, object, 2));
    EXPECT_HIP(hipErrorInvalidValue, hipGraphRetainUserObject(g, object, 0, 0));
    EXPECT_HIP(hipErrorInvalidValue, hipGraphRetainUserObject(g, object, 1, 7));
    EXPECT_HIP(hipErrorInvalidValue, hipGraphRetainUserObject(nullptr, object, 1, 0));
    EXPECT_HIP(hipErrorInvalidValue, hipGraphReleaseUserObject(g, made_up<hipUserObject_t>(), 1));
    ASSERT_OK(hipGraphInstantiate(&exec, g, nullptr, nullptr, 0));
  }
  EXPECT_EQ(ended, 0) << "the executable holds it";
  ASSERT_OK(hipGraphLaunch(exec, s));
  EXPECT_OK(hipGraphExecDestroy(exec));
  EXPECT_EQ(ended, 0) << "the launch under way holds it";
  flag.store(0, 1);
  ASSERT_OK(hipStreamSynchronize(s));
  EXPECT_EQ(ended, 1);
  (void)hipGetLastError();
}

} // namespace
