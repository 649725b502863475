"""Checks `text:` against the canonical bytes with `protoc --encode`: the stock runtime's encoding of each value."""
import concurrent.futures
import hashlib
import json
import os
import subprocess

FILES = {
    "hotpb.vectors.p3": "hotpb/vectors.proto", "hotpb.vectors.p2": "hotpb/vectors_proto2.proto",
    "hotpb.vectors.e23": "hotpb/vectors_2023.proto", "hotpb.vectors.e24": "hotpb/vectors_2024.proto",
}


def replace(path, text):
    """Writes a file atomically: concurrent readers and writers see the old file or the new one, never a part."""
    partial = path.with_name(f"{path.name}.{os.getpid()}")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def encode(protoc, root, message, text):
    """The bytes, or the error as text."""
    command = [protoc, f"-I{root / 'proto'}", f"--encode={message}", "--deterministic_output", FILES[".".join(message.split(".")[:3])]]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    if done.returncode:
        return done.stderr.decode(errors="replace").strip() or f"protoc ended with {done.returncode}"
    return done.stdout


def problems(protoc, root, vectors, cache_path):
    """One line for each text that does not encode to the canonical bytes. A text that was right once is remembered by its hash."""
    schema = hashlib.sha256(b"".join((root / "proto" / file).read_bytes() for file in FILES.values()))
    wanted = {}
    for vector in vectors:
        if "text" in vector:
            key = schema.copy()
            key.update(json.dumps([vector["message"], vector["text"], vector["canonical"].hex()]).encode())
            wanted.setdefault(key.hexdigest(), vector)
    known = set(json.loads(cache_path.read_text())) if cache_path.exists() else set()
    todo = [(key, vector) for key, vector in wanted.items() if key not in known]
    out = []
    if todo and not os.access(protoc, os.X_OK):
        return [f"protoc is missing ({protoc}): run tools/setup protoc"]
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as pool:
        results = pool.map(lambda item: encode(protoc, root, item[1]["message"], item[1]["text"]), todo)
    for (key, vector), got in zip(todo, results):
        if got == vector["canonical"]:
            known.add(key)
        elif isinstance(got, str):
            out.append(f"{vector['name']}: text: {got}")
        else:
            out.append(f"{vector['name']}: text encodes to {got.hex()}, canonical is {vector['canonical'].hex()}")
    replace(cache_path, json.dumps(sorted(known & set(wanted))))
    return out
