// Gogovalues is protoc-gen-gogofaster with fields that are values (nullable=false), as gogo's users who care for speed
// set them in their .proto files: put on from here, so that all rivals read the same files.
package main

import (
	"github.com/gogo/protobuf/protoc-gen-gogo/descriptor"
	"github.com/gogo/protobuf/vanity"
	"github.com/gogo/protobuf/vanity/command"
)

func main() {
	request := command.Read()
	files := request.GetProtoFile()
	for _, file := range []func(*descriptor.FileDescriptorProto){
		vanity.TurnOnMarshalerAll, vanity.TurnOnSizerAll, vanity.TurnOnUnmarshalerAll,
		vanity.TurnOffGoUnrecognizedAll, vanity.TurnOffGoUnkeyedAll, vanity.TurnOffGoSizecacheAll,
	} {
		vanity.ForEachFile(files, file)
	}
	for _, file := range files {
		file.Options.GoPackage = request.Parameter // the parameter is the folder, and all files are one package
		enums := withZero(file)
		proto2 := file.GetSyntax() != "proto3"
		for _, m := range file.MessageType {
			itself := "." + file.GetPackage() + "." + m.GetName()
			vanity.ForEachFieldExcludingExtensions([]*descriptor.DescriptorProto{m}, func(field *descriptor.FieldDescriptorProto) {
				if field.IsRepeated() || field.GetTypeName() != itself {
					value(field, proto2, enums)
				}
			})
		}
	}
	request.Parameter = nil
	command.Write(command.Generate(request))
}

// withZero has the enums of a file that begin with zero; gogo wants pointers to others.
func withZero(file *descriptor.FileDescriptorProto) map[string]bool {
	enums := map[string]bool{}
	for _, e := range file.EnumType {
		enums["."+file.GetPackage()+"."+e.GetName()] = e.Value[0].GetNumber() == 0
	}
	return enums
}

func value(field *descriptor.FieldDescriptorProto, proto2 bool, enums map[string]bool) {
	switch {
	case field.OneofIndex != nil || field.IsBytes():
	case field.IsMessage() && (proto2 || field.IsRepeated()): // a singular one of proto3 is there or not
		vanity.TurnOffNullable(field)
	case field.IsMessage():
	case !proto2: // values already
	case field.IsEnum() && !enums[field.GetTypeName()]:
	default:
		if d := field.GetDefaultValue(); d == "false" || d == "ENTRY_NORMAL" {
			field.DefaultValue = nil // it says nothing, and with a default gogo wants a pointer
		}
		vanity.TurnOffNullableForNativeTypesWithoutDefaultsOnly(field)
	}
}
