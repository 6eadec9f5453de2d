#version 450
layout(set = 0, binding = 0) uniform sampler2DArray image;
layout(location = 0) out vec4 result;

void main() {
  // The further down, the smaller the level; the right half is of the second layer.
  const vec2 at = gl_FragCoord.xy / 16.0;
  const float layer = at.x > 0.5 ? 1 : 0;
  result = textureGrad(image, vec3(at, layer), vec2(at.y * 0.75, 0), vec2(0, at.y * 0.5));
  if (at.y > 0.75) result += vec4(textureQueryLevels(image) / 16.0, textureSize(image, 1).xy / 32.0, 0);
}
