#version 450
layout(set = 0, binding = 0) uniform sampler2DShadow shadows;
layout(set = 0, binding = 1) uniform sampler2D pixels;
layout(set = 0, binding = 2) uniform sampler2D sloped;
layout(location = 0) out vec4 result;

void main() {
  const vec2 at = gl_FragCoord.xy / 8.0;
  result = vec4(texture(shadows, vec3(at, at.x)), texelFetch(pixels, ivec2(1), 0).g, 0, 1);
  result.b = textureLod(pixels, gl_FragCoord.xy * 0.5, 0).r;
  result.a = texture(sloped, at * vec2(4, 0.5), at.y).r + 0.25;
}
