package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/hotpb/hotpb/tools/foreign/oracle"
)

// schema is one descriptor set.
type schema struct {
	name   string
	set    *descriptorpb.FileDescriptorSet
	oracle *oracle.Schema
	cells  int // that are not done

	making sync.Mutex // of the cases
	cases  []*oracle.Case
}

// findSets returns the descriptor sets of a folder, *.fds and *.fds.gz, or the one that is named.
func findSets(path string) ([]string, error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return []string{path}, err
	}
	var found []string
	for _, pattern := range []string{"*.fds", "*.fds.gz"} {
		names, err := filepath.Glob(filepath.Join(path, pattern))
		if err != nil {
			return nil, err
		}
		found = append(found, names...)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s has no *.fds and no *.fds.gz", path)
	}
	// The largest set goes first: its cells would run alone at the end.
	slices.SortStableFunc(found, func(a, b string) int { return cmp.Compare(fileSize(b), fileSize(a)) })
	return found, nil
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0 // whoever reads the file reports it
	}
	return info.Size()
}

func schemaName(path string) string {
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".fds")
}

func readSet(path string) (*schema, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(path, ".gz") {
		unpacked, err := gzip.NewReader(bytes.NewReader(raw))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if raw, err = io.ReadAll(unpacked); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	s := &schema{name: schemaName(path), set: &descriptorpb.FileDescriptorSet{}}
	if err := proto.Unmarshal(raw, s.set); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s.oracle = oracle.NewSchema(s.set)
	return s, nil
}

// without leaves files out, and all that import them.
func without(set *descriptorpb.FileDescriptorSet, left map[string]bool) *descriptorpb.FileDescriptorSet {
	kept := &descriptorpb.FileDescriptorSet{}
	for _, file := range set.File { // imports come first
		for _, name := range file.Dependency {
			if left[name] {
				left[file.GetName()] = true
			}
		}
		if !left[file.GetName()] {
			kept.File = append(kept.File, file)
		}
	}
	return kept
}
