// Command hotpb-schema-arrow writes the Arrow schema of a schema file as text. `hotpb schema arrow` calls it, so that
// the command hotpb is built without Arrow.
//
//	hotpb-schema-arrow [--on=PATTERN] [--off=PATTERN] [--on-group=GROUP] [--off-group=GROUP] flows.yaml
//
// An error is FILE:LINE: CAUSE on standard error. The exit status is 1 for a wrong schema and 2 for a wrong call.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/hotpb/hotpb/go/schema"
	schemaarrow "github.com/hotpb/hotpb/go/schema/arrow"
	schemayaml "github.com/hotpb/hotpb/go/schema/yaml"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// texts are the values of a flag that may be repeated.
type texts []string

func (t *texts) String() string { return fmt.Sprint([]string(*t)) }

func (t *texts) Set(text string) error {
	*t = append(*t, text)
	return nil
}

func run(arguments []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("hotpb-schema-arrow", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var on, off, onGroup, offGroup texts
	flags.Var(&on, "on", "switch columns on (`PATTERN`)")
	flags.Var(&off, "off", "switch columns off (`PATTERN`)")
	flags.Var(&onGroup, "on-group", "switch a `GROUP` of columns on")
	flags.Var(&offGroup, "off-group", "switch a `GROUP` of columns off")
	version := flags.Bool("version", false, "show the version")
	switch err := flags.Parse(arguments); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case *version:
		number := "unknown"
		if info, ok := debug.ReadBuildInfo(); ok {
			number = info.Main.Version
		}
		fmt.Fprintln(stdout, number)
		return 0
	case flags.NArg() != 1:
		fmt.Fprintln(stderr, "hotpb-schema-arrow: name one schema file (YAML)")
		return 2
	}
	name := flags.Arg(0)
	text, err := os.ReadFile(name)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	out, err := arrow(text, schema.OffGroup(offGroup...), schema.OnGroup(onGroup...), schema.Off(off...), schema.On(on...))
	if err != nil {
		report(stderr, name, err)
		return 1
	}
	if _, err := fmt.Fprintln(stdout, out); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

// arrow is the Arrow schema of a schema file's text.
func arrow(text []byte, switches ...schema.CompileOption) (fmt.Stringer, error) {
	file, err := schemayaml.Parse(text)
	if err != nil {
		return nil, err
	}
	plan, err := file.Compile(switches...)
	if err != nil {
		return nil, err
	}
	s, err := schemaarrow.Schema(plan)
	if err != nil {
		return nil, file.Locate(err)
	}
	return s, nil
}

// report writes a line for each error in err.
func report(w io.Writer, name string, err error) {
	parts := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		parts = joined.Unwrap()
	}
	for _, part := range parts {
		var place *schemayaml.Error
		if errors.As(part, &place) && place.Line > 0 {
			without := *place
			without.Line = 0
			fmt.Fprintf(w, "%s:%d: %v\n", name, place.Line, &without)
		} else {
			fmt.Fprintf(w, "%s: %v\n", name, part)
		}
	}
}
