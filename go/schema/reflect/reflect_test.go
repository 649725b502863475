package reflect_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/typepb"

	"github.com/hotpb/hotpb/go/schema"
	protoschema "github.com/hotpb/hotpb/go/schema/reflect"
	"github.com/hotpb/hotpb/go/wire"
)

func plan(t *testing.T, s *schema.Schema, err error) *schema.Plan {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Importing a descriptor, exporting it and importing it again produces the same plan.
func TestDescriptorsComeBackAsTheyWere(t *testing.T) {
	count := 0
	for _, name := range []string{"raft", "remote_write_v2", "test_messages_proto3", "features"} {
		encoded, err := os.ReadFile(filepath.Join("..", "..", "..", "vectors", "plans", name+".fds"))
		if err != nil {
			t.Fatal(err)
		}
		var set descriptorpb.FileDescriptorSet
		if err := proto.Unmarshal(encoded, &set); err != nil {
			t.Fatal(err)
		}
		files, err := protodesc.NewFiles(&set)
		if err != nil {
			t.Fatal(err)
		}
		files.RangeFiles(func(f protoreflect.FileDescriptor) bool {
			for i := range f.Messages().Len() {
				d := f.Messages().Get(i)
				s, err := protoschema.Import(d)
				p := plan(t, s, err)
				typ, err := protoschema.New(p)
				if err != nil {
					if !strings.Contains(err.Error(), "package") && !strings.Contains(err.Error(), "in JSON") {
						t.Error(err)
					}
					continue
				}
				imported, err := protoschema.Import(typ.Descriptor())
				if q := plan(t, imported, err); q.FullText() != p.FullText() {
					t.Errorf("%s\n%s", p.FullText(), q.FullText())
				}
				count++
			}
			return true
		})
	}
	if count < 20 {
		t.Errorf("only %d messages", count)
	}
}

// flow returns a schema, and a function that writes a random record with all columns.
func flow() (s *schema.Schema, write func(*schema.Record, *rand.Rand)) {
	s = schema.New("Flow", schema.Package("flows"))
	bytes, name, at := s.Uint64("bytes", 1), s.String("name", 2, schema.Optional), s.Timestamp("at", 3, schema.WellKnown)
	path := s.Uint32s("path", 4)
	var key schema.StringColumn
	var value schema.FloatColumn
	labels := s.Map("labels", 5, func(e *schema.Message) { key, value = e.String("key", 1), e.Double("value", 2) })
	_ = at
	return s, func(r *schema.Record, random *rand.Rand) {
		r.Uint(bytes, random.Uint64()>>random.IntN(64))
		r.String(name, strings.Repeat("ä", random.IntN(4)))
		for range random.IntN(4) {
			r.AddUint(path, random.Uint64N(1000))
		}
		for _, k := range "abc"[:random.IntN(4)] {
			r.BeginEntry(labels)
			r.String(key, string(k))
			r.Float(value, random.Float64())
			r.End()
		}
	}
}

func TestRowsAndRecordsAreDynamicMessagesAndBack(t *testing.T) {
	s, write := flow()
	p := plan(t, s, nil)
	typ, err := protoschema.New(p)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(7, 3))
	record, row, decoded := p.NewRecord(), p.NewRow(), p.NewRow()
	for range 200 {
		record.Reset()
		write(record, random)
		m, err := typ.FromRecord(record)
		if err != nil {
			t.Fatal(err)
		}
		if err := row.Unmarshal(record.Encoded()); err != nil {
			t.Fatal(err)
		}
		same, err := typ.FromRow(row)
		if err != nil || !proto.Equal(m, same) {
			t.Fatalf("%v: %v, %v", err, m, same)
		}
		if err := typ.ToRow(m, decoded); err != nil {
			t.Fatal(err)
		}
		if a, b := row.Append(nil), decoded.Append(nil); string(a) != string(b) {
			t.Fatalf("%x, %x", a, b)
		}
	}
	if err := typ.ToRow(timestamppb.Now(), row); !errors.Is(err, wire.TypeMismatch) {
		t.Error(err)
	}
}

func TestGeneratedMessagesAreImported(t *testing.T) {
	for _, m := range []proto.Message{&structpb.Struct{}, &typepb.Type{}, &descriptorpb.FileDescriptorSet{}} {
		s, err := protoschema.Import(m.ProtoReflect().Descriptor())
		p := plan(t, s, err)
		if want := string(m.ProtoReflect().Descriptor().FullName()); p.Root() != want {
			t.Errorf("%s, want %s", p.Root(), want)
		}
	}
}

func TestWhatAProtoCannotSayHasNoType(t *testing.T) {
	s := schema.New("M")
	s.Bool("foo_bar", 1)
	s.Bool("fooBar", 2)
	if _, err := protoschema.New(plan(t, s, nil)); !errors.Is(err, wire.InvalidSchema) {
		t.Error(err)
	}
}
