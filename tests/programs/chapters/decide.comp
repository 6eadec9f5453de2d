#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Words { uint words[]; };
layout(set = 0, binding = 1) buffer Results { uint results[]; };
layout(push_constant) uniform What { uint place, value, into_results, into_words; };

void main() {
  if (into_words != 0) words[place] = value;
  if (into_results != 0) results[place] = value;
}
