package migrate

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
	"github.com/hotpb/hotpb/go/internal/gen/emit"
)

// protocFlag is an argument of protoc for a plugin. Its value may be the next argument.
var protocFlag = regexp.MustCompile(`--([a-z][a-z-]*)_(out|opt)(?:=|\s+)("[^"]*"|'[^']*'|[^\s"'\\]+)`)

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
		found = append(found, t.commands(name, i+1, line)...)
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
			converted, problems := t.plugins.adapt(plugin, list)
			if suffix == "opt" {
				head, _ := t.plugins.adapt(plugin, nil)
				converted = converted[len(head):] // faces= and later options are with the folder
			}
			var flags []string
			if out != "" {
				flags = append(flags, "--go-hotpb_out="+out)
			}
			if len(converted) > 0 {
				flags = append(flags, "--go-hotpb_opt="+strings.Join(converted, ","))
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

// pluginFlag says to protoc where a plugin is, and pluginSource is the import path of one, as go install wants it.
var (
	pluginFlag   = regexp.MustCompile(`--plugin[= ]\S*?protoc-gen-([a-z-]+)`)
	pluginSource = regexp.MustCompile(`([a-zA-Z0-9./_-]+/)protoc-gen-([a-z-]+)(@[^\s"']+)?`)
)

// commands finds where a line names the commands of the tool's plugins, if hotpb's takes their place.
func (t *tool) commands(name string, number int, line string) (found []finding) {
	if t.plugins.beside {
		return nil
	}
	if t.plugins.drop != nil && !protocFlag.MatchString(line) { // a list in a variable
		for _, at := range t.plugins.drop.FindAllStringSubmatchIndex(line, -1) {
			if !gogoSchemas[line[at[2]:at[3]]] {
				continue // of another module below gogo's path
			}
			found = append(found, finding{byHand, name, number, at[0] + 1, line[at[0]:at[1]], "leave it out: hotpb's code has Google's structs for Google's files"})
		}
	}
	for _, at := range pluginFlag.FindAllStringSubmatchIndex(line, -1) {
		if plugin := line[at[2]:at[3]]; t.plugins.names.MatchString(plugin) {
			found = append(found, finding{byHand, name, number, at[0] + 1, "--plugin protoc-gen-" + plugin, "becomes --plugin=protoc-gen-go-hotpb=FOLDER/protoc-gen-go-hotpb"})
		}
	}
	for _, at := range pluginSource.FindAllStringSubmatchIndex(line, -1) {
		if plugin := line[at[4]:at[5]]; line[at[2]:at[3]] == t.plugins.source && t.plugins.names.MatchString(plugin) {
			found = append(found, finding{byHand, name, number, at[0] + 1, line[at[0]:at[1]], "becomes " + pluginPath})
		}
	}
	return found
}
