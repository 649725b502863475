#!/usr/bin/env node
// query.js TRACE [SQL | -]: loads a trace with Perfetto's own trace processor (v52, WebAssembly) and prints the rows of a
// query as JSON, an object per row. With "-" it reads a JSON list of queries from stdin and prints a list of lists.
// Without SQL it only loads. Whatever the trace processor refuses ends the program with status 1 and its message.
//
// TRACE_PROCESSOR names the folder with engine_bundle.js and trace_processor.wasm (tools/setup trace-processor).
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const folder = process.env.TRACE_PROCESSOR;
if (!folder) fail('TRACE_PROCESSOR is not set: tools/setup trace-processor brings it');

function fail(message) {
  console.error(`query.js: ${message}`);
  process.exit(1);
}

// ---- protobuf, as little of it as the trace processor's remote calls need ----

function varint(value) {
  const bytes = [];
  for (let left = BigInt(value); ; left >>= 7n) {
    if (left < 128n) return Buffer.from([...bytes, Number(left)]);
    bytes.push(Number(left & 127n) | 128);
  }
}
const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
const message = (field, bytes) => Buffer.concat([varint(field << 3 | 2), varint(bytes.length), bytes]);

// [field number, value] of each record: a BigInt or the bytes.
function* fields(bytes) {
  let at = 0;
  const next = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asUintN(64, value);
    }
  };
  while (at < bytes.length) {
    const tag = Number(next());
    const size = { 1: 8, 5: 4 }[tag & 7] ?? ((tag & 7) === 2 ? Number(next()) : null);
    yield [tag >> 3, size === null ? next() : bytes.subarray(at, at + size)];
    if (size !== null) at += size;
  }
}
// The numbers of a packed field.
function* packed(bytes) {
  let value = 0n;
  let shift = 0n;
  for (const byte of bytes) {
    value |= BigInt(byte & 127) << shift;
    shift += 7n;
    if (byte >= 128) continue;
    yield BigInt.asIntN(64, value);
    value = shift = 0n;
  }
}

// ---- the worker that the bundle expects to be in a browser ----

class LocalFile {
  open(_method, url) {
    this.url = url;
  }
  send() {
    this.status = 200;
    const bytes = fs.readFileSync(path.join(folder, path.basename(String(this.url))));
    this.response = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    if (this.onload) this.onload();
  }
}

class Engine {
  constructor() {
    this.replies = [];
    const place = `file://${folder}/engine_bundle.js`;
    const self = { location: { href: place, pathname: place }, name: 'engine' };
    const world = {
      self, location: self.location, console: { log() {}, warn() {}, error() {}, info() {} },
      importScripts() {}, WorkerGlobalScope: class {}, XMLHttpRequest: LocalFile, TypeError, WebAssembly, URL, TextDecoder,
      TextEncoder, performance, setTimeout, clearTimeout, queueMicrotask, crypto: globalThis.crypto,
      fetch: async (url) => {
        const bytes = fs.readFileSync(path.join(folder, path.basename(String(url))));
        return { ok: true, status: 200, arrayBuffer: async () => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) };
      },
      postMessage() {}, addEventListener() {},
    };
    self.crypto = world.crypto;
    world.globalThis = world;
    vm.createContext(world);
    this.Uint8Array = vm.runInContext('Uint8Array', world);  // a context has types of its own
    vm.runInContext(fs.readFileSync(path.join(folder, 'engine_bundle.js'), 'utf8'), world);
    this.port = { postMessage: (data) => this.take(data) };
    (self.onmessage || world.onmessage)({ data: this.port, ports: [this.port] });
    this.sequence = 0;
  }
  take(data) {
    for (const [, reply] of fields(Buffer.from(data))) this.replies.push([...fields(reply)]);
  }
  async started() {
    for (let i = 0; i < 2000 && !this.port.onmessage; ++i) await new Promise((done) => setTimeout(done, 5));
    if (!this.port.onmessage) fail('the trace processor does not start');
  }
  call(request, body) {
    const before = this.replies.length;
    const rpc = Buffer.concat([number(1, ++this.sequence), number(2, request), body]);
    try {
      this.port.onmessage({ data: new this.Uint8Array(message(1, rpc)) });
    } catch (error) {
      fail(`the trace processor crashed: ${error.message}`);
    }
    return this.replies.slice(before);
  }
}

function errorOf(replies, result, field) {
  for (const reply of replies) {
    for (const [name, bytes] of reply) {
      if (name === 5) fail(`the trace processor ended: ${bytes}`);  // fatal_error
      if (name !== result) continue;
      for (const [inner, text] of fields(bytes)) if (inner === field && text.length) return text.toString();
    }
  }
  return null;
}

function load(engine, file) {
  const bytes = fs.readFileSync(file);
  for (let at = 0; at < bytes.length; at += 8 << 20) {
    const error = errorOf(engine.call(1, message(101, bytes.subarray(at, at + (8 << 20)))), 201, 2);
    if (error) fail(`${file} does not load: ${error}`);
  }
  const error = errorOf(engine.call(2, Buffer.alloc(0)), 202, 1);
  if (error) fail(`${file} does not load: ${error}`);
}

function query(engine, sql) {
  const replies = engine.call(3, message(103, message(1, Buffer.from(sql))));
  const error = errorOf(replies, 203, 2);
  if (error) fail(error);
  const names = [];
  const rows = [];
  for (const reply of replies) {
    for (const [name, result] of reply) {
      if (name !== 203) continue;
      for (const [field, value] of fields(result)) {
        if (field === 1) names.push(value.toString());
        if (field === 3) addBatch(names, value, rows);
      }
    }
  }
  return rows;
}

function addBatch(names, batch, rows) {
  const cells = [];
  const ints = [];
  const doubles = [];
  let texts = [];
  const blobs = [];
  for (const [field, value] of fields(batch)) {
    if (field === 1) cells.push(...value);
    if (field === 2) ints.push(...packed(value));
    if (field === 3) for (let i = 0; i < value.length; i += 8) doubles.push(value.readDoubleLE(i));
    if (field === 4) blobs.push(value.toString('hex'));
    if (field === 5) texts = value.toString().split('\0');
  }
  // 1 null, 2 integer, 3 floating point, 4 text, 5 bytes
  const take = (cell) => {
    if (cell === 1) return null;
    if (cell === 2) {
      const value = ints.shift();
      return value >= -(1n << 53n) && value <= 1n << 53n ? Number(value) : value.toString();
    }
    return { 3: doubles, 4: texts, 5: blobs }[cell].shift();
  };
  for (let i = 0; i < cells.length; i += names.length) {
    rows.push(Object.fromEntries(names.map((name, column) => [name, take(cells[i + column])])));
  }
}

async function main() {
  const [file, sql] = process.argv.slice(2);
  if (!file) fail('usage: query.js TRACE [SQL | -]');
  const engine = new Engine();
  await engine.started();
  load(engine, file);
  let out = null;
  if (sql === '-') out = JSON.parse(fs.readFileSync(0, 'utf8')).map((one) => query(engine, one));
  else if (sql) out = query(engine, sql);
  // A pipe takes 64 KiB at a time: the end of the program waits for it.
  if (out) await new Promise((done) => process.stdout.write(`${JSON.stringify(out, null, 1)}\n`, done));
}

main().then(() => process.exit(0), (error) => fail(error.stack));
