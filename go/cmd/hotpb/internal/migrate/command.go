// Package migrate is `hotpb migrate`: it lists what a code base has to change to move from another tool to hotpb, and rewrites
// the Go code for which types prove that the rewrite is right.
package migrate

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/progress"
)

// Command is `hotpb migrate`.
type Command struct {
	From    string `required:"" enum:"gogo,vtproto,csproto" help:"The tool that the code uses: gogo, vtproto or csproto."`
	DryRun  bool   `help:"Show the safe rewrites as a diff, and change nothing."`
	Write   bool   `help:"Make the safe rewrites."`
	Force   bool   `help:"With --write, also where git has uncommitted changes, or where there is no git."`
	Structs string `enum:",value" default:"" placeholder:"value" help:"With --from=gogo: list the way off gogo's module, with structs that hotpb writes."`
	All     bool   `help:"Also list what stays as it is, and every place of each line."`
	Tags    string `help:"Build tags, as for go build." placeholder:"TAG,…"`
	Folder  string `arg:"" optional:"" default:"." help:"The root of the code base; modules below it are read, too."`
}

// Help is the text of --help after the flags.
func (*Command) Help() string {
	return "A line has the symbol, what to do, and the places. Safe rewrites are those that types prove. The exit status is 1 while " +
		"something is left to do. Generated, vendored and ignored files are not changed."
}

var tools = map[string]*tool{"gogo": gogo, "vtproto": vtproto, "csproto": csproto}

// tool is the tool that the code moves away from.
func (c *Command) tool() *tool {
	if c.Structs == "value" {
		return gogoValue
	}
	return tools[c.From]
}

// migration is one call of the command.
type migration struct {
	*Command
	folder   string // absolute, without symbolic links, as the go command names files
	files    []string
	git      bool
	progress *progress.Bar
}

// relative is a file's name below the folder.
func (m *migration) relative(path string) string {
	name, err := filepath.Rel(m.folder, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(name)
}

// has reports whether a file belongs to the code base.
func (m *migration) has(name string) bool {
	_, ok := slices.BinarySearch(m.files, name)
	return ok
}

// Run lists the findings, and shows or makes the safe rewrites.
func (c *Command) Run(std *console.Streams) error {
	switch {
	case c.DryRun && c.Write:
		return fault.Usage("--dry-run and --write exclude each other", "look at the diff of --dry-run first")
	case c.DryRun && std.JSON:
		return fault.Usage("--dry-run writes a diff, and not JSON", "leave --json or --dry-run out")
	case c.Structs != "" && c.From != "gogo":
		return fault.Usage("--structs is for --from=gogo", "leave it out")
	case c.Force && !c.Write:
		return fault.Usage("--force is for --write", "add --write, or leave --force out")
	}
	m := &migration{Command: c}
	if err := m.open(); err != nil {
		return err
	}
	if c.Write && !c.Force {
		if ok, err := clean(m.folder); !m.git || err != nil {
			return fault.Usage("there is no git repository that could undo --write", "--force writes nevertheless")
		} else if !ok {
			return fault.Usage("git has uncommitted changes", "commit them, or add --force")
		}
	}
	m.progress = progress.StartPhases(std, "migrate", "packages")
	found, changes, problems := m.read()
	m.progress.Stop()
	lines := grouped(found)
	switch {
	case c.DryRun:
		for _, change := range changes {
			if _, err := io.WriteString(std.Out, change.diff(m.relative(change.name))); err != nil {
				return fault.IO("standard output", err)
			}
		}
	case c.Write:
		for _, change := range changes {
			if err := write(change); err != nil {
				return errors.Join(append(problems, fault.IO(m.relative(change.name), err))...)
			}
		}
		fallthrough
	default:
		if err := report(std, lines, c.All); err != nil {
			return fault.IO("standard output", err)
		}
	}
	left := count(lines, byHand) + count(lines, refused)
	if !c.Write {
		left += count(lines, safe)
	}
	if left > 0 {
		problems = append(problems, fault.In(c.Folder, fmt.Sprintf("%d places are left", left), c.tool().guide+" is the guide"))
	}
	return errors.Join(problems...)
}

// open finds the files of the code base.
func (m *migration) open() error {
	info, err := os.Stat(m.Folder)
	if err != nil {
		return fault.Usage(m.Folder+": "+fault.Cause(err), "name the root of the code base")
	}
	if !info.IsDir() {
		return fault.Usage(m.Folder+" is no folder", "name the root of the code base")
	}
	if m.folder, err = filepath.Abs(m.Folder); err != nil {
		return fault.IO(m.Folder, err)
	}
	if m.folder, err = filepath.EvalSymlinks(m.folder); err != nil {
		return fault.IO(m.Folder, err)
	}
	if m.files, m.git, err = files(m.folder); err != nil {
		return err
	}
	slices.Sort(m.files)
	if !slices.ContainsFunc(m.files, isRead) {
		return fault.Usage(m.Folder+" has no Go code, .proto file or script", "name the root of the code base")
	}
	return nil
}

// read looks at all files. A file or module that cannot be read is a problem, and the others are read nevertheless.
func (m *migration) read() (found []finding, changes []change, problems []error) {
	t := m.tool()
	modules := map[string]*goCode{} // by folder, as files name it: "" or with a / at its end
	for _, root := range m.roots() {
		code, err := t.inModule(m, filepath.Join(m.folder, filepath.FromSlash(root)))
		if err != nil {
			problems = append(problems, err)
			code = &goCode{tool: t}
			if text, err := os.ReadFile(filepath.Join(m.folder, filepath.FromSlash(root), "go.mod")); err == nil {
				code.main = append(code.main, modfile.ModulePath(text))
			}
		}
		modules[root] = code
		found, changes, problems = append(found, code.found...), append(changes, code.changes...), append(problems, code.problems...)
	}
	m.progress.Phase("files")
	for _, name := range m.files {
		path := filepath.Join(m.folder, filepath.FromSlash(name))
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			continue // deleted, or a link to a file that has its own name
		}
		add := func(f []finding, err error) {
			found = append(found, f...)
			if err != nil {
				problems = append(problems, err)
			}
		}
		switch {
		case strings.HasSuffix(name, ".proto"):
			add(t.inProto(name, path))
		case isBufTemplate(name):
			add(t.inBuf(name, path))
		case isScript(name):
			add(t.inText(name, path))
			if filepath.Ext(name) == ".go" {
				add(t.generated(moduleOf(name, modules), name, path))
			}
		case filepath.Base(name) == "go.mod":
			add(moduleOf(name, modules).inGoMod(m, path))
		}
	}
	return found, changes, problems
}

// moduleOf is the code of the module that has a file: that of the longest folder.
func moduleOf(name string, modules map[string]*goCode) *goCode {
	for folder := name; ; {
		folder = folder[:strings.LastIndexByte(strings.TrimSuffix(folder, "/"), '/')+1]
		if code := modules[folder]; code != nil || folder == "" {
			return code
		}
	}
}

// roots are the folders of modules, as modules of read names them. The folder of the call is one of them if it has Go code of a module
// whose go.mod is further up.
func (m *migration) roots() (all []string) {
	for _, name := range m.files {
		root, file := path.Split(name)
		if info, err := os.Lstat(filepath.Join(m.folder, filepath.FromSlash(name))); file == "go.mod" && err == nil && info.Mode().IsRegular() {
			all = append(all, root)
		}
	}
	outer := slices.ContainsFunc(m.files, func(name string) bool {
		return strings.HasSuffix(name, ".go") && !slices.ContainsFunc(all, func(root string) bool { return strings.HasPrefix(name, root) })
	})
	if outer {
		all = append(all, "")
	}
	return all
}

// write replaces a file, and keeps its permissions.
func write(c change) error {
	info, err := os.Stat(c.name)
	if err != nil {
		return err
	}
	return os.WriteFile(c.name, c.after, info.Mode().Perm())
}
