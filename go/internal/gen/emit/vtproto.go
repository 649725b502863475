package emit

import (
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// Vtproto are the options of compat=vtproto. They have the names and values that vtprotobuf's generator accepts.
type Vtproto struct {
	features      []string // empty for all
	pool, exclude []string // patterns of import/path.Message
	ignoreUnknown []string // likewise
}

// vtFeatures are the features of vtprotobuf that compat=vtproto has.
var vtFeatures = []string{"size", "marshal", "marshal_strict", "unmarshal", "unmarshal_unsafe", "equal", "clone", "pool"}

// parse reads an option of vtprotobuf's, and reports whether it is one.
func (v *Vtproto) parse(key, value string) (is bool, err error) {
	switch key {
	case "features":
		for _, name := range strings.Split(value, "+") {
			switch {
			case name == "all":
				v.features = nil
				return true, nil
			case name == "grpc":
				return true, &OptionError{key, value, "grpc is not among the features here: protoc-gen-go-grpc generates services"}
			case !slices.Contains(vtFeatures, name):
				return true, &OptionError{key, value, "all and " + strings.Join(vtFeatures, ", ") + " are allowed, joined by +"}
			}
			v.features = append(v.features, name)
		}
	case "pool", "pool-exclude", "ignoreUnknownFields":
		patterns, problem := alternatives(value)
		if problem != "" {
			return true, &OptionError{key, value, problem}
		}
		list := map[string]*[]string{"pool": &v.pool, "pool-exclude": &v.exclude, "ignoreUnknownFields": &v.ignoreUnknown}[key]
		*list = append(*list, patterns...)
	default:
		return false, nil
	}
	return true, nil
}

// join makes the options a part of o, where compat=vtproto is given.
func (v *Vtproto) join(o *Options, given map[string]bool) error {
	if o.Vtproto != nil {
		o.Vtproto = v
		return nil
	}
	for _, key := range []string{"features", "pool", "pool-exclude", "ignoreUnknownFields"} {
		if given[key] {
			return &OptionError{key, strings.Join(slices.Concat(v.features, v.pool, v.exclude, v.ignoreUnknown), "+"),
				"it works only with compat=vtproto, as an option of vtprotobuf's"}
		}
	}
	return nil
}

// Has reports whether a feature is asked for.
func (v *Vtproto) Has(feature string) bool {
	return v != nil && (len(v.features) == 0 || slices.Contains(v.features, feature))
}

// IsPooled reports whether there is a pool of the message's structs: its Go type is named by pool=, or its option
// vtproto.mempool is true, and pool-exclude= does not name it.
func (g *Generator) IsPooled(m *plan.Message) bool {
	v := g.Options.Vtproto
	if !v.Has("pool") || m.MessageSet {
		return false
	}
	matches := g.matcher(m)
	return !slices.ContainsFunc(v.exclude, matches) && (m.Mempool || slices.ContainsFunc(v.pool, matches))
}

// matcher matches patterns with the Go type of a message.
func (g *Generator) matcher(m *plan.Message) func(pattern string) bool {
	name := g.PackageOf(m.File).Path + "." + g.NamesOf(m.File).Messages[m]
	return func(pattern string) bool { return matchPath(pattern, name) }
}

// ignoresUnknown reports whether the message's code drops unknown fields and does not write them: ignoreUnknownFields= names its Go
// type, or its option vtproto.ignore_unknown_fields is true.
func (g *Generator) ignoresUnknown(m *plan.Message) bool {
	v := g.Options.Vtproto
	return v != nil && !m.MessageSet && (m.IgnoreUnknown || len(v.ignoreUnknown) > 0 && slices.ContainsFunc(v.ignoreUnknown, g.matcher(m)))
}

// customise applies vtprotobuf's option (vtproto.options).unique to a field of strings, or to the keys and values of a map.
func (v *Vtproto) customise(sf *StockField) {
	if v == nil || !sf.Unique {
		return
	}
	unique := func(field *plan.Field) *Custom {
		if field.Type != plan.TypeString {
			return nil
		}
		return &Custom{Kind: CustomCast, Type: "string", Unique: true}
	}
	if sf.Map == nil {
		sf.Custom = unique(sf.Field)
		return
	}
	sf.CustomKey, sf.Custom = unique(sf.Map.Key), unique(sf.Map.Value)
}
