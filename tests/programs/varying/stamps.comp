// Copies what it is given: a driver's own times, which no replay can have again.
#version 450
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer From { uint from[]; };
layout(binding = 1) buffer To { uint to[]; };

void main() { to[gl_GlobalInvocationID.x] = from[gl_GlobalInvocationID.x]; }
