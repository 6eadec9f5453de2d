#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 1) in;

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node {
  uint64_t next;
  uint value;
  uint visits;
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Root {
  uint64_t first;
  uint64_t last;  // written: where the walk ended
  uint sum;
  uint count;
};
layout(push_constant) uniform Push { uint64_t root; };

// Walks the list and hangs its first node behind its last: what the next
// dispatch follows was stored by this one.
void main() {
  Root r = Root(root);
  uint64_t at = r.first;
  uint sum = 0, count = 0;
  uint64_t last = 0;
  while (at != 0 && count < 64) {
    Node node = Node(at);
    sum = sum * 31 + node.value;
    node.visits += 1;
    last = at;
    at = node.next;
    ++count;
  }
  r.sum = sum;
  r.count = count;
  r.last = last;
  if (count > 1) {
    Node first = Node(r.first);
    uint64_t second = first.next;
    Node(last).next = r.first;
    first.next = 0;
    r.first = second;
  }
}
