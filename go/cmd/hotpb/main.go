// Command hotpb works on schemas of the schema face, and on samples of messages:
//
//	hotpb schema show flows.yaml        the columns
//	hotpb schema proto flows.yaml       the .proto text
//	hotpb schema clickhouse flows.yaml  the statements that make ClickHouse's tables
//	hotpb schema arrow flows.yaml       the Arrow schema
//	hotpb schema hash flows.yaml        the wire hash, for names of topics
//	hotpb schema lock flows.yaml        writes flows.lock
//	hotpb schema check flows.yaml       compares with flows.lock
//
//	hotpb profile --set=app.fds --message=app.Batch FILE…    the generators' hot= and cold=, from what the messages are made of
//
// The schema files are those of package schemayaml. What is wrong with one is told as FILE:LINE: NAME: REASON. The command
// exits with 1 when a schema is wrong or a check fails, and with 2 when it is called wrongly.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/alecthomas/kong"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schemayaml"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// commandLine is what kong reads into.
type commandLine struct {
	Version kong.VersionFlag `help:"Show the version."`
	Schema  schemaCommands   `cmd:"" help:"Schemas known at run time."`
	Profile profileCommand   `cmd:"" help:"Count what messages are made of, for the generators' options hot= and cold=."`
}

// The exit codes.
const (
	fine   = 0
	wrong  = 1
	misuse = 2
)

// help ends the command after its help or version has been shown.
type help struct{ code int }

func run(arguments []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case help:
			code = r.code
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
		kong.Name("hotpb"), kong.Description("Works on schemas of hotpb's schema face, and on samples of messages."), kong.Writers(stdout, stderr),
		kong.Vars{"version": version}, kong.Exit(func(code int) { panic(help{code}) }), kong.BindTo(stdout, (*io.Writer)(nil)),
	)
	if err != nil {
		panic(err) // the declarations above are wrong
	}
	context, err := parser.Parse(arguments)
	if err != nil {
		fmt.Fprintf(stderr, "hotpb: %v (--help shows how)\n", err)
		return misuse
	}
	if err := context.Run(); err != nil {
		report(stderr, err)
		return wrong
	}
	return fine
}

// report writes a line for each thing that is wrong.
func report(w io.Writer, err error) {
	var file *fileError
	name := ""
	if errors.As(err, &file) {
		name, err = file.name, file.err
	}
	parts := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		parts = joined.Unwrap()
	}
	for _, part := range parts {
		var place *schemayaml.Error
		switch {
		case name == "":
			fmt.Fprintf(w, "hotpb: %v\n", part)
		case errors.As(part, &place) && place.Line > 0:
			without := *place
			without.Line = 0
			fmt.Fprintf(w, "%s:%d: %v\n", name, place.Line, &without)
		default:
			fmt.Fprintf(w, "%s: %v\n", name, part)
		}
	}
}

// fileError is what is wrong with a file.
type fileError struct {
	name string
	err  error
}

func (e *fileError) Error() string { return e.name + ": " + e.err.Error() }

// source is a schema file and what is switched in it.
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
		return nil, nil, err
	}
	file, err := schemayaml.Parse(text)
	if err != nil {
		return nil, nil, &fileError{s.File, err}
	}
	plan, err := file.Compile(schema.OffGroup(s.OffGroup...), schema.OnGroup(s.OnGroup...), schema.Off(s.Off...), schema.On(s.On...))
	if err != nil {
		return nil, nil, &fileError{s.File, err}
	}
	return file, plan, nil
}

// export gives an export's errors the file's lines.
func (s *source) export(file *schemayaml.File, err error) error {
	if err == nil {
		return nil
	}
	return &fileError{s.File, file.Locate(err)}
}
