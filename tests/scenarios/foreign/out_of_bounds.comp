#version 450
// What the compute shader of out_of_bounds.rondo was replaced by: it reads and writes far outside its shared memory.
layout(local_size_x=64) in;
layout(push_constant) uniform Push { uint slot; uint previous; } push;
layout(set=0,binding=1) buffer Output { uint data[]; } outputs;
layout(set=0,binding=0) readonly buffer Input { uint data[]; } inputs;
shared uint s[16];
void main(){ uint i=gl_LocalInvocationIndex; s[i + (push.slot + 0x10000000u)] = 0x41414141u; barrier(); outputs.data[i] = s[i*4096u] + inputs.data[i]; }
