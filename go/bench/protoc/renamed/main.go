// Renamed copies a descriptor set from stdin to stdout and puts another package name in front of all names, so that one
// program can hold code that several settings of protoc-gen-go make of one file: the stock runtime takes a name once.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

func main() {
	prefix := flag.String("prefix", "", "the package, and folder, to put in front")
	lazy := flag.Bool("lazy", false, "decode message fields when they are read")
	flag.Parse()
	if err := run(*prefix, *lazy); err != nil {
		fmt.Fprintln(os.Stderr, "renamed:", err)
		os.Exit(1)
	}
}

func run(prefix string, lazy bool) error {
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	set := new(descriptorpb.FileDescriptorSet)
	if err := proto.Unmarshal(input, set); err != nil {
		return err
	}
	for _, f := range set.File {
		f.Name = proto.String(prefix + "/" + f.GetName())
		for i := range f.Dependency {
			f.Dependency[i] = prefix + "/" + f.Dependency[i]
		}
		f.Package = proto.String(prefix + "." + f.GetPackage())
		for _, m := range f.MessageType {
			rename(m, prefix, lazy)
		}
		fields(f.Extension, prefix, false)
	}
	output, err := proto.Marshal(set)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(output)
	return err
}

func rename(m *descriptorpb.DescriptorProto, prefix string, lazy bool) {
	fields(m.Field, prefix, lazy)
	fields(m.Extension, prefix, false)
	for _, nested := range m.NestedType {
		rename(nested, prefix, lazy)
	}
}

func fields(all []*descriptorpb.FieldDescriptorProto, prefix string, lazy bool) {
	for _, f := range all {
		if f.TypeName != nil {
			f.TypeName = proto.String("." + prefix + f.GetTypeName())
		}
		if f.Extendee != nil {
			f.Extendee = proto.String("." + prefix + f.GetExtendee())
		}
		if lazy && f.GetType() == descriptorpb.FieldDescriptorProto_TYPE_MESSAGE {
			if f.Options == nil {
				f.Options = new(descriptorpb.FieldOptions)
			}
			f.Options.Lazy = proto.Bool(true)
		}
	}
}
