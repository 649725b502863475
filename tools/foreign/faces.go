package main

import (
	"embed"
	"os"
	"path/filepath"

	"github.com/hotpb/hotpb/tools/foreign/oracle"
)

// faces are the columns: what is generated together, and the ways in which the harness goes through it. Their order is that
// of the numbers in the requests.
var faces = []*face{
	{language: "go", name: "view", options: "view+reencode", variants: []variant{{name: "fresh"}, {name: "reused"}}},
	{language: "go", name: "pool", options: "pool+canonical", variants: []variant{
		{name: "accessors of a fresh message"}, {name: "accessors of a reused message"},
		{name: "encoder", extensions: oracle.None}, {name: "clone", extensions: oracle.None}}},
	{language: "go", name: "writer", options: "pool+canonical+writer+rewrite", variants: []variant{{name: "writer"}}},
	{language: "go", name: "codec", options: "codec", variants: []variant{{name: "deterministic", stock: 2}}},
	{language: "go", name: "edit", options: "view+edit+reflect"},
	{language: "go", name: "reflect", options: "pool+reflect"},
	{language: "rust", name: "pool", options: "pool+reencode", variants: []variant{
		{name: "accessors"}, {name: "encoder", extensions: oracle.None}}},
	{language: "rust", name: "writer", options: "pool+writer+reencode+rewrite", variants: []variant{{name: "writer"}}},
	{language: "rust", name: "view", options: "view+reencode_view", variants: []variant{{name: "view"}}},
	{language: "rust", name: "builder", options: "pool+builder+visitor+reencode", variants: []variant{
		{name: "builder", extensions: oracle.None}, {name: "visitor", extensions: oracle.None}}},
	{language: "cpp", name: "view", options: "view+reencode", variants: []variant{{name: "fresh"}, {name: "reused"}}},
	{language: "cpp", name: "pool", options: "pool+reencodepool", variants: []variant{
		{name: "accessors"}, {name: "accessors of a fresh copy"}, {name: "encoder", extensions: oracle.None}}},
	{language: "cpp", name: "builder", options: "pool+builder+visitor+owned", variants: []variant{
		{name: "builder", extensions: oracle.None}, {name: "visitor", extensions: oracle.None}}},
	{language: "cpp", name: "writer", options: "view+writer+reencode+rewrite", variants: []variant{{name: "writer"}}},
}

// leftOut are the cells that are not run unless --everything asks for them, with the reason.
var leftOut = map[string]string{
	"perfetto_trace go-writer":  tooMuchCode,
	"perfetto_trace go-reflect": tooMuchCode,
}

const tooMuchCode = "the Go pool of this set is 12 MB of code: some minutes to compile, for each of the faces that have it; the face pool is run"

// glue are the programs around the generated code.
//
//go:embed glue
var glue embed.FS

// place writes a file of glue into a folder.
func place(from, folder, name string) error {
	content, err := glue.ReadFile("glue/" + from)
	if err != nil {
		return err
	}
	return write(content, folder, name)
}

func write(content []byte, folder, name string) error {
	path := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}
