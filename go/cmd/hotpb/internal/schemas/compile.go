package schemas

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"github.com/bufbuild/protocompile/reporter"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
)

var edition2024 = regexp.MustCompile(`(?m)^\s*edition\s*=\s*["']2024["']`)

// compile compiles .proto files: here up to edition 2023, and by protoc after that.
func compile(files, paths []string) (names []string, set *descriptorpb.FileDescriptorSet, err error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	newer := false
	for _, file := range files {
		text, path, err := find(file, paths)
		if err != nil {
			return nil, nil, err
		}
		if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
			return nil, nil, fault.In(file, "this is no text, as a .proto file is", "a descriptor set needs a name with another ending")
		}
		newer = newer || edition2024.Match(text)
		name, inside := relative(path, paths)
		if !inside { // a file outside of all folders: its own folder is one, too
			paths = append(paths, filepath.Dir(path))
			name = filepath.Base(path)
		}
		names = append(names, name)
	}
	if newer {
		set, err = byProtoc(names, paths)
		return names, set, err
	}
	set, err = byProtocompile(names, paths)
	return names, set, err
}

// find reads a file by its path, or by its name in an import folder.
func find(file string, paths []string) (text []byte, path string, err error) {
	text, err = os.ReadFile(file)
	if err == nil {
		return text, file, nil
	}
	for _, folder := range paths {
		if text, err := os.ReadFile(filepath.Join(folder, file)); err == nil {
			return text, filepath.Join(folder, file), nil
		}
	}
	return nil, "", fault.IO(file, err)
}

// relative is the name that imports have for a file.
func relative(path string, paths []string) (string, bool) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	for _, folder := range paths {
		if folder, err = filepath.Abs(folder); err != nil {
			continue
		}
		if name, err := filepath.Rel(folder, absolute); err == nil && filepath.IsLocal(name) {
			return filepath.ToSlash(name), true
		}
	}
	return "", false
}

func byProtocompile(names, paths []string) (*descriptorpb.FileDescriptorSet, error) {
	var wrong []error
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: paths}),
		Reporter: reporter.NewReporter(func(e reporter.ErrorWithPos) error {
			wrong = append(wrong, located(e, paths))
			return nil
		}, nil),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(context.Background(), names...)
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	var place reporter.ErrorWithPos
	if errors.As(err, &place) {
		return nil, located(place, paths)
	}
	if err != nil {
		return nil, fault.In(strings.Join(names, ", "), err.Error(), "-I names the folders of imports")
	}
	set, seen := new(descriptorpb.FileDescriptorSet), map[string]bool{}
	var add func(protoreflect.FileDescriptor)
	add = func(file protoreflect.FileDescriptor) {
		if seen[file.Path()] {
			return
		}
		seen[file.Path()] = true
		imports := file.Imports()
		for i := range imports.Len() {
			add(imports.Get(i).FileDescriptor)
		}
		set.File = append(set.File, protoutil.ProtoFromFileDescriptor(file))
	}
	for _, file := range files {
		add(file)
	}
	return set, nil
}

// located is a compiler's error with file and line. Of an import that is not there, the mend names the folder that has it.
func located(e reporter.ErrorWithPos, paths []string) error {
	at := e.GetPosition()
	wrong := &fault.Error{File: at.Filename, Line: at.Line, Column: at.Col, Offset: fault.NoOffset, Cause: e.Unwrap().Error(), Mend: "correct the schema there"}
	var missing *fs.PathError
	if !errors.As(e.Unwrap(), &missing) {
		return wrong
	}
	wrong.Cause, wrong.Mend = "there is no "+missing.Path, "-I names the folder that imports are relative to"
	for _, path := range paths {
		name, err := filepath.Rel(path, missing.Path)
		if err != nil || !filepath.IsLocal(name) {
			continue
		}
		for folder := filepath.Dir(filepath.Join(path, at.Filename)); ; folder = filepath.Dir(folder) {
			if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
				wrong.Mend = "give -I " + folder
				return wrong
			}
			if folder == filepath.Dir(folder) {
				break
			}
		}
	}
	return wrong
}

const setByProtoc = "protoc --include_imports --include_source_info --descriptor_set_out=FILE.fds, with protoc 32 or newer, writes a descriptor set, which hotpb accepts instead"

// byProtoc compiles with $PROTOC, or the protoc on the PATH.
func byProtoc(names, paths []string) (*descriptorpb.FileDescriptorSet, error) {
	protoc, err := exec.LookPath(cmp.Or(os.Getenv("PROTOC"), "protoc"))
	if err != nil {
		return nil, fault.In(names[0], "edition 2024 is compiled by protoc, and there is none", "put it on the PATH or into $PROTOC, or: "+setByProtoc)
	}
	folder, err := os.MkdirTemp("", "hotpb")
	if err != nil {
		return nil, fault.IO(os.TempDir(), err)
	}
	defer os.RemoveAll(folder)
	out := filepath.Join(folder, "set.fds")
	arguments := []string{"--include_imports", "--include_source_info", "--descriptor_set_out=" + out}
	for _, path := range paths {
		arguments = append(arguments, "-I"+path)
	}
	command := exec.Command(protoc, append(arguments, names...)...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	if command.Run() != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return nil, fault.In(names[0], protoc+" refuses it: "+first, setByProtoc)
	}
	return readSet(out)
}
