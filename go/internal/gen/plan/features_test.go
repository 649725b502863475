package plan

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

const defaultsFile = "testdata/edition_defaults.binpb"

func TestFeaturesStartFromTheDefaultsOfProtoc(t *testing.T) {
	encoded, err := os.ReadFile(defaultsFile)
	if err != nil {
		t.Fatal(err)
	}
	var defaults descriptorpb.FeatureSetDefaults
	if err := proto.Unmarshal(encoded, &defaults); err != nil {
		t.Fatal(err)
	}
	files := map[descriptorpb.Edition]*descriptorpb.FileDescriptorProto{
		descriptorpb.Edition_EDITION_LEGACY: {Syntax: proto.String("proto2")},
		descriptorpb.Edition_EDITION_PROTO3: {Syntax: proto.String("proto3")},
		descriptorpb.Edition_EDITION_2023:   {Syntax: proto.String("editions"), Edition: descriptorpb.Edition_EDITION_2023.Enum()},
		descriptorpb.Edition_EDITION_2024:   {Syntax: proto.String("editions"), Edition: descriptorpb.Edition_EDITION_2024.Enum()},
	}
	if len(defaults.Defaults) != len(files) {
		t.Errorf("protoc has the defaults of %d editions, want %d", len(defaults.Defaults), len(files))
	}
	for _, edition := range defaults.Defaults {
		file := files[edition.GetEdition()]
		if file == nil {
			t.Errorf("edition %v is not tested", edition.GetEdition())
			continue
		}
		_, _, got, problem := syntaxOf(file)
		if problem != "" {
			t.Fatal(problem)
		}
		merged := proto.Clone(edition.GetFixedFeatures()).(*descriptorpb.FeatureSet)
		proto.Merge(merged, edition.GetOverridableFeatures())
		want := features{
			presence:  merged.GetFieldPresence(),
			enum:      merged.GetEnumType(),
			repeated:  merged.GetRepeatedFieldEncoding(),
			utf8:      merged.GetUtf8Validation(),
			encoding:  merged.GetMessageEncoding(),
			inherited: edition.GetEdition() >= descriptorpb.Edition_EDITION_2023,
		}
		if got != want {
			t.Errorf("%v: %+v, protoc has %+v", edition.GetEdition(), got, want)
		}
	}
}

func TestCommittedDefaultsAreThoseOfThePinnedProtoc(t *testing.T) {
	tools := filepath.FromSlash("../../../../build/tools/protoc")
	if _, err := os.Stat(filepath.Join(tools, "bin", "protoc")); err != nil {
		t.Skip("protoc is not there; tools/setup protoc brings it")
	}
	out := filepath.Join(t.TempDir(), "defaults.binpb")
	run := exec.Command(filepath.Join(tools, "bin", "protoc"), "-I"+filepath.Join(tools, "include"),
		"--edition_defaults_out="+out, "--edition_defaults_minimum=PROTO2", "--edition_defaults_maximum=2024",
		"google/protobuf/descriptor.proto")
	if message, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, message)
	}
	want, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(defaultsFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what protoc writes", defaultsFile)
	}
}

func TestUnknownValueOfAFeatureIsRefused(t *testing.T) {
	unknown := descriptorpb.FeatureSet_EnumType(9)
	_, err := Build([]*descriptorpb.FileDescriptorProto{{
		Name:    proto.String("x.proto"),
		Syntax:  proto.String("editions"),
		Edition: descriptorpb.Edition_EDITION_2023.Enum(),
		Options: &descriptorpb.FileOptions{Features: &descriptorpb.FeatureSet{EnumType: &unknown}},
	}}, nil)
	if err == nil || err.Error() != "InvalidSchema: x.proto: feature enum_type has the unknown value 9; use a value of google.protobuf.FeatureSet" {
		t.Errorf("error %v", err)
	}
}
