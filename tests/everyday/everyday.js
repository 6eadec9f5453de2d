// SPDX-License-Identifier: Apache-2.0
// Processes, workers, signals and sockets of node, printed: the same in every run, whatever is preloaded.
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const processes = require('child_process'), cluster = require('cluster'), crypto = require('crypto'), fs = require('fs'), http = require('http');
const net = require('net'), path = require('path'), vm = require('vm'), zlib = require('zlib');
const say = (...words) => fs.writeSync(1, words.map(word => typeof word === 'string' ? word : JSON.stringify(word)).join(' ') + '\n');
const ended = child => new Promise(done => child.on('close', (status, signal) => done({ status, signal })));

if (!isMainThread) parentPort.postMessage(workerData * workerData);
else if (process.argv[2] === 'forked') process.on('message', text => process.send(text.toUpperCase(), () => process.exit(4)));
else if (!cluster.isPrimary) http.createServer((request, answer) => answer.end('by a worker')).listen(0, '127.0.0.1');
else everything();

async function everything() {
  setInterval(() => {}, 1000);  // else it ends while it waits for a signal
  process.on('exit', status => say('exit', status));
  const shown = command => { const { status, signal, stdout, stderr } = processes.spawnSync('/bin/sh', ['-c', command], { encoding: 'utf8' }); return { status, signal, stdout, stderr }; };
  say('sh', shown('echo out; echo err >&2; exit 3'), shown('kill -SEGV $$'), shown('kill -KILL $$'));
  say('no environment', processes.spawnSync(process.execPath, ['-p', '1+1'], { env: {}, encoding: 'utf8' }).stdout);
  say('execFile', processes.execFileSync('tr', ['a-z', 'A-Z'], { input: 'input', encoding: 'utf8' }), processes.execSync('echo $A', { env: { A: 'b' }, encoding: 'utf8' }));
  say('not found', processes.spawnSync('no-such-program').error.code, processes.spawnSync('/etc/passwd').error.code);
  say('timeout', processes.spawnSync('sleep', ['60'], { timeout: 50 }).signal);
  const sleeper = processes.spawn('sleep', ['60'], { detached: true });
  sleeper.kill('SIGTERM');
  say('terminated', await ended(sleeper));
  const forked = processes.fork(__filename, ['forked']);
  forked.send('through a channel');
  say(await new Promise(done => forked.on('message', done)), await ended(forked));
  say('uncaught', shown(`${process.execPath} -e 'throw 1' 2>/dev/null`).status, shown(`${process.execPath} -e 'process.abort()' 2>/dev/null; echo $?`).stdout,
      shown(`${process.execPath} -e 'process.exitCode = 6'`).status, shown(`${process.execPath} -e 'Promise.reject(1)' 2>/dev/null`).status);
  say('workers', await Promise.all([1, 2, 3, 4].map(n => new Promise(done => new Worker(__filename, { workerData: n }).on('message', done)))));
  const signalled = new Promise(done => process.on('SIGUSR2', done));
  process.kill(process.pid, 'SIGUSR2');
  say('signal', await signalled);
  const worker = cluster.fork();
  const { port } = await new Promise(done => worker.on('listening', done));
  say('cluster', await new Promise(done => http.get({ host: '127.0.0.1', port, agent: false }, answer => answer.on('data', data => done(data.toString())))));
  worker.process.kill('SIGKILL');
  say('worker', await new Promise(done => worker.on('exit', (status, signal) => done({ status, signal }))));
  const server = net.createServer(socket => socket.pipe(socket)).listen(0, '127.0.0.1');
  await new Promise(done => server.on('listening', done));
  const socket = net.connect(server.address().port, '127.0.0.1');
  socket.write('over a socket');
  say(await new Promise(done => socket.on('data', data => { socket.destroy(); server.close(); done(data.toString()); })));
  say('digest', crypto.createHash('sha256').update(zlib.gunzipSync(zlib.gzipSync('text'))).digest('hex'), crypto.scryptSync('a', 'b', 8).toString('hex'));
  const wasm = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 2, 127, 127, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 97, 0, 0, 10, 9, 1, 7, 0, 32, 0, 32, 1, 106, 11])));
  say('wasm', wasm.exports.a(2, 3), vm.runInNewContext('a + 1', { a: 4 }));
  try { process.dlopen({ exports: {} }, '/usr/lib/no-such.node'); } catch (error) { say('cannot', error.message.split('\n')[0]); }
  try { process.dlopen({ exports: {} }, fs.realpathSync('/lib/x86_64-linux-gnu/libm.so.6')); } catch (error) { say('cannot', error.message.split('\n')[0]); }
  let sum = 0;
  for (let i = 0; i < 3e6; ++i) sum = (sum * 31 + i) | 0;  // compiled meanwhile
  say('sum', sum, 'descriptors of the terminal', fs.fstatSync(0).isFile());
  process.stderr.write('to the errors\n');
  process.exit(19);
}
