"""Generates code in each language and compiles it as a user would, with all warnings. The path of the code contains the
schema's name, so that one run of a compiler shows which schemas failed."""
import os
import re
import shutil
import subprocess

MODULE = "example.com/names"


class Schema:
    """Files of one schema, below a folder of its own, and how they are generated."""

    def __init__(self, name, files, together):
        self.name, self.files, self.together = name, files, together  # files: {path: text}; together: in one Go package
        self.set = None


def run(command, **more):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, **more)
    return done.returncode, done.stdout.decode(errors="replace")


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def described(tools, work, schema):
    """Has protoc write the descriptor set. Returns protoc's complaint, or ""."""
    folder = work / "proto" / schema.name
    shutil.rmtree(folder, ignore_errors=True)
    for path, content in schema.files.items():
        put(folder / path, content)
    schema.set = work / "proto" / f"{schema.name}.fds"
    status, output = run([tools.protoc, "-I", folder, f"--descriptor_set_out={schema.set}", "--include_imports",
                          *schema.files], env={**os.environ, "LC_ALL": "C"})
    return output if status else ""


class Language:
    def __init__(self, tools, work):
        self.tools, self.work = tools, work / self.name
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)

    def generate(self, schema, out, options, generator=None):
        out.mkdir(parents=True, exist_ok=True)
        status, output = run([generator or self.tools.generators[self.name], f"--descriptor_set={schema.set}",
                              f"--out={out}", f"--opt={options}"])
        return f"the generator fails with status {status}:\n{output}" if status else ""

    def check(self, schemas):
        """Returns {name: complaint} of the schemas whose code cannot be generated or does not compile."""
        failed, made = {}, []
        for schema in schemas:
            shutil.rmtree(self.folder(schema), ignore_errors=True)
            complaint = self.make(schema)
            if complaint:
                failed[schema.name] = complaint
            else:
                made.append(schema)
        failed.update(self.compile(made) if made else {})
        return failed

    def folder(self, schema):
        return self.work / schema.name

    def attributed(self, output, schemas):
        """Splits a compiler's errors, one per line, by the schema whose folder the line names."""
        found = {}
        for schema in schemas:
            lines = [line for line in output.splitlines() if re.search(rf"(?<!\w){schema.name}/", line)]
            if lines:
                found[schema.name] = "\n".join(lines[:10])
        return found or {schema.name: output[-3000:] for schema in schemas}


class Go(Language):
    name = "go"

    def __init__(self, tools, work):
        super().__init__(tools, work)
        runtime = tools.root / "go"
        version = re.search(r"google.golang.org/protobuf (v\S+)", (runtime / "go.mod").read_text()).group(1)
        put(self.work / "go.mod", f"module {MODULE}\n\ngo 1.24\n\nrequire (\n\tgithub.com/hotpb/hotpb/go v0.0.0\n"
            f"\tgoogle.golang.org/protobuf {version}\n)\n\nreplace github.com/hotpb/hotpb/go => {runtime}\n")
        shutil.copy(runtime / "go.sum", self.work / "go.sum")

    def make(self, schema):
        packages = ""
        for at, path in enumerate(schema.files):
            package = "p" if schema.together else f"p{at}"
            packages += f"M{path}={MODULE}/{schema.name}/{package},"
        return self.generate(schema, self.work, f"{packages}module={MODULE},faces={self.tools.faces['go']}")

    def compile(self, schemas):
        status, output = run(["go", "vet", "-mod=mod", *(f"./{schema.name}/..." for schema in schemas)], cwd=self.work,
                             env={**os.environ, "GOWORK": "off", "GOFLAGS": ""})
        return self.attributed(output, schemas) if status else {}


class Codec(Go):
    """Go's codec face, whose code is in the package of the stock structs."""
    name = "go-codec"

    def make(self, schema):
        options = f"module={MODULE}," + "".join(
            f"M{path}={MODULE}/{schema.name}/{'p' if schema.together else f'p{at}'}," for at, path in enumerate(schema.files))
        folder = self.work.parent / "proto" / schema.name
        status, output = run([self.tools.protoc, f"--plugin=protoc-gen-go={self.tools.stock_go}", f"--go_out={self.work}",
                              f"--go_opt={options.rstrip(',')}", "-I", folder, *schema.files])
        if status:
            schema.stock_fails = True
            return ""
        return self.generate(schema, self.work, options + "faces=codec", self.tools.generators["go"])

    def compile(self, schemas):
        failed = super().compile(schemas)
        for name in list(failed):
            for hot in (self.work / name).rglob("*.hot.go"):
                hot.unlink()
            alone = next(schema for schema in schemas if schema.name == name)
            if super().compile([alone]):
                self.tools.note(f"{self.name}: {name}: the stock generator's own code does not compile")
                del failed[name]
        return failed


class Rust(Language):
    name = "rust"

    def __init__(self, tools, work):
        super().__init__(tools, work)
        put(self.work / "Cargo.toml", '[package]\nname = "names"\nversion = "0.0.0"\nedition = "2024"\n[lib]\npath = "lib.rs"\n'
            f'[dependencies]\nhotpb = {{ path = "{tools.root}/rust/hotpb", features = ["descriptor"] }}\n[workspace]\n')

    def make(self, schema):
        return self.generate(schema, self.folder(schema), f"faces={self.tools.faces['rust']}")

    def compile(self, schemas):
        put(self.work / "lib.rs", "#![deny(warnings)]\n" + "".join(
            f'pub mod {schema.name} {{ include!("{schema.name}/hotpb.mod.rs"); }}\n' for schema in schemas))
        status, output = run(["cargo", "check", "--quiet", "--offline", "--message-format=short"], cwd=self.work,
                             env={**os.environ, "CARGO_TARGET_DIR": str(self.tools.cache / "target"), "CARGO_INCREMENTAL": "0",
                                  "CARGO_PROFILE_DEV_DEBUG": "0"})
        return self.attributed(output, schemas) if status else {}


class Cpp(Language):
    name = "cpp"

    def make(self, schema):
        return self.generate(schema, self.folder(schema), f"faces={self.tools.faces['cpp']}")

    def compile(self, schemas):
        from concurrent.futures import ThreadPoolExecutor
        jobs = [(schema, compiler) for schema in schemas for compiler in self.tools.compilers]
        failed = {}
        with ThreadPoolExecutor(self.tools.jobs) as pool:
            for (schema, compiler), complaint in zip(jobs, pool.map(lambda job: self.compiled(*job), jobs)):
                if complaint:
                    failed.setdefault(schema.name, f"{compiler}:\n{complaint}")
        return failed

    def compiled(self, schema, compiler):
        from words import prelude
        folder = self.folder(schema)
        headers = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.h"))
        source = folder / "all.cc"
        if not source.exists():
            put(source, prelude() + "".join(f'#include "{header}"\n' for header in headers))
        status, output = run([compiler, "-std=gnu++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
                              f"-I{folder}", f"-I{self.tools.root}/cpp/include", f"-I{self.tools.root}/build/cpp/include", source])
        return output[:3000] if status else ""


LANGUAGES = {language.name: language for language in (Go, Codec, Rust, Cpp)}
