package migrate

// option is the treatment of an option of a .proto.
type option struct {
	kind kind
	do   string
	when string // true or false: with the other value the option needs nothing
}

// nothing is for options that have the value which is the default.
var nothing = option{stays, "nothing to do", ""}

// gogoOptions follow the table of docs/migrate-from-gogo.md for faces=codec; the ..._all forms are looked up without that ending.
var gogoOptions = func() map[string]option {
	all := map[string]option{
		"castrepeated":           {refused, "it belongs to a fork of gogo with a runtime of its own; convert where you use the slice", ""},
		"enum_customname":        {refused, "leave it out, and name the enum in the .proto", ""},
		"goproto_extensions_map": {byHand, "without the map a message with extensions is refused; leave the message out with messages=, or the option", "false"},
		"typedecl":               {byHand, "check that your struct has the fields of the .proto: the generator cannot see it", "false"},
		"embed":                  {byHand, "generate the message that embeds, too, or it has the fast methods of its part", "true"},
		"gogoproto_import":       {byHand, "with false, a message with extensions is refused; leave the message out with messages=, or the option", "false"},
		"castkey":                {stays, "supported, except on a map by bool", ""},
		"nullable":               {stays, "supported, except on a group", ""},
	}
	for kinds, names := range map[option][]string{
		{stays, "supported", ""}: {"customtype", "casttype", "castvalue", "customname", "stdtime", "stdduration", "wktpointer", "goproto_unrecognized", "goproto_unkeyed",
			"goproto_sizecache", "marshaler", "unmarshaler", "sizer", "protosizer", "unsafe_marshaler", "unsafe_unmarshaler", "stable_marshaler"},
		nothing: {"enumdecl", "goproto_enum_prefix", "goproto_enum_stringer", "enumvalue_customname"},
		{stays, "left to gogo", ""}: {"equal", "compare", "verbose_equal", "populate", "gostring", "stringer", "enum_stringer", "description", "face", "goproto_getters",
			"goproto_stringer", "goproto_registration", "goproto_import", "testgen", "benchgen", "messagename", "onlyone", "jsontag", "moretags"},
	} {
		for _, name := range names {
			all[name] = kinds
		}
	}
	named := map[string]option{"gogoproto.": {byHand, "hotpb does not know this option; the generator says whether it supports it", ""}}
	for name, o := range all {
		named["gogoproto."+name] = o
	}
	return named
}()
