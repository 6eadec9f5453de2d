#version 450
// A quad an instance, moved and coloured by whatever comes in.
layout(location = 0) in vec2 corner;       // packed or small, by the vertex
layout(location = 1) in vec4 tint;         // normalized, by the vertex
layout(location = 3) in vec2 place;        // half floats, by the instance
layout(location = 7) in uvec4 numbers;     // small integers, by every second instance
layout(location = 8) in ivec2 signed_ones; // never changes
layout(location = 0) out vec4 color;

void main() {
  gl_Position = vec4(corner * 0.25 + place + vec2(signed_ones) / 256.0, 0.5, 1);
  color = fract(tint + vec4(numbers) / 8.0);
}
