package migrate

import (
	"strings"
	"testing"
)

// COD-121, COD-128: every package of gogo's module is in the list, and with --structs=value each use has what takes its place.
func TestTheWayOffGogoIsListed(t *testing.T) {
	s := start(t, "gogo")
	s.write("more.go", `package main

import (
	"io"
	"time"

	gogoio "github.com/gogo/protobuf/io"
	"github.com/gogo/protobuf/jsonpb"
	"github.com/gogo/protobuf/proto"
	"github.com/gogo/protobuf/sortkeys"
	"github.com/gogo/protobuf/types"

	"example.com/depot/notes"
	"example.com/depot/stock"
)

func save(w io.Writer, e *stock.Entry) error { return gogoio.NewDelimitedWriter(w).WriteMsg(e) }

func stamp(t time.Time) (*types.Timestamp, error) { return types.TimestampProto(t) }

func text(e *stock.Entry) (string, error) {
	sortkeys.Strings(nil)
	return new(jsonpb.Marshaler).MarshalToString(e)
}

func copied(e *stock.Entry) *stock.Entry { return proto.Clone(e).(*stock.Entry) }

func noted(e proto.Message) bool { return proto.HasExtension(e, notes.E_Note) }

func packed(e *stock.Entry) (*types.Any, []byte) {
	a, _ := types.MarshalAny(e)
	size, _ := e.Descriptor()
	return a, append(size, e.String()...)
}
`)
	s.write("stock/raw.go", "package stock\n\nfunc Raw(e *Entry) int { return sovStock(uint64(len(e.ID))) }\n")
	s.write("notes/notes.go", "package notes\n\nimport \"github.com/gogo/protobuf/proto\"\n\nvar E_Note = &proto.ExtensionDesc{}\n")
	s.write("tools.go", "//go:build tools\n\npackage main\n\nimport _ \"github.com/gogo/protobuf/protoc-gen-gogofaster\"\n")
	s.write("Makefile", "M = Mgoogle/protobuf/any.proto=github.com/gogo/protobuf/types,Mgoogle/protobuf/timestamp.proto=github.com/gogo/protobuf/types\n"+
		"all:\n\tprotoc --gogofaster_out=plugins=grpc,$(M):. a.proto\n\tprotoc --gogofaster_out=. --gogofaster_opt=Mgoogle/protobuf/any.proto=github.com/gogo/protobuf/types,paths=import,Mb.proto=github.com/gogo/protobuf/test/b a.proto\nN = Mb.proto=github.com/gogo/protobuf/test/b\n")
	s.write("more.proto", `syntax = "proto2";
package more;
import "gogoproto/gogo.proto";
import "google/protobuf/timestamp.proto";
option (gogoproto.face_all) = false;
option (gogoproto.populate_all) = true;
message A {
  option (gogoproto.typedecl) = true;
  optional google.protobuf.Timestamp a = 1 [(gogoproto.nullable) = false];
  optional google.protobuf.Timestamp b = 2 [(gogoproto.nullable) = false, (gogoproto.stdtime) = true];
  map<string, .google.protobuf.Timestamp> c = 3 [(gogoproto.nullable) = false];
}
`)
	s.run(s.folder, "go", "vet", "./...")
	list, _ := s.migrate(Command{Structs: "value"})
	golden(t, "gogovalue", list)
	kept, _ := s.migrate(Command{All: true})
	for _, want := range []string{"more.go:17:55: protobuf/io.NewDelimitedWriter: gogo's structs stay", "more.go:19:27: types.Timestamp: gogo's structs stay",
		"more.go:23:13: jsonpb.Marshaler: gogo's structs stay", "tools.go:5:10: import \"github.com/gogo/protobuf/protoc-gen-gogofaster\": gogo's structs stay",
		"more.proto:8:10: (gogoproto.typedecl): nothing to do"} {
		if _, stayed, _ := strings.Cut(kept, "\nstays\n"); !strings.Contains(stayed, want) {
			t.Errorf("no %q in\n%s", want, kept)
		}
	}
	if _, err := s.migrate(Command{Write: true, Structs: "value", Force: true}); err == nil {
		t.Error("what is left by hand is no error")
	}
	s.require()
	s.run(s.folder, "go", "vet", "./...")
}

// COD-121: packages of vtprotobuf that have methods or helpers of their own.
func TestAllPackagesOfVtprotobufAreListed(t *testing.T) {
	s := start(t, "vtproto")
	s.write("more.go", `package main

import (
	"github.com/planetscale/vtprotobuf/codec/drpc"
	"github.com/planetscale/vtprotobuf/testproto/proto3opt"
	"github.com/planetscale/vtprotobuf/types/known/timestamppb"
	google "google.golang.org/protobuf/types/known/timestamppb"

	_ "github.com/planetscale/vtprotobuf/features/clone"
	_ "github.com/planetscale/vtprotobuf/vtproto"
)

func stamp(t *google.Timestamp) ([]byte, error) { return (*timestamppb.Timestamp)(t).MarshalVT() }

func other() ([]byte, error) { return drpc.Marshal(new(proto3opt.OptionalFieldInProto3)) }
`)
	s.write("tools.go", "//go:build tools\n\npackage main\n\nimport _ \"github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto\"\n")
	s.run(s.folder, "go", "vet", "./...")
	list, _ := s.migrate(Command{All: true})
	for _, want := range []string{
		"more.go:13:60: timestamppb.Timestamp: its structs have their methods in vtprotobuf's module",
		"more.go:13:86: timestamppb.Timestamp.MarshalVT: its structs have their methods in vtprotobuf's module",
		"more.go:15:39: drpc.Marshal: it calls methods that compat=vtproto writes",
		"more.go:15:56: proto3opt.OptionalFieldInProto3: a schema of vtprotobuf's own tests",
		"more.go:9:2: import _ \"github.com/planetscale/vtprotobuf/features/clone\": remove the import",
		"more.go:10:2: import _ \"github.com/planetscale/vtprotobuf/vtproto\": the option is in the .proto",
		"tools.go:5:10: import \"github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto\": becomes github.com/hotpb/hotpb/go/cmd/protoc-gen-go-hotpb",
	} {
		if !strings.Contains(list, "  "+want) {
			t.Errorf("no %q in\n%s", want, list)
		}
	}
}
