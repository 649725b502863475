package plan

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// gogoOptions are the options of gogoproto that change the plain struct. The value is the option's value that does
// so, or any for options that are text. Options that only add methods are not among them.
var gogoOptions = map[protowire.Number]struct {
	name  string
	value string
}{
	65001: {"nullable", "false"}, 65002: {"embed", "true"}, 65003: {"customtype", "any"}, 65004: {"customname", "any"},
	65007: {"casttype", "any"}, 65008: {"castkey", "any"}, 65009: {"castvalue", "any"}, 65010: {"stdtime", "true"},
	65011: {"stdduration", "true"}, 65012: {"wktpointer", "true"},
	64025: {"goproto_extensions_map", "false"}, 64026: {"goproto_unrecognized", "false"}, 64030: {"typedecl", "false"},
	63025: {"goproto_extensions_map_all", "false"}, 63026: {"goproto_unrecognized_all", "false"},
	63030: {"typedecl_all", "false"},
	62023: {"enum_customname", "any"}, 62024: {"enumdecl", "false"}, 63031: {"enumdecl_all", "false"},
}

// gogoMethods are the methods that options of gogoproto add to a message, by the option's number in messages. The
// number of the file option, which holds for all messages without an option of their own, is 1000 less.
var gogoMethods = []struct {
	option protowire.Number
	names  []string
}{
	{64017, []string{"Marshal", "MarshalTo"}}, {64023, []string{"Marshal", "MarshalTo"}}, // marshaler, unsafe_marshaler
	{64018, []string{"Unmarshal"}}, {64024, []string{"Unmarshal"}}, // unmarshaler, unsafe_unmarshaler
	{64020, []string{"Size"}}, {64028, []string{"ProtoSize"}}, // sizer, protosizer
}

// gogoMethodsOf returns the methods that gogo's generator adds to a message with these options.
func gogoMethodsOf(file, message protoreflect.ProtoMessage) (methods []string) {
	const all = 1000
	for _, m := range gogoMethods {
		on, said := gogoBool(message, m.option)
		if !said {
			on, _ = gogoBool(file, m.option-all)
		}
		if on {
			methods = append(methods, m.names...)
		}
	}
	return methods
}

// gogoBool returns the value of an option, the last one of several, and whether the option is present.
func gogoBool(options protoreflect.ProtoMessage, wanted protowire.Number) (value, is bool) {
	b := options.ProtoReflect().GetUnknown()
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			break
		}
		size := protowire.ConsumeFieldValue(number, kind, b[n:])
		if size < 0 {
			break
		}
		if number == wanted && kind == protowire.VarintType {
			v, _ := protowire.ConsumeVarint(b[n:])
			value, is = v != 0, true
		}
		b = b[n+size:]
	}
	return value, is
}

// gogoOption returns the name of the first option of gogoproto that changes the struct, or "". The options have
// been read without gogo.proto, so its extensions are unknown fields.
func gogoOption(options protoreflect.ProtoMessage) string {
	b := options.ProtoReflect().GetUnknown()
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return ""
		}
		size := protowire.ConsumeFieldValue(number, kind, b[n:])
		if size < 0 {
			return ""
		}
		if option, known := gogoOptions[number]; known {
			v, _ := protowire.ConsumeVarint(b[n:])
			if option.value == "any" || (option.value == "true") == (v != 0) {
				return "gogoproto." + option.name
			}
		}
		b = b[n+size:]
	}
	return ""
}
