#version 450
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint factor = 1;
layout(push_constant) uniform Push {
  uint first;
  uint sequence;
};
layout(binding = 0) buffer Output { uint words[]; };

// Which pipeline ran in which sequence, one word a group.
void main() {
  const uint at = first + gl_WorkGroupID.x;
  words[at] += factor * 1000 + sequence * 10 + gl_NumWorkGroups.x;
}
