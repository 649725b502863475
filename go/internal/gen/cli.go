// Package gen is the generator: it turns a plan into Go files. Package emit has the parts that all faces share; each face has
// its own package below it.
package gen

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

const usage = `protoc-gen-go-hotpb generates fast Go code from Protocol Buffers schemas.

Usage, as a plugin of protoc (without arguments):
  protoc --go-hotpb_out=DIR --go-hotpb_opt=OPTIONS FILE.proto

Usage, from a descriptor set (protoc --include_imports --include_source_info --descriptor_set_out=SET FILE.proto):
  protoc-gen-go-hotpb --descriptor_set=SET --out=DIR [--files=a.proto+b.proto] [--opt=OPTIONS] [--emit_plan=FILE|-]

Arguments:
  --descriptor_set=SET    the descriptor set to read
  --out=DIR               the folder to write the code into
  --files=a.proto+b.proto generate only these files of the set; all by default; may be repeated. A name that holds a +,
                          such as c++.proto, is recognised
  --opt=OPTIONS           the options below; may be repeated
  --emit_plan=FILE|-      write the plan of the schema as JSON, to a file or to standard output
  --help, -h              print this help
  --version               print the version

Options, separated by commas:
  faces=A+B               the faces to generate: %s
                          (default: %s)
  messages=pkg.A+pkg.B    only these messages and the messages they contain
  only=pkg.A.f+pkg.A.g    of each message named here, only these fields
  skip=pkg.A.f+pkg.B.g    all fields except these
  keep_skipped            keep the fields that only= or skip= leave out as unknown fields; the default is to drop them
  hot=pkg.A+pkg.B         (view, pool, codec) read and write these messages with code of their own: fast and larger
  cold=pkg.A+pkg.B        (view, pool, codec) read and write these messages by a table: slower and smaller;
                          * in hot= or cold= stands for all messages that neither names
  utf8=schema|strict      check the strings that the schema says (default), or all strings
  maps=go|sorted          (pool) store map fields as Go maps (default), or as lists sorted by key
  runtime=google|v1|gogo|gogofast|gogofaster|gogoslick
                          (codec) the generator of the stock structs: protoc-gen-go of google.golang.org/protobuf (default),
                          protoc-gen-go of golang/protobuf 1.3, or protoc-gen-gogo, protoc-gen-gogofast, …
  protomethods=true|false (codec) make proto.Marshal, Unmarshal and Size use the fast methods; costs time at start-up
  compat=csproto|vtproto  (codec) add the methods of csproto (Size, Marshal, MarshalTo, Unmarshal) or of vtprotobuf (MarshalVT, …)
                          where the names are free; csproto+vtproto adds both
  features=A+B            (compat=vtproto) only these features of vtprotobuf; all by default
  pool=import/path.Msg    (compat=vtproto) add pools for these messages, as (vtproto.mempool) does; a pattern; may be repeated
  pool-exclude=…          (compat=vtproto) no pools for these messages; a pattern; may be repeated
  ignoreUnknownFields=…   (compat=vtproto) drop unknown fields of these messages, as (vtproto.ignore_unknown_fields) does; a pattern; may be repeated
  specialname=Name+Name   (codec) the structs' fields of these Go names end in _, as csproto's option says; may be repeated
  filepermessage=true|false
                          (codec) write x.message.hot.go for each message, instead of one x.hot.go
  structs=value           (codec) write the structs, too: those that runtime=gogo, gogofast (default), gogofaster or gogoslick
                          describes, without gogo
  structs=before_1.36     (codec) the stock structs are from a protoc-gen-go before 1.36
  default_api_level=API_OPEN|API_HYBRID|API_OPAQUE
                          (codec) the same value as for protoc-gen-go
  apilevelM<file>=LEVEL   (codec) the same value as for protoc-gen-go
  paths=import|source_relative
                          place output files by Go import path (default), or beside the .proto files
  module=PREFIX           remove this prefix from the paths of output files
  M<file>=<import path>   the Go package of a .proto file
  emit_plan=FILE          write the plan of the schema as JSON; without faces= only the plan
  quiet                   leave out the line about a file of more than 200 messages without messages=, and nothing else
`

// Main runs the generator and returns the exit status.
func Main(arguments []string, stdin io.Reader, stdout, stderr io.Writer) int {
	run := func() error { return runPlugin(stdin, stdout, stderr) }
	if len(arguments) > 0 {
		run = func() error { return runCommand(arguments, stdout, stderr) }
	}
	if err := run(); err != nil {
		fmt.Fprintf(stderr, "protoc-gen-go-hotpb: %v\n", err)
		return 1
	}
	return 0
}

// runPlugin answers one CodeGeneratorRequest. Faults of the options or the schema go into the response, where
// protoc looks for them. A request that cannot be read is an error of runPlugin itself.
func runPlugin(stdin io.Reader, stdout, stderr io.Writer) error {
	input, err := io.ReadAll(stdin)
	if err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	response, err := respond(input, stderr)
	if err != nil {
		return err
	}
	output, err := proto.Marshal(response)
	if err != nil {
		return fmt.Errorf("writing the response: %w", err)
	}
	_, err = stdout.Write(output)
	return err
}

func respond(input []byte, stderr io.Writer) (*pluginpb.CodeGeneratorResponse, error) {
	request, err := plan.ReadRequest(input)
	if err != nil {
		return nil, err
	}
	response := &pluginpb.CodeGeneratorResponse{
		SupportedFeatures: proto.Uint64(uint64(pluginpb.CodeGeneratorResponse_FEATURE_PROTO3_OPTIONAL |
			pluginpb.CodeGeneratorResponse_FEATURE_SUPPORTS_EDITIONS)),
		MinimumEdition: proto.Int32(int32(descriptorpb.Edition_EDITION_2023)),
		MaximumEdition: proto.Int32(int32(descriptorpb.Edition_EDITION_2024)),
	}
	result, err := generateRequest(request)
	if err != nil {
		response.Error = proto.String(strings.ToValidUTF8(err.Error(), "\uFFFD"))
		return response, nil
	}
	for _, warning := range result.Warnings {
		fmt.Fprintf(stderr, "protoc-gen-go-hotpb: %s\n", warning)
	}
	for _, output := range result.Outputs {
		response.File = append(response.File, &pluginpb.CodeGeneratorResponse_File{
			Name:    proto.String(output.Name),
			Content: proto.String(string(output.Content)),
		})
	}
	return response, nil
}

func generateRequest(request *plan.Request) (*emit.Result, error) {
	options, err := emit.ParseOptions(request.Parameter)
	if err != nil {
		return nil, err
	}
	if options.EmitPlan == "-" {
		return nil, &emit.OptionError{Option: "emit_plan", Value: "-", Allowed: "standard output belongs to protoc here; name a file"}
	}
	p, err := request.Plan()
	if err != nil {
		return nil, err
	}
	return generateAll(p, options)
}

// generateAll returns the files of the faces, and the plan if it is asked for.
func generateAll(p *plan.Plan, options *emit.Options) (*emit.Result, error) {
	result, err := emit.Generate(p, options)
	if err != nil || options.EmitPlan == "" {
		return result, err
	}
	if options.EmitPlan != "-" && !filepath.IsLocal(options.EmitPlan) {
		return nil, &emit.OptionError{Option: "emit_plan", Value: options.EmitPlan, Allowed: "name a file inside the output folder"}
	}
	result.Outputs = append(result.Outputs, emit.Output{Name: options.EmitPlan, Content: p.JSON()})
	return result, nil
}

// command is the generator's own command line.
type command struct {
	descriptorSet, out, emitPlan string
	files, options               []string
}

func parseCommand(arguments []string) (*command, error) {
	c := &command{}
	for _, argument := range arguments {
		key, value, _ := strings.Cut(argument, "=")
		single := map[string]*string{"--descriptor_set": &c.descriptorSet, "--out": &c.out, "--emit_plan": &c.emitPlan}[key]
		switch {
		case value == "":
			return nil, fmt.Errorf("argument %s: --descriptor_set=, --out=, --files=, --opt= and --emit_plan= are allowed, and each needs a value", argument)
		case single != nil && *single != "":
			return nil, fmt.Errorf("argument %s: given twice", argument)
		case single != nil:
			*single = value
		case key == "--files":
			c.files = append(c.files, value)
		case key == "--opt":
			c.options = append(c.options, value)
		default:
			return nil, fmt.Errorf("argument %s: there is no %s; --descriptor_set=, --out=, --files=, --opt= and --emit_plan= are allowed", argument, key)
		}
	}
	if c.descriptorSet == "" {
		return nil, errors.New("--descriptor_set=FILE is missing")
	}
	if c.out == "" && c.emitPlan == "" {
		return nil, errors.New("--out=DIR or --emit_plan=FILE is missing")
	}
	return c, nil
}

func runCommand(arguments []string, stdout, stderr io.Writer) error {
	switch arguments[0] {
	case "--help", "-h":
		fmt.Fprintf(stdout, usage, strings.Join(emit.Existing(), ", "), strings.Join(emit.Default(), "+"))
		return nil
	case "--version":
		fmt.Fprintf(stdout, "protoc-gen-go-hotpb %s\n", emit.Version)
		return nil
	}
	c, err := parseCommand(arguments)
	if err != nil {
		return err
	}
	options, err := emit.ParseOptions(strings.Join(c.options, ","))
	if err != nil {
		return err
	}
	if options.EmitPlan != "" {
		return &emit.OptionError{Option: "emit_plan", Value: options.EmitPlan, Allowed: "without protoc it is an argument of its own: --emit_plan=" + options.EmitPlan}
	}
	input, err := os.ReadFile(c.descriptorSet)
	if err != nil {
		return err
	}
	p, err := plan.FromDescriptorSet(input, c.files)
	if err != nil {
		return err
	}
	if c.emitPlan == "-" {
		if _, err := stdout.Write(p.JSON()); err != nil {
			return err
		}
	} else if c.emitPlan != "" {
		if err := os.WriteFile(c.emitPlan, p.JSON(), 0o666); err != nil {
			return err
		}
	}
	if c.out == "" {
		return nil
	}
	result, err := emit.Generate(p, options)
	if err != nil {
		return err
	}
	for _, warning := range result.Warnings {
		fmt.Fprintf(stderr, "protoc-gen-go-hotpb: %s\n", warning)
	}
	return write(c.out, result.Outputs)
}

// write writes the files below a folder. Generate has checked that no file lies outside it.
func write(folder string, outputs []emit.Output) error {
	for _, output := range outputs {
		name := filepath.Join(folder, filepath.FromSlash(output.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, output.Content, 0o666); err != nil {
			return err
		}
	}
	return nil
}
