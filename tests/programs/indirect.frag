#version 450
layout(location = 0) flat in uint value;
layout(location = 0) out uint result;

void main() { result = value; }
