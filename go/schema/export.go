package schema

import "github.com/hotpb/hotpb/go/schema/internal/export"

// Proto returns the plan as the text of a .proto file, named after the root. The same schema always has the same
// text. The text is proto3 if that can express the plan. Groups, closed enums, required columns and defaults need
// edition 2023.
//
// Numbers and names of columns that are off are reserved. Columns are in the order of their numbers, those of a
// oneof together. The text has only messages and enums to which columns lead that are on; it imports well-known
// types. Readers of a proto3 string refuse bytes that are not UTF-8 whether or not the column has CheckUTF8;
// edition 2023 says which columns are unchecked.
//
// An error lists everything that a .proto cannot express; each part is an *Error.
func (p *Plan) Proto() (string, error) {
	files, err := p.files()
	if err != nil {
		return "", err
	}
	return files[len(files)-1].Text(), nil
}

// FileDescriptorSet returns the plan as an encoded google.protobuf.FileDescriptorSet with everything that it
// needs: the files of well-known types, cut down to the types that are used, and last the file whose text is
// Proto, as protoc compiles it, without comments.
func (p *Plan) FileDescriptorSet() ([]byte, error) {
	files, err := p.files()
	if err != nil {
		return nil, err
	}
	return export.Descriptors(files), nil
}

// files returns the plan's own file last, after those that it imports.
func (p *Plan) files() ([]*export.File, error) {
	if p.isEmpty() {
		return nil, errNoPlan()
	}
	var wrong problems
	files := export.Files(p.describe().Reached(), p.pkg, wrong.add)
	if len(wrong) > 0 {
		return nil, wrong.err()
	}
	return files, nil
}
