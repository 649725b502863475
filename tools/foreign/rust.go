package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"
)

// rust has all of a schema in one unit, in a crate of its own.
type rust struct{ generator, target string }

func (r *rust) prepare(t *tool) error {
	c := command{dir: filepath.Join(t.root, "rust"), limit: t.limit}
	if output, err := c.run("cargo", "build", "--quiet", "--bin", "hotpb-testgen"); err != nil {
		return fmt.Errorf("%w\n%s", err, output)
	}
	folder := os.Getenv("CARGO_TARGET_DIR")
	if folder == "" {
		folder = filepath.Join(t.root, "rust/target")
	}
	r.generator = filepath.Join(folder, "debug/hotpb-testgen")
	r.target = filepath.Join(t.work, "rust-target")
	return nil
}

func (r *rust) generates(*face, *descriptorpb.FileDescriptorProto) bool { return true }

func (r *rust) generate(t *tool, c *cell, set string, files []*descriptorpb.FileDescriptorProto) (string, error) {
	return c.make.run(r.generator, arguments(c, set, files)...)
}

// arguments are those of the generators of Rust and C++.
func arguments(c *cell, set string, files []*descriptorpb.FileDescriptorProto) []string {
	var names []string
	for _, file := range files {
		names = append(names, file.GetName())
	}
	return []string{"--descriptor_set=" + set, "--out=" + filepath.Join(c.folder, "gen"),
		"--files=" + strings.Join(names, "+"), "--opt=faces=" + c.face.options}
}

func (r *rust) compile(t *tool, c *cell) ([]string, error) {
	name := "foreign-" + strings.ReplaceAll(c.schema.name, "_", "-") + "-" + c.face.name
	manifest := fmt.Sprintf(`[package]
name = %q
version = "0.0.0"
edition = "2024"
publish = false

[workspace]

[dependencies]
hotpb = { path = %q, features = ["descriptor", "plugin", "api"] }

# Large code that is gone through a few times: compiling it well would cost more than it saves.
[profile.dev]
opt-level = 0
debug = false
incremental = false
`, name, filepath.Join(t.root, "rust/hotpb"))
	if err := write([]byte(manifest), c.folder, "Cargo.toml"); err != nil {
		return nil, err
	}
	if err := place("rust_main.txt", c.folder, "src/main.rs"); err != nil {
		return nil, err
	}
	if err := place("rust_"+c.face.name+".txt", c.folder, "src/face.rs"); err != nil {
		return nil, err
	}
	c.build.dir = c.folder
	c.build.environment = []string{"CARGO_TARGET_DIR=" + r.target}
	action := "build" // with the warnings of cargo check
	if t.upTo == "check" {
		action = "check"
	}
	output, err := c.build.run("cargo", action, "--offline", "--quiet", "--jobs", fmt.Sprint(t.jobs))
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, firstLines(output, 16))
	}
	if t.upTo == "check" {
		return nil, warnings(output)
	}
	program := filepath.Join(c.folder, "harness")
	if err := os.Rename(filepath.Join(r.target, "debug", name), program); err != nil {
		return nil, err
	}
	return []string{program}, warnings(output)
}

func warnings(output string) error {
	if count := strings.Count("\n"+output, "\nwarning: "); count > 0 {
		return fmt.Errorf("%d warnings\n%s", count, firstLines(output, 16))
	}
	return nil
}
