// Command flows collects NetFlow v5 and v9, IPFIX and sFlow v5, and writes flows in the form of the schema file:
// to Kafka, to files, or to standard output.
//
//	flows collect                  reads sockets
//	flows replay FILE...           reads captures
//	flows explain FILE             shows what each field of a capture's datagrams became
//	flows generate HOST:PORT       generates flows and sends them
//	flows cat FILE...              shows files of flows as JSON
//	flows schema                   shows the columns, the .proto text, ClickHouse's statements, the wire hash
//	flows clickhouse migrate       makes the tables of a ClickHouse server those of the schema
//
// Options are flags, variables FLOWS_..., and lines of a file (--config), in this order of precedence. The command
// exits with 1 after an error, with 2 after wrong usage, with 3 if flows were lost at its end, and with 4 if a
// second signal has cut the end short.
package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"

	"github.com/alecthomas/kong"
)

// builtIn is the schema that is used without --schema.
//
//go:embed flows.yaml
var builtIn []byte

// The exit codes.
const (
	fine   = 0
	wrong  = 1
	misuse = 2
	lossy  = 3
	cutOff = 4
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// commandLine is the struct that kong fills.
type commandLine struct {
	Config configFile `help:"Read options from a YAML file; paths in it are relative to its folder." placeholder:"FILE"`
	Log    logOptions `embed:"" prefix:"log-"`

	Collect  collectCommand  `cmd:"" help:"Read flows from sockets."`
	Replay   replayCommand   `cmd:"" help:"Read flows from captures: pcap, pcapng, .dgrams, also compressed with gzip."`
	Explain  explainCommand  `cmd:"" help:"Show what each field of the datagrams in a capture became, and why something was dropped."`
	Generate generateCommand `cmd:"" help:"Generate flows and send them, or write them to a file."`
	Cat      catCommand      `cmd:"" help:"Show files of flows as JSON, one flow a line."`
	Schema   schemaCommand   `cmd:"" help:"Show the schema: its columns, or its form for other programs."`
	Database databaseCommand `cmd:"" name:"clickhouse" help:"Change the tables of a ClickHouse server that is in use."`
	Version  versionCommand  `cmd:"" help:"Show the version, the commit if it is known, and the hash of the schema."`
}

// logLevel is a level by one of its names.
type logLevel struct{ slog.Level }

// UnmarshalText reads a name; kong calls it.
func (l *logLevel) UnmarshalText(text []byte) error {
	if err := l.Level.UnmarshalText(text); err != nil {
		return fmt.Errorf("%q is not one of debug, info, warn, error", text)
	}
	return nil
}

type logOptions struct {
	Level  logLevel `help:"Log level: debug, info, warn or error." default:"info" placeholder:"LEVEL"`
	Format string   `help:"Log format: text or json." enum:"text,json" default:"text"`
}

func (o *logOptions) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: o.Level.Level}
	if o.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// exit ends the command with a code, without an error message.
type exit struct{ code int }

func (e exit) Error() string { return fmt.Sprintf("exit code %d", e.code) }

func run(arguments []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case exit:
			code = r.code
		default:
			panic(r)
		}
	}()
	var line commandLine
	parser, err := kong.New(&line,
		kong.Name("flows"), kong.Description("Collects NetFlow, IPFIX and sFlow by one schema file."),
		kong.Writers(stdout, stderr), kong.Exit(func(code int) { panic(exit{code}) }),
		kong.DefaultEnvars("FLOWS"), kong.Configuration(loadConfig),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 110}),
		kong.BindTo(stdout, (*io.Writer)(nil)),
		kong.BindToProvider(func() (*slog.Logger, error) { return line.Log.logger(stderr), nil }),
	)
	if err != nil {
		panic(err) // the declarations above are wrong
	}
	context, err := parser.Parse(arguments)
	if err != nil {
		var option *optionError
		var place *fs.PathError
		var parse *kong.ParseError
		switch {
		case errors.As(err, &option): // without what kong puts before it
			err = option
		case errors.As(err, &parse) && fromEnvironment(parse) != nil:
			err = fromEnvironment(parse)
		case errors.As(err, &place): // no other file is opened yet
			err = fmt.Errorf("--config: %w", place)
		}
		report(stderr, fmt.Errorf("%w (--help shows how)", err))
		return misuse
	}
	var end exit
	switch err := context.Run(); {
	case err == nil:
		return fine
	case errors.As(err, &end):
		return end.code
	default:
		report(stderr, err)
		return wrong
	}
}

// report writes a line for each fault.
func report(w io.Writer, err error) {
	for _, line := range faultLines("", err) {
		fmt.Fprintf(w, "flows: %s\n", line)
	}
}
