#version 450
layout(quads, fractional_odd_spacing, cw) in;
layout(location = 0) in vec4 tint[];
layout(location = 1) patch in vec4 shift;
layout(location = 0) out vec4 color;

void main() {
  const vec2 at = gl_TessCoord.xy;
  gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, at.x),
                    mix(gl_in[2].gl_Position, gl_in[3].gl_Position, at.x), at.y);
  gl_PointSize = 1;
  color = fract(mix(tint[0], tint[3], at.x * at.y) + shift + vec4(at * 4, gl_PatchVerticesIn / 8.0, 0));
}
