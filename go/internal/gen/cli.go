// Package gen is the second half of the generator: it turns a plan into Go files. Package emit has what all faces share; each
// face is a package, which registers itself.
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

const usage = `protoc-gen-go-hotpb makes fast Go code for Protocol Buffers messages.

As a protoc plugin (no arguments):
  protoc --go-hotpb_out=DIR --go-hotpb_opt=OPTIONS FILE.proto

On its own, from a descriptor set (protoc --include_imports --include_source_info --descriptor_set_out=F):
  protoc-gen-go-hotpb --descriptor_set=F --out=DIR [--files=a.proto+b.proto] [--opt=OPTIONS] [--emit_plan=FILE|-]

Options, separated by commas:
  faces=A+B               the faces to generate: %s
  messages=pkg.A+pkg.B    only these messages and what they hold
  only=pkg.A.f+pkg.A.g    of each message named, only these fields
  skip=pkg.A.f+pkg.B.g    all fields but these
  keep_skipped            keep what is left out so among the unknown fields, instead of dropping it
  utf8=schema|strict      check strings as the schema says, or all
  maps=go|sorted          (pool) map fields as Go maps, or as lists by key
  runtime=google|v1|gogo  (codec) whose structs: protoc-gen-go of google.golang.org/protobuf, or of
                          golang/protobuf 1.3, or protoc-gen-gogo
  protomethods=true|false (codec) proto.Marshal, Unmarshal and Size take the fast path; costs time at start-up
  compat=csproto          (codec) csproto's names, too: Size, Marshal, MarshalTo, Unmarshal, where nothing else has them
  filepermessage=true|false
                          (codec) x.message.hot.go for each message, instead of one x.hot.go
  structs=before_1.36     (codec) the structs are from a protoc-gen-go before 1.36
  default_api_level=API_OPEN|API_HYBRID|API_OPAQUE
                          (codec) what protoc-gen-go was told; apilevelM<file>= likewise
  paths=import|source_relative
  module=PREFIX           prefix to take off the output paths
  M<file>=<import path>   Go package of a .proto file
  emit_plan=FILE          the plan as JSON; alone, unless faces= is given
`

// Main runs the generator and gives the exit status.
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

// runPlugin answers one CodeGeneratorRequest. What is wrong with the options or
// the schema goes into the response, where protoc looks for it; a request that
// cannot be read is a failure of its own.
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
		return nil, &emit.OptionError{Option: "emit_plan", Value: "-", Allowed: "standard output belongs to protoc here; a file name is allowed"}
	}
	p, err := request.Plan()
	if err != nil {
		return nil, err
	}
	return generateAll(p, options)
}

// generateAll gives the plan, when it is asked for, and the faces.
func generateAll(p *plan.Plan, options *emit.Options) (*emit.Result, error) {
	result, err := emit.Generate(p, options)
	if err != nil || options.EmitPlan == "" {
		return result, err
	}
	if options.EmitPlan != "-" && !filepath.IsLocal(options.EmitPlan) {
		return nil, &emit.OptionError{Option: "emit_plan", Value: options.EmitPlan, Allowed: "the name of a file inside the output folder is allowed"}
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
			return nil, fmt.Errorf("argument %s: --descriptor_set=, --out=, --files=, --opt= and --emit_plan= are allowed, each with a value", argument)
		case single != nil && *single != "":
			return nil, fmt.Errorf("argument %s: given twice", argument)
		case single != nil:
			*single = value
		case key == "--files":
			c.files = append(c.files, strings.Split(value, "+")...)
		case key == "--opt":
			c.options = append(c.options, value)
		default:
			return nil, fmt.Errorf("argument %s: there is no %s; --descriptor_set=, --out=, --files=, --opt= and --emit_plan= are allowed", argument, key)
		}
	}
	if c.descriptorSet == "" {
		return nil, errors.New("--descriptor_set=FILE is wanted")
	}
	if c.out == "" && c.emitPlan == "" {
		return nil, errors.New("--out=DIR or --emit_plan=FILE is wanted")
	}
	return c, nil
}

func runCommand(arguments []string, stdout, stderr io.Writer) error {
	switch arguments[0] {
	case "--help", "-h":
		fmt.Fprintf(stdout, usage, strings.Join(emit.Existing(), ", "))
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
		return &emit.OptionError{Option: "emit_plan", Value: options.EmitPlan, Allowed: "outside of protoc it is an argument: --emit_plan=" + options.EmitPlan}
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

// write puts the files below a folder. Generate has seen to it that none lies outside.
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
