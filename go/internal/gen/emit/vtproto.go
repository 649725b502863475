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
	case "pool", "pool-exclude":
		patterns, problem := alternatives(value)
		if problem != "" {
			return true, &OptionError{key, value, problem}
		}
		if key == "pool" {
			v.pool = append(v.pool, patterns...)
		} else {
			v.exclude = append(v.exclude, patterns...)
		}
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
	for _, key := range []string{"features", "pool", "pool-exclude"} {
		if given[key] {
			return &OptionError{key, strings.Join(append(slices.Clone(v.features), append(v.pool, v.exclude...)...), "+"),
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
	name := g.PackageOf(m.File).Path + "." + g.NamesOf(m.File).Messages[m]
	matches := func(pattern string) bool { return matchPath(pattern, name) }
	return !slices.ContainsFunc(v.exclude, matches) && (m.Mempool || slices.ContainsFunc(v.pool, matches))
}
