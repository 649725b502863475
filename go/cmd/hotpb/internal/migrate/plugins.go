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
	names  *regexp.Regexp                                                  // of a plugin, without protoc-gen-
	beside bool                                                            // hotpb's plugin runs after the old one, and not in its place
	adapt  func(plugin string, options []string) (ours, problems []string) // options
}

var csprotoPlugins = pluginRules{names: regexp.MustCompile(`^fastmarshal$`), adapt: func(_ string, options []string) (ours, problems []string) {
	ours = []string{"faces=codec", "compat=csproto"}
	for _, o := range options {
		switch name, value, _ := strings.Cut(o, "="); {
		case name == "apiversion" && value == "v1":
			problems = append(problems, "apiversion=v1: add runtime=v1, or runtime=gogo, gogofast, gogofaster, gogoslick for the structs of gogo's generators")
		case name == "apiversion":
		case name == "enableunsafedecode":
			problems = append(problems, o+": codec.UnmarshalOptions{Alias: true} for each call")
		default:
			ours = append(ours, o)
		}
	}
	return ours, problems
}}

var vtprotoPlugins = pluginRules{names: regexp.MustCompile(`^go-vtproto$`), adapt: func(_ string, options []string) (ours, problems []string) {
	ours = []string{"faces=codec", "compat=vtproto"}
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
			ours = append(ours, "features="+strings.Join(features, "+"))
		default:
			ours = append(ours, o)
		}
	}
	return ours, problems
}}

var gogoPlugins = pluginRules{names: regexp.MustCompile(`^(gogo|gogofast|gogofaster|gogoslick)$`), beside: true, adapt: func(plugin string, options []string) (ours, problems []string) {
	ours = []string{"faces=codec", "runtime=" + plugin}
	for _, o := range options {
		if name, _, _ := strings.Cut(o, "="); name != "plugins" { // gRPC's stubs stay with gogo's plugin
			ours = append(ours, o)
		}
	}
	return ours, nil
}}

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
		for _, node := range ast.Filter(ast.MappingType, document.Body) {
			if m := node.(*ast.MappingNode); m != nil {
				found = append(found, t.bufPlugin(name, m)...)
			}
		}
	}
	return found, nil
}

func (t *tool) bufPlugin(name string, m *ast.MappingNode) []finding {
	var plugin, out string
	var options []string
	for _, v := range m.Values {
		switch key := v.Key.String(); key {
		case "local", "name", "plugin", "protoc_builtin":
			values := scalars(v.Value)
			if len(values) == 0 {
				return nil
			}
			plugin = strings.TrimPrefix(filepath.Base(values[len(values)-1]), "protoc-gen-")
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
	ours, problems := t.plugins.adapt(plugin, options)
	do := "becomes"
	if t.plugins.beside {
		do = "stays, and after it comes"
	}
	do += fmt.Sprintf(" {local: [go, tool, protoc-gen-go-hotpb], out: %s, opt: [%s]}", out, strings.Join(inFlow(ours), ", "))
	at := m.Values[0].Key.GetToken().Position
	found := []finding{{byHand, name, at.Line, at.Column, "protoc-gen-" + plugin, do}}
	return append(found, refusals(problems, name, at.Line, at.Column, plugin)...)
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

// protocFlag is an argument of protoc for a plugin.
var protocFlag = regexp.MustCompile(`--([a-z][a-z-]*)_(out|opt)=("[^"]*"|'[^']*'|[^\s"'\\]+)`)

// inText finds calls of protoc with the tool's plugins in the lines of a Makefile, a script, or a go:generate comment.
func (t *tool) inText(name, path string) ([]finding, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.IO(name, err)
	}
	var found []finding
	for i, line := range strings.Split(string(text), "\n") {
		if filepath.Ext(name) == ".go" && !strings.HasPrefix(line, "//go:generate ") {
			continue
		}
		for _, at := range protocFlag.FindAllStringSubmatchIndex(line, -1) {
			plugin, suffix, value := line[at[2]:at[3]], line[at[4]:at[5]], strings.Trim(line[at[6]:at[7]], `"'`)
			if !t.plugins.names.MatchString(plugin) {
				continue
			}
			options, out := value, ""
			if suffix == "out" {
				options, out = "", value
				if before, after, ok := strings.Cut(value, ":"); ok {
					options, out = before, after
				}
			}
			var list []string
			if options != "" {
				list = emit.SplitOptions(options)
			}
			ours, problems := t.plugins.adapt(plugin, list)
			if suffix == "opt" {
				ours = ours[2:] // faces= and what follows it are with the folder
			}
			var flags []string
			if out != "" {
				flags = append(flags, "--go-hotpb_out="+out)
			}
			if len(ours) > 0 {
				flags = append(flags, "--go-hotpb_opt="+strings.Join(ours, ","))
			}
			do := "becomes "
			if t.plugins.beside {
				do = "stays; a second call of protoc has "
			}
			if len(flags) == 0 {
				flags, do = []string{"nothing in its place"}, ""
			}
			found = append(found, finding{byHand, name, i + 1, at[0] + 1, "--" + plugin + "_" + suffix, do + strings.Join(flags, " ")})
			found = append(found, refusals(problems, name, i+1, at[0]+1, plugin)...)
		}
	}
	return found, nil
}
