// Command hotpb looks at Protocol Buffers messages and schemas, and prepares them for hot paths:
//
//	hotpb generate --out=DIR app.proto              code for Go, Rust or C++
//	hotpb inspect FILE                              the wire form of messages, annotated
//	hotpb convert -s app.proto FILE                 messages in another form
//	hotpb lint --hot -s app.proto FILE…             advice on schemas of hot paths
//	hotpb profile -s app.proto -m app.Batch FILE…   the generators' hot= and cold=, counted from messages
//	hotpb migrate --from=gogo FOLDER                what changes in a code base that comes from another tool
//	hotpb bench -s app.proto -m app.Batch FILE…     is it worth it? the faces beside the stock runtimes, on your data
//	hotpb completion SHELL                          completions for bash, zsh and fish
//
//	hotpb schema show flows.yaml                    the columns
//	hotpb schema proto flows.yaml                   the .proto text
//	hotpb schema clickhouse flows.yaml              the statements that create ClickHouse's tables
//	hotpb schema arrow flows.yaml                   the Arrow schema, by the program hotpb-schema-arrow
//	hotpb schema hash flows.yaml                    the wire hash, for names of topics
//	hotpb schema lock flows.yaml                    writes flows.lock
//	hotpb schema check flows.yaml                   compares with flows.lock
//
// The schema files are those of package schema/yaml. An error is a line with file, offset or line, cause and mend. The exit
// status is 1 for wrong data, a wrong schema or a failed check, and 2 for a wrong call.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/posener/complete"
	"github.com/willabides/kongplete"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/bench"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/convert"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/generate"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/inspect"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/lint"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/migrate"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/profile"
	"github.com/hotpb/hotpb/go/schema"
	schemayaml "github.com/hotpb/hotpb/go/schema/yaml"
	"github.com/hotpb/hotpb/go/wire"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// commandLine is the command line; kong fills it in.
type commandLine struct {
	Version    kong.VersionFlag  `help:"Show the version."`
	JSON       bool              `name:"json" help:"Write results and errors as JSON."`
	Generate   generate.Command  `cmd:"" help:"Generate code for Go, Rust or C++."`
	Inspect    inspect.Command   `cmd:"" help:"Show the wire form of messages: each record with its offset, bytes and meaning."`
	Convert    convert.Command   `cmd:"" help:"Turn messages from one form into another: binary, delimited, JSON, text, hex, base64."`
	Lint       lint.Command      `cmd:"" help:"Advice for hot paths, from a schema and samples of messages."`
	Migrate    migrate.Command   `cmd:"" help:"List, and make, the changes of a move from gogo, vtprotobuf or csproto."`
	Schema     schemaCommands    `cmd:"" help:"Schemas known at run time."`
	Profile    profile.Command   `cmd:"" help:"Count messages and their records, for the generators' options hot= and cold=."`
	Bench      bench.Command     `cmd:"" help:"Is it worth it? The faces beside the stock runtimes, on your data."`
	Completion completionCommand `cmd:"" help:"Write completions for a shell."`
}

// The exit codes.
const (
	fine   = 0
	wrong  = 1
	misuse = 2
)

// output is standard output. It keeps the first failure, which no command then has to look for.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err != nil && o.err == nil {
		o.err = fault.In("standard output", fault.Cause(err), "look at the disk or the program that reads it")
	}
	return n, err
}

// help ends the command after its help or version has been shown.
type help struct{ code int }

func run(arguments []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	out := &output{w: stdout}
	streams := &console.Streams{In: stdin, Out: out, Err: stderr}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case help:
			code = r.code
			if out.err != nil {
				report(streams, out.err)
				code = wrong
			}
		default:
			panic(r)
		}
	}()
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
	}
	var line commandLine
	parser, err := kong.New(&line,
		kong.Name("hotpb"), kong.Description("Looks at Protocol Buffers messages and schemas, and prepares them for hot paths."), kong.Writers(out, stderr),
		kong.Vars{"version": version, "depth": strconv.Itoa(wire.DefaultDepth)}, kong.Exit(func(code int) { panic(help{code}) }),
		kong.Bind(streams),
	)
	if err != nil {
		panic(err) // the declarations above are wrong
	}
	if os.Getenv("COMP_LINE") != "" { // the shell asks
		kongplete.Complete(parser, kongplete.WithPredictor("file", complete.PredictFiles("*")))
	}
	context, err := parser.Parse(arguments)
	streams.JSON = line.JSON || err != nil && slices.Contains(arguments, "--json")
	switch {
	case out.err != nil: // of the help
		report(streams, out.err)
		return wrong
	case err != nil:
		report(streams, fault.Usage(err.Error(), "--help shows how"))
		return misuse
	}
	err = context.Run()
	if out.err != nil {
		err = out.err
	}
	if err != nil {
		report(streams, err)
		if fault.IsUsage(err) {
			return misuse
		}
		return wrong
	}
	return fine
}

// report writes a line for each thing that is wrong.
func report(std *console.Streams, err error) {
	if !std.JSON {
		fault.Report(std.Err, err)
		return
	}
	for _, part := range fault.Parts(err) {
		reportJSON(std.Err, part)
	}
}

// reportJSON writes an error as a line of JSON.
func reportJSON(w io.Writer, err error) {
	line := map[string]any{"cause": err.Error()}
	var f *fault.Error
	if errors.As(err, &f) {
		line["cause"] = f.Cause
		if f.File != "" {
			line["file"] = f.File
		}
		if f.Mend != "" {
			line["mend"] = f.Mend
		}
		if f.Line > 0 {
			line["line"] = f.Line
		}
		if f.Column > 0 {
			line["column"] = f.Column
		}
		if f.Offset >= 0 {
			line["offset"] = f.Offset
		}
	}
	text, failure := json.Marshal(line)
	if failure != nil { // texts and numbers always are JSON
		panic(failure)
	}
	fmt.Fprintf(w, "%s\n", text)
}

// source is a schema file and the columns that are switched in it.
type source struct {
	File     string   `arg:"" help:"The schema file (YAML)."`
	On       []string `help:"Switch columns on (patterns)." placeholder:"PATTERN"`
	Off      []string `help:"Switch columns off (patterns)." placeholder:"PATTERN"`
	OnGroup  []string `help:"Switch groups of columns on." placeholder:"GROUP"`
	OffGroup []string `help:"Switch groups of columns off." placeholder:"GROUP"`
}

// read reads and compiles the file.
func (s *source) read() (*schemayaml.File, *schema.Plan, error) {
	text, err := os.ReadFile(s.File)
	if err != nil {
		return nil, nil, fault.IO(s.File, err)
	}
	if filepath.Ext(s.File) == ".proto" {
		return nil, nil, fault.In(s.File, "it is a .proto, and these commands read the YAML of schemas known at run time",
			"docs/schema.md has its rules; inspect, convert, lint, profile and generate read a .proto")
	}
	file, err := schemayaml.Parse(text)
	if err != nil {
		return nil, nil, inSchema(s.File, err)
	}
	plan, err := file.Compile(schema.OffGroup(s.OffGroup...), schema.OnGroup(s.OnGroup...), schema.Off(s.Off...), schema.On(s.On...))
	if err != nil {
		return nil, nil, inSchema(s.File, err)
	}
	return file, plan, nil
}

// export adds the file's lines to an export's errors.
func (s *source) export(file *schemayaml.File, err error) error {
	return inSchema(s.File, file.Locate(err))
}

const schemaRules = "docs/schema.md has the rules of schema files"

// inSchema turns each error of package schema/yaml into one with file, line and mend.
func inSchema(name string, err error) error {
	var all []error
	for _, part := range fault.Parts(err) {
		wrong := &fault.Error{File: name, Offset: fault.NoOffset, Cause: part.Error(), Mend: schemaRules}
		var place *schemayaml.Error
		if errors.As(part, &place) {
			without := *place
			without.Line = 0
			wrong.Line, wrong.Cause = place.Line, without.Error()
			if strings.HasPrefix(place.Reason, "no column is in ") { // of a pattern or a group
				wrong.Line, wrong.Mend = 0, "hotpb schema show lists columns and groups"
			}
		}
		all = append(all, wrong)
	}
	return errors.Join(all...)
}
