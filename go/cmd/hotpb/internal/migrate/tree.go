package migrate

import (
	"bytes"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
)

// files lists the files below the folder, relative to it: those that git does not ignore, or all where there is no git.
// Folders called vendor, node_modules and testdata, and those that begin with a dot, are left out.
func files(folder string) (names []string, git bool, err error) {
	ls := exec.Command("git", "-C", folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if out, err := ls.Output(); err == nil {
		for name := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
			if !skipped(string(name)) {
				names = append(names, string(name))
			}
		}
		slices.Sort(names)
		return slices.Compact(names), true, nil
	}
	err = filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, file)
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && skipped(name+"/"):
			return filepath.SkipDir
		case d.Type().IsRegular():
			names = append(names, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		return nil, false, fault.IO(folder, err)
	}
	return names, false, nil
}

func skipped(name string) bool {
	parts := strings.Split(name, "/")
	return slices.ContainsFunc(parts[:len(parts)-1], func(p string) bool {
		return p == "vendor" || p == "node_modules" || p == "testdata" || strings.HasPrefix(p, ".") && p != "."
	})
}

// clean reports whether git has every file of the folder as it is.
func clean(folder string) (bool, error) {
	out, err := exec.Command("git", "-C", folder, "status", "--porcelain", "--", ".").Output()
	return len(bytes.TrimSpace(out)) == 0, err
}

// isRead reports whether findings may be in a file.
func isRead(name string) bool {
	return isScript(name) || isBufTemplate(name) || strings.HasSuffix(name, ".proto") || path.Base(name) == "go.mod"
}

// isScript reports whether a file may call protoc.
func isScript(name string) bool {
	base := filepath.Base(name)
	switch filepath.Ext(base) {
	case ".mk", ".sh", ".bash", ".go", ".Dockerfile":
		return true
	}
	return slices.Contains([]string{"Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", "Taskfile.yml", "Taskfile.yaml", "Dockerfile", "Containerfile"}, base)
}

func isBufTemplate(name string) bool {
	base := filepath.Base(name)
	return strings.HasPrefix(base, "buf.gen") && (strings.HasSuffix(base, ".yaml") || strings.HasSuffix(base, ".yml"))
}
