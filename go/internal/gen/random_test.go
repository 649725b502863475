//go:build random

package gen

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Random schemas, and random messages of them, good and damaged: generated code against protobuf-go's dynamicpb. It
// builds a program for each schema and so is no part of go/test.sh: go/check-all.sh random.
func TestCodeOfRandomSchemasReadsAndWritesWhatTheStockRuntimeDoes(t *testing.T) {
	for seed, c := range []struct{ syntax, options string }{
		{"proto3", ""},
		{"proto2", ""},
		{"editions", ""},
		{"proto3", ",maps=sorted"},
	} {
		t.Run(fmt.Sprint(c.syntax, c.options), func(t *testing.T) {
			s := schema{rand.New(rand.NewPCG(uint64(seed), 1)), c.syntax}
			set := &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{s.file(20)}}
			if _, err := protodesc.NewFiles(set); err != nil {
				t.Fatal(err)
			}
			p, err := plan.Build(set.File, []string{"random.proto"})
			if err != nil {
				t.Fatal(err)
			}
			const module = "example.com/random"
			result, err := generateOne(t, p, "module="+module+",faces=pool+canonical+view+reencode"+c.options)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := proto.Marshal(set)
			if err != nil {
				t.Fatal(err)
			}
			folder, root := t.TempDir(), moduleRoot(t)
			if err := write(folder, append(result.Outputs,
				emit.Output{Name: "go.sum", Content: []byte(readFile(t, root+"/go.sum"))},
				emit.Output{Name: "go.mod", Content: fmt.Appendf(nil, "module %[1]s\n\ngo 1.24\n\nrequire %[2]s v0.0.0\n\nreplace %[2]s => %[3]s\n", module, emit.RuntimePath, root)},
				emit.Output{Name: "schema.fds", Content: raw},
				emit.Output{Name: "main.go", Content: []byte(readFile(t, "testdata/random/main.go"))},
			)); err != nil {
				t.Fatal(err)
			}
			command := exec.Command("go", "run", "-mod=mod", ".", "-seed", fmt.Sprint(seed), "-messages", "400")
			command.Dir = folder
			command.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off")
			output, err := command.CombinedOutput()
			if err != nil {
				t.Fatalf("%v:\n%s", err, output[:min(len(output), 4000)])
			}
			t.Logf("%s", output)
		})
	}
}

// schema makes random descriptors.
type schema struct {
	*rand.Rand
	syntax string
}

func (s schema) file(messages int) *descriptorpb.FileDescriptorProto {
	file := &descriptorpb.FileDescriptorProto{
		Name: proto.String("random.proto"), Package: proto.String("r"),
		Options: &descriptorpb.FileOptions{GoPackage: proto.String("example.com/random/random")},
	}
	if s.syntax != "proto2" {
		file.Syntax = proto.String(s.syntax)
	}
	if s.syntax == "editions" {
		file.Edition = descriptorpb.Edition_EDITION_2023.Enum()
	}
	for _, name := range []string{"Zero", "Other"} {
		numbers := []int32{0, 1, -7, 100, 1 << 30}
		if name == "Other" {
			numbers[0] = 3
		}
		if s.syntax != "proto2" {
			numbers[0] = 0 // open
		}
		enum := &descriptorpb.EnumDescriptorProto{Name: proto.String(name)}
		for i, number := range numbers {
			enum.Value = append(enum.Value, &descriptorpb.EnumValueDescriptorProto{Name: proto.String(fmt.Sprint(name, "_", i)), Number: proto.Int32(number)})
		}
		file.EnumType = append(file.EnumType, enum)
	}
	for i := range messages {
		file.MessageType = append(file.MessageType, s.message(i, messages))
	}
	return file
}

func (s schema) message(index, messages int) *descriptorpb.DescriptorProto {
	m := &descriptorpb.DescriptorProto{Name: proto.String(fmt.Sprint("M", index))}
	used := map[int32]bool{}
	for i := range 1 + s.IntN(14) {
		number := 1 + s.Int32N(20)
		if s.IntN(5) == 0 {
			number = 1 + s.Int32N(1<<29-1)
		}
		if used[number] || number >= 19000 && number < 20000 {
			continue
		}
		used[number] = true
		f := &descriptorpb.FieldDescriptorProto{Name: proto.String(fmt.Sprint("f", i)), Number: proto.Int32(number)}
		if s.IntN(8) == 0 {
			s.mapOf(m, f, messages)
		} else {
			s.typed(f, messages, true)
			s.labelled(m, f)
		}
		m.Field = append(m.Field, f)
	}
	// protoc has the members of a oneof side by side, and so dynamicpb wants them.
	slices.SortStableFunc(m.Field, func(a, b *descriptorpb.FieldDescriptorProto) int {
		return btoi(b.OneofIndex != nil) - btoi(a.OneofIndex != nil)
	})
	// The oneofs that proto3 creates for its optional fields come after the others.
	for _, f := range m.Field {
		if f.GetProto3Optional() {
			f.OneofIndex = proto.Int32(int32(len(m.OneofDecl)))
			m.OneofDecl = append(m.OneofDecl, &descriptorpb.OneofDescriptorProto{Name: proto.String("_" + f.GetName())})
		}
	}
	return m
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// typed sets a random type on a field.
func (s schema) typed(f *descriptorpb.FieldDescriptorProto, messages int, groups bool) {
	kinds := []descriptorpb.FieldDescriptorProto_Type{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 11, 12, 13, 14, 15, 16, 17, 18}
	kind := kinds[s.IntN(len(kinds))]
	f.Type = kind.Enum()
	switch kind {
	case descriptorpb.FieldDescriptorProto_TYPE_MESSAGE:
		f.TypeName = proto.String(fmt.Sprint(".r.M", s.IntN(messages)))
		if groups && s.syntax == "editions" && s.IntN(3) == 0 {
			f.Options = &descriptorpb.FieldOptions{Features: &descriptorpb.FeatureSet{MessageEncoding: descriptorpb.FeatureSet_DELIMITED.Enum()}}
		}
	case descriptorpb.FieldDescriptorProto_TYPE_ENUM:
		f.TypeName = proto.String(".r.Other")
	}
}

// labelled makes a field repeated, required, optional or the member of a oneof.
func (s schema) labelled(m *descriptorpb.DescriptorProto, f *descriptorpb.FieldDescriptorProto) {
	f.Label = descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()
	switch s.IntN(6) {
	case 0, 1:
		f.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
		packable := f.GetType() != 9 && f.GetType() != 11 && f.GetType() != 12
		if packable && s.syntax != "editions" && s.IntN(2) == 0 {
			f.Options = &descriptorpb.FieldOptions{Packed: proto.Bool(s.IntN(2) == 0)}
		}
	case 2:
		if len(m.OneofDecl) == 0 {
			m.OneofDecl = append(m.OneofDecl, &descriptorpb.OneofDescriptorProto{Name: proto.String("pick")})
		}
		f.OneofIndex = proto.Int32(0)
	case 3:
		if s.syntax == "proto3" {
			f.Proto3Optional = proto.Bool(true)
		}
	case 4:
		if s.syntax == "proto2" && s.IntN(3) == 0 {
			f.Label = descriptorpb.FieldDescriptorProto_LABEL_REQUIRED.Enum()
		}
	}
}

// mapOf makes a field a map.
func (s schema) mapOf(m *descriptorpb.DescriptorProto, f *descriptorpb.FieldDescriptorProto, messages int) {
	keys := []descriptorpb.FieldDescriptorProto_Type{3, 4, 5, 6, 7, 8, 9, 13, 15, 16, 17, 18}
	key := &descriptorpb.FieldDescriptorProto{Name: proto.String("key"), Number: proto.Int32(1),
		Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: keys[s.IntN(len(keys))].Enum()}
	value := &descriptorpb.FieldDescriptorProto{Name: proto.String("value"), Number: proto.Int32(2),
		Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()}
	s.typed(value, messages, false)
	if value.GetType() == descriptorpb.FieldDescriptorProto_TYPE_ENUM {
		value.TypeName = proto.String(".r.Zero")
	}
	name := "F" + f.GetName()[1:] + "Entry"
	m.NestedType = append(m.NestedType, &descriptorpb.DescriptorProto{Name: proto.String(name),
		Field: []*descriptorpb.FieldDescriptorProto{key, value}, Options: &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)}})
	f.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
	f.Type = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()
	f.TypeName = proto.String(".r." + m.GetName() + "." + name)
}
