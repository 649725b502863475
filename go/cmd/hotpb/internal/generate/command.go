// Package generate writes code from schemas: Go's by itself, Rust's and C++'s by their plugins.
package generate

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/progress"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/schemas"
)

// Command is `hotpb generate`.
type Command struct {
	ImportPath []string `short:"I" help:"A folder that imports are looked for in; without any, the current one." placeholder:"FOLDER" sep:"none"`
	Lang       string   `help:"The language: ${enum}." enum:"go,rust,cpp" default:"go"`
	Out        string   `short:"o" help:"The folder for the code." placeholder:"FOLDER"`
	Opt        []string `help:"Options of the generator, as its plugin takes them: faces=view+pool,hot=…" placeholder:"OPTIONS" sep:"none"`
	Only       []string `help:"Of a descriptor set, generate the code of these .proto files only." placeholder:"FILE.proto" sep:"none"`
	Config     string   `help:"The project's file, used when no FILE is named." default:"hotpb.yaml" placeholder:"FILE"`
	Check      bool     `help:"Write nothing; fail when a file differs from the code that would be generated."`
	Files      []string `arg:"" optional:"" help:".proto files or descriptor sets."`
}

// Help is the text of --help after the flags.
func (*Command) Help() string {
	return "Without FILE, hotpb.yaml lists the schemas and the code to generate. The command writes files only after all code has been " +
		"generated, and only those that change. Go needs neither protoc nor a plugin. Edition 2024 needs protoc or a descriptor set."
}

// made is a generated file.
type made struct {
	name    string
	content []byte
}

// Run generates the code.
func (c *Command) Run(std *console.Streams) error {
	p, err := c.project()
	if err != nil {
		return err
	}
	flags := schemas.Flags{Schema: p.Schemas, ImportPath: p.ImportPaths}
	bar := progress.Start(std.Err, "generate")
	defer bar.Stop()
	schema, err := flags.Load()
	if err != nil {
		return err
	}
	request, err := c.request(schema)
	if err != nil {
		return err
	}
	var all []made
	for _, j := range p.Generate {
		request.Parameter = proto.String(j.Opt)
		files, warnings, err := ask(j.Lang, request)
		if err != nil {
			return inSchema(request.FileToGenerate, p.Schemas, err)
		}
		if err := std.Notes("warning", warnings); err != nil {
			return err
		}
		for _, f := range files {
			if !filepath.IsLocal(f.GetName()) || f.GetInsertionPoint() != "" {
				return fault.In(f.GetName(), "the generator wants to write outside of "+j.Out, "")
			}
			all = append(all, made{filepath.Join(j.Out, filepath.FromSlash(f.GetName())), []byte(f.GetContent())})
		}
	}
	return c.write(std, all)
}

// project is that of the command line, or of the file.
func (c *Command) project() (*project, error) {
	if len(c.Files) == 0 {
		if c.Out != "" || len(c.Opt) > 0 {
			return nil, fault.Usage("--out and --opt are for a FILE, and there is none", "name a .proto file or a descriptor set")
		}
		return readProject(c.Config)
	}
	if c.Out == "" {
		return nil, fault.Usage("--out=FOLDER is missing", "name the folder for the code")
	}
	return &project{Schemas: c.Files, ImportPaths: c.ImportPath, Generate: []job{{c.Lang, c.Out, strings.Join(c.Opt, ",")}}}, nil
}

// request asks for the files named. The well-known types of a descriptor set are left out: the runtimes have them.
func (c *Command) request(schema *schemas.Schema) (*pluginpb.CodeGeneratorRequest, error) {
	set := new(descriptorpb.FileDescriptorSet)
	if err := (proto.UnmarshalOptions{AllowPartial: true, Resolver: new(protoregistry.Types)}).Unmarshal(schema.Set, set); err != nil {
		return nil, err
	}
	wanted := slices.DeleteFunc(slices.Clone(schema.Requested), func(name string) bool { return strings.HasPrefix(name, "google/protobuf/") })
	for _, name := range c.Only {
		if !slices.Contains(schema.Requested, name) {
			return nil, fault.Usage("the schemas have no file "+name, "their files are "+strings.Join(schema.Requested, ", "))
		}
		wanted = c.Only
	}
	if len(wanted) == 0 {
		wanted = schema.Requested
	}
	return &pluginpb.CodeGeneratorRequest{FileToGenerate: wanted, ProtoFile: set.File}, nil
}

// inSchema adds a file's name to an error of a generator: the .proto that the error begins with, or the schemas.
func inSchema(names, files []string, err error) error {
	var wrong *fault.Error
	if errors.As(err, &wrong) {
		return err
	}
	text := err.Error()
	for _, name := range names {
		if cause, ok := strings.CutPrefix(text, "InvalidSchema: "+name+": "); ok {
			cause, mend, _ := strings.Cut(cause, "; ")
			return fault.In(name, cause, mend)
		}
	}
	return fault.In(strings.Join(files, ", "), text, "")
}

// write writes the files that change, and lists all.
func (c *Command) write(std *console.Streams, all []made) error {
	type row struct {
		File    string `json:"file"`
		Bytes   int    `json:"bytes"`
		Changed bool   `json:"changed"`
	}
	rows, stale := []row{}, []string{}
	for _, m := range all {
		old, err := os.ReadFile(m.name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fault.IO(m.name, err)
		}
		changed := err != nil || !bytes.Equal(old, m.content)
		rows = append(rows, row{m.name, len(m.content), changed})
		switch {
		case changed && c.Check:
			stale = append(stale, m.name)
		case changed:
			if err := errors.Join(os.MkdirAll(filepath.Dir(m.name), 0o777), os.WriteFile(m.name, m.content, 0o666)); err != nil {
				return fault.IO(m.name, err)
			}
		}
	}
	if std.JSON {
		if err := std.WriteJSON(map[string]any{"files": rows}); err != nil {
			return err
		}
	} else {
		for _, r := range rows {
			fmt.Fprintf(std.Out, "%s  %d bytes%s\n", r.File, r.Bytes, map[bool]string{true: "", false: ", unchanged"}[r.Changed])
		}
	}
	if len(stale) > 0 {
		return fault.In(stale[0], fmt.Sprintf("%d files differ from the code of the schemas", len(stale)), "call hotpb generate without --check")
	}
	return nil
}
