#version 450
// A vertex that a buffer holds.
layout(location = 0) in vec2 place;

void main() { gl_Position = vec4(place, 0.5, 1); }
