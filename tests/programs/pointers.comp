#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x = 1) in;

// Addresses are pairs of words: some devices that have them have no 64-bit integers.
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node {
  uvec2 next;
  uint value;
  uint visits;
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Root {
  uvec2 first;
  uvec2 last;  // written: where the walk ended
  uint sum;
  uint count;
};
layout(push_constant) uniform Push {
  uvec2 root;
  uint nodes;
};

// Walks the list and hangs its first node behind its last: what the next
// dispatch follows was stored by this one.
void main() {
  Root r = Root(root);
  uvec2 at = r.first, last = r.first;
  uint sum = 0, count = 0;
  for (; count < nodes; ++count) {
    Node node = Node(at);
    sum = sum * 31 + node.value;
    node.visits += 1;
    last = at;
    at = node.next;
  }
  r.sum = sum;
  r.count = count;
  r.last = last;
  uvec2 first = r.first;
  r.first = Node(first).next;
  Node(last).next = first;
}
