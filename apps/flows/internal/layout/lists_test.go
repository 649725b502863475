package layout

import (
	"strings"
	"testing"
)

func TestListsNeedRepeatedColumnsOfNumbers(t *testing.T) {
	for column, want := range map[string]string{
		"type: repeated uint32, from: 4294967295/10":            "",
		"type: repeated uint32, from: [243, 245]":               "",
		"type: repeated uint64, from: 485":                      "",
		"type: repeated int32, from: 434":                       "",
		"type: repeated string":                                 "",
		"type: bytes, from: 485":                                "",
		"type: uint32, from: 4294967295/10":                     "line 4: Flow.path: element 4294967295/10: is a list, so that its column must be repeated, such as repeated uint32",
		"type: bytes, from: 4294967295/11":                      "Flow.path: element 4294967295/11: is a list",
		"type: uint32, from: [128, 4294967295/12]":              "Flow.path: element 4294967295/12: is a list",
		"type: uint32, from: 485":                               "Flow.path: element 485: is a list, so that its column must be repeated, such as repeated uint32; or bytes",
		"type: repeated string, from: 82":                       "",
		"type: repeated ip, from: 8":                            "",
		"type: repeated bytes, from: 491":                       "",
		"type: repeated mac, from: 56":                          "Flow.path: element 56: packets fill lists of numbers, strings, bytes and ip only",
		"type: repeated uint32, from: 34":                       "Flow.path: is UintList, not UintColumn",
		"type: repeated uint32, from: 4294967295/2":             "Flow.path: is UintList, not UintColumn",
		"type: repeated timestamp(millis), from: 152":           "Flow.path: element 152: packets fill lists of numbers",
		"type: uint32, from: 4294967295/10, off: true":          "",
		"type: repeated uint32, from: 4294967295/10, off: true": "",
	} {
		_, err := Parse("test.yaml", []byte("message: Flow\ncolumns:\n  - {name: bytes, number: 1, type: uint64, from: 1}\n  - {name: path, number: 2, "+column+"}\n"))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", column, err)
		}
	}
}
