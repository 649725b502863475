package migrate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
)

// roots are the modules that the changes import, apart from the runtime's.
var roots = []string{gogoPath, googlev1Path, grpcPath}

// inGoMod finds the tool's plugins in a go.mod, and the modules that it needs for the changes below it.
func (c *goCode) inGoMod(m *migration, path string) (found []finding, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.IO(m.relative(path), err)
	}
	file, err := modfile.ParseLax(path, text, nil)
	if err != nil {
		return nil, fault.In(m.relative(path), strings.ReplaceAll(err.Error(), "\n", " "), "correct the file")
	}
	if strict, err := modfile.Parse(path, text, nil); err == nil { // ParseLax leaves tools out
		for _, line := range strict.Tool {
			folder, command := filepath.Split(line.Path)
			if plugin, is := strings.CutPrefix(command, "protoc-gen-"); is && folder == c.tool.plugins.source && c.tool.plugins.names.MatchString(plugin) && !c.tool.plugins.beside {
				at := line.Syntax.Start
				found = append(found, finding{byHand, m.relative(path), at.Line, at.LineRune, "tool " + line.Path, "becomes " + pluginPath + ", by `go get -tool`"})
			}
		}
	}
	var needs []string
	for _, change := range c.changes {
		for _, i := range change.imports {
			root := module
			if slices.Contains(roots, i) {
				root = i
			}
			has := slices.ContainsFunc(file.Require, func(r *modfile.Require) bool { return r.Mod.Path == root })
			if !has && !slices.Contains(needs, root) {
				needs = append(needs, root)
			}
		}
	}
	if len(needs) > 0 {
		slices.Sort(needs)
		found = append(found, finding{byHand, m.relative(path), 1, 1, "require", "first, `go get " + strings.Join(needs, " ") + "`"})
	}
	return found, nil
}
