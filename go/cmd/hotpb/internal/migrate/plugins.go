package migrate

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
	"github.com/hotpb/hotpb/go/internal/gen/emit"
)

// pluginRules say how calls of a tool's protoc plugins change.
type pluginRules struct {
	names  *regexp.Regexp                                                          // of a plugin, without protoc-gen-
	remote map[string]string                                                       // names in buf's registry, where they differ
	source string                                                                  // the import path of the plugins' commands, without their names
	drop   *regexp.Regexp                                                          // options that the plugin's list leaves out, where they stand alone
	beside bool                                                                    // hotpb's plugin runs after the old one, and not in its place
	adapt  func(plugin string, options []string) (hotpbOptions, problems []string) // options
}

var csprotoPlugins = pluginRules{names: regexp.MustCompile(`^fastmarshal$`), source: csprotoPath + "/cmd/", adapt: func(_ string, options []string) (hotpbOptions, problems []string) {
	hotpbOptions = []string{"faces=codec", "compat=csproto"}
	for _, o := range options {
		switch name, value, _ := strings.Cut(o, "="); {
		case name == "apiversion" && value == "v1":
			problems = append(problems, "apiversion=v1: add runtime=v1, or runtime=gogo, gogofast, gogofaster, gogoslick for the structs of gogo's generators")
		case name == "apiversion":
		case name == "enableunsafedecode":
			problems = append(problems, o+": codec.UnmarshalOptions{Alias: true} for each call")
		default:
			hotpbOptions = append(hotpbOptions, o)
		}
	}
	return hotpbOptions, problems
}}

var vtprotoPlugins = pluginRules{names: regexp.MustCompile(`^go-vtproto$`), source: vtprotoPath + "/cmd/",
	remote: map[string]string{"planetscale-vtprotobuf": "go-vtproto"}, adapt: func(_ string, options []string) (hotpbOptions, problems []string) {
		hotpbOptions = []string{"faces=codec", "compat=vtproto"}
		for _, o := range options {
			switch name, value, _ := strings.Cut(o, "="); name {
			case "wrap", "buildTag", "allow-empty":
				problems = append(problems, name+": hotpb refuses it; leave it out")
			case "features":
				features := strings.Split(value, "+")
				if slices.Contains(features, "grpc") {
					problems = append(problems, "features=grpc: use protoc-gen-go-grpc")
					features = slices.DeleteFunc(features, func(f string) bool { return f == "grpc" })
				}
				hotpbOptions = append(hotpbOptions, "features="+strings.Join(features, "+"))
			default:
				hotpbOptions = append(hotpbOptions, o)
			}
		}
		return hotpbOptions, problems
	}}

var gogoPlugins = pluginRules{names: regexp.MustCompile(`^(gogo|gogofast|gogofaster|gogoslick)$`), source: "github.com/gogo/protobuf/",
	beside: true, adapt: func(plugin string, options []string) (hotpbOptions, problems []string) {
		hotpbOptions = []string{"faces=codec", "runtime=" + plugin}
		for _, o := range options {
			if name, _, _ := strings.Cut(o, "="); name != "plugins" { // gRPC's stubs stay with gogo's plugin
				hotpbOptions = append(hotpbOptions, o)
			}
		}
		return hotpbOptions, nil
	}}

// bufPlugins names hotpb's plugin in a template, by the template's version.
var bufPlugins = map[string]string{
	"":        "local: [go, tool, protoc-gen-go-hotpb]",
	"v1":      "plugin: go-hotpb, path: [go, tool, protoc-gen-go-hotpb]",
	"v1beta1": "name: go-hotpb, path: FOLDER/protoc-gen-go-hotpb",
}

// templateVersion is the version that a template says, if that names plugins in its own way.
func templateVersion(template ast.Node) string {
	if m, ok := template.(*ast.MappingNode); ok {
		for _, v := range m.Values {
			if values := scalars(v.Value); v.Key.String() == "version" && len(values) == 1 && bufPlugins[values[0]] != "" {
				return values[0]
			}
		}
	}
	return ""
}

// gogoValuePlugins replace gogo's by hotpb's, which writes the structs.
var gogoValuePlugins = pluginRules{names: gogoPlugins.names, source: gogoPlugins.source, drop: regexp.MustCompile(`\bM[^\s=,]+=(` + gogoModule + `/[^\s,:"']+)`), adapt: func(plugin string, options []string) (hotpbOptions, problems []string) {
	hotpbOptions = []string{"faces=codec", "structs=value", "runtime=" + plugin}
	for _, o := range options {
		switch name, value, _ := strings.Cut(o, "="); {
		case name == "plugins":
			problems = append(problems, o+": protoc-gen-go-grpc writes the stubs, into the same package")
		case !gogoSchemas[value]: // Google's files have Google's structs
			hotpbOptions = append(hotpbOptions, o)
		}
	}
	return hotpbOptions, problems
}}

// gogoSchemas are the packages of gogo's module for Google's .proto files and gogo's own.
var gogoSchemas = map[string]bool{gogoModule + "/types": true, gogoModule + "/gogoproto": true, gogoModule + "/protoc-gen-gogo/descriptor": true, gogoModule + "/protoc-gen-gogo/plugin": true}

// inBuf finds the tool's plugins in a buf.gen.yaml of version v1, v1beta1 or v2.
func (t *tool) inBuf(name, path string) ([]finding, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.IO(name, err)
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, fault.In(name, strings.ReplaceAll(err.Error(), "\n", " "), "correct the file")
	}
	var found []finding
	for _, document := range file.Docs {
		kind := bufPlugins[templateVersion(document.Body)]
		for _, node := range ast.Filter(ast.MappingType, document.Body) {
			if m := node.(*ast.MappingNode); m != nil {
				found = append(found, t.bufPlugin(name, kind, m)...)
			}
		}
	}
	return found, nil
}

// bufPlugin judges one plugin of a template. how is the way in which its version names hotpb's.
func (t *tool) bufPlugin(name, kind string, m *ast.MappingNode) []finding {
	var plugin, out, remote string
	var options []string
	for _, v := range m.Values {
		switch key := v.Key.String(); key {
		case "local", "name", "plugin", "protoc_builtin", "remote":
			values := scalars(v.Value)
			if len(values) == 0 {
				return nil
			}
			plugin, remote = t.pluginOf(key, values[len(values)-1])
		case "out":
			out = strings.Join(scalars(v.Value), "")
		case "opt":
			for _, o := range scalars(v.Value) {
				options = append(options, emit.SplitOptions(o)...)
			}
		}
	}
	if !t.plugins.names.MatchString(plugin) {
		return nil
	}
	converted, problems := t.plugins.adapt(plugin, options)
	do := "becomes"
	if t.plugins.beside {
		do = "stays, and after it comes"
	}
	do += fmt.Sprintf(" {%s, out: %s, opt: [%s]}", kind, out, strings.Join(inFlow(converted), ", "))
	at := m.Values[0].Key.GetToken().Position
	subject := "protoc-gen-" + plugin
	if remote != "" {
		subject = remote
		do += "; hotpb's plugin is not in buf's registry, and runs where buf runs: `go get -tool " + pluginPath + "`"
	}
	found := []finding{{byHand, name, at.Line, at.Column, subject, do}}
	return append(found, refusals(problems, name, at.Line, at.Column, plugin)...)
}

// pluginOf is the name of a plugin, without protoc-gen-, that a template names by its command, which may have a path and a version, or
// by its place in buf's registry. That place is remote.
func (t *tool) pluginOf(key, value string) (name, remote string) {
	name, _, _ = strings.Cut(filepath.Base(value), "@")
	if key == "remote" || strings.HasPrefix(value, "buf.build/") {
		name, _, _ = strings.Cut(name, ":")
		remote = value
	}
	if own := t.plugins.remote[name]; own != "" {
		return own, remote
	}
	return strings.TrimPrefix(name, "protoc-gen-"), remote
}

// inFlow are texts as a list in brackets has them: quoted where a character would end them.
func inFlow(texts []string) []string {
	all := slices.Clone(texts)
	for i, text := range all {
		if strings.ContainsAny(text, ",[]{}") {
			all[i] = "'" + strings.ReplaceAll(text, "'", "''") + "'"
		}
	}
	return all
}

func refusals(problems []string, name string, line, column int, plugin string) (found []finding) {
	for _, p := range problems {
		kind := byHand
		if strings.Contains(p, "refuse") {
			kind = refused
		}
		found = append(found, finding{kind, name, line, column, "protoc-gen-" + plugin + " " + p[:strings.IndexByte(p, ':')], strings.TrimSpace(p[strings.IndexByte(p, ':')+1:])})
	}
	return found
}

// scalars are the texts of a value or of a list of values.
func scalars(n ast.Node) (all []string) {
	switch n := n.(type) {
	case *ast.SequenceNode:
		for _, v := range n.Values {
			all = append(all, scalars(v)...)
		}
	case *ast.StringNode:
		all = []string{n.Value}
	case *ast.AnchorNode:
		return scalars(n.Value)
	}
	return all
}
