// Package proto imports schemas from .proto files, without protoc. It is a module of its own, because it
// links github.com/bufbuild/protocompile.
package proto

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"github.com/bufbuild/protocompile/reporter"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/schema"
	protoschema "github.com/hotpb/hotpb/go/schema/reflect"
	"github.com/hotpb/hotpb/go/wire"
)

// Source says where .proto files are. It need not have the well-known types.
type Source struct {
	ImportPaths []string          // folders that names of files are relative to; the current folder by default
	Files       map[string]string // texts by name, which take precedence over files
}

// Import reads a message type, and all types that it reaches, with comments. message is its full name, or "" for
// the first one of the file. It reads proto2, proto3 and edition 2023.
//
// Errors are *schema.Error (InvalidSchema) whose Where is the file with line and column; there may be several,
// joined.
func (s Source) Import(file, message string, options ...schema.SchemaOption) (*schema.Schema, error) {
	var wrong []error
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(s.resolver()),
		Reporter: reporter.NewReporter(func(e reporter.ErrorWithPos) error {
			wrong = append(wrong, invalid(e.GetPosition().String(), e.Unwrap()))
			return nil
		}, nil),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(context.Background(), file)
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	if err != nil {
		return nil, invalid(file, err)
	}
	d, err := find(files[0], file, message)
	if err != nil {
		return nil, err
	}
	return protoschema.Import(d, options...)
}

func (s Source) resolver() protocompile.Resolver {
	texts := protocompile.ResolverFunc(func(name string) (protocompile.SearchResult, error) {
		text, ok := s.Files[name]
		if !ok {
			return protocompile.SearchResult{}, fmt.Errorf("%s: no such file", name)
		}
		return protocompile.SearchResult{Source: io.NopCloser(strings.NewReader(text))}, nil
	})
	return protocompile.CompositeResolver{texts, &protocompile.SourceResolver{ImportPaths: s.ImportPaths}}
}

func find(f linker.File, file, message string) (protoreflect.MessageDescriptor, error) {
	if message == "" {
		if f.Messages().Len() == 0 {
			return nil, invalid(file, errors.New("the file has no message"))
		}
		return f.Messages().Get(0), nil
	}
	d, ok := f.FindDescriptorByName(protoreflect.FullName(message)).(protoreflect.MessageDescriptor)
	if !ok {
		return nil, invalid(file, fmt.Errorf("%s is not a message of the file", message))
	}
	return d, nil
}

func invalid(where string, err error) error {
	return &schema.Error{Code: wire.InvalidSchema, Where: where, Reason: err.Error()}
}
