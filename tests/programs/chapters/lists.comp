#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// Follows a list of nodes by their addresses, and links another list in the
// memory that it is given, in the opposite order. Addresses are pairs of words:
// some devices that have them have no 64-bit integers.
layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { uvec2 next; uint value; uint seen; };
layout(push_constant) uniform Push { uvec2 from, to, room; };
uvec2 place(uint n) {
  uint low = room.x + n * 16;
  return uvec2(low, room.y + uint(low < room.x));
}
void main() {
  uvec2 made = uvec2(0);
  uint n = 0;
  for (uvec2 at = Node(from).next; at != uvec2(0); ++n) {
    Node old = Node(at);
    old.seen += 1;
    uvec2 to_make = place(n);
    Node next = Node(to_make);
    next.next = made;
    next.value = old.value * 3 + n;
    made = to_make;
    at = old.next;
  }
  Node(to).next = made;
}
