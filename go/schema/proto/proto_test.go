package proto_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/schema"
	schemaproto "github.com/hotpb/hotpb/go/schema/proto"
	"github.com/hotpb/hotpb/go/wire"
)

const flows = `syntax = "proto3";

package flows;

import "google/protobuf/timestamp.proto";

// One flow.
// Sampled.
message FlowMessage {
  enum Kind {
    // Nobody knows.
    UNKNOWN = 0;
    SFLOW = 5;
  }

  reserved 3;
  reserved "gone";

  // Bytes on the wire.
  uint64 bytes = 1;
  FlowMessage.Kind kind = 2;
  .google.protobuf.Timestamp at = 4;
  map<string, Label> labels = 5;
}

message Label {
  optional string name = 1;
}
`

func TestAnImportedTextIsExportedAsItWas(t *testing.T) {
	s, err := schemaproto.Source{Files: map[string]string{"flows.proto": flows}}.Import("flows.proto", "")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := s.Compile()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := plan.Proto(); err != nil || got != flows {
		t.Errorf("%v\n%s", err, got)
	}
}

// The files of the repository that edition 2024 and extensions of it are not needed for.
func TestProtocompileAndProtocGiveTheSameSchemas(t *testing.T) {
	for file, names := range map[string][2]string{
		"hotpb/vectors.proto":        {"vectors", "hotpb.vectors.p3.All"},
		"hotpb/vectors_proto2.proto": {"vectors", "hotpb.vectors.p2.All"},
	} {
		encoded, err := os.ReadFile(filepath.Join("../../../vectors/plans", names[0]+".fds"))
		if err != nil {
			t.Fatal(err)
		}
		s, err := schema.FromDescriptorSet(encoded, names[1])
		if err != nil {
			t.Error(err)
			continue
		}
		second, err := schemaproto.Source{ImportPaths: []string{"../../../proto"}}.Import(file, names[1])
		if err != nil {
			t.Error(err)
			continue
		}
		a, err := s.Compile()
		if err != nil {
			t.Fatal(err)
		}
		b, err := second.Compile()
		if err != nil {
			t.Fatal(err)
		}
		if a.FullText() != b.FullText() || a.WireHash() != b.WireHash() {
			t.Errorf("%s\n%s", a.FullText(), b.FullText())
		}
	}
}

func TestWhatIsWrongWithATextIsToldWithItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		"syntax = \"proto3\";\nmessage M {\n  uint65 x = 1;\n}":              "x.proto:3:3",
		"syntax = \"proto3\";\nmessage M {\n  bool x = 1;\n  bool y = 1;\n}": "x.proto:4:",
		"syntax = \"proto3\";\nimport \"none.proto\";":                       "none.proto",
		"syntax = \"proto3\";":                               "the file has no message",
		"syntax = \"proto3\"; message":                       "x.proto:1:",
		"syntax = \"proto3\"; message M { bool x = 19000; }": "x.proto:1:",
	} {
		_, err := schemaproto.Source{Files: map[string]string{"x.proto": text}}.Import("x.proto", "")
		if !errors.Is(err, wire.InvalidSchema) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := (schemaproto.Source{Files: map[string]string{"x.proto": flows}}).Import("x.proto", "flows.Gone"); err == nil ||
		!strings.Contains(err.Error(), "flows.Gone is not a message of the file") {
		t.Error(err)
	}
}
