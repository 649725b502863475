package emit

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// Options are the user's options, from the plugin's parameter or from --opt.
type Options struct {
	Faces          []*Face
	Messages       []string // full names; empty selects all
	Only, Skip     []string // full names of fields
	KeepSkipped    bool
	Hot, Cold      []string // full names of messages; * stands for all that neither option names
	Strict         bool     // utf8=strict
	SortedMaps     bool     // maps=sorted
	SourceRelative bool     // paths=source_relative
	Module         string
	Packages       map[string]string     // M<file>=<import path>[;<name>]
	EmitPlan       string                // file name; "-" is standard output
	Quiet          bool                  // no line about files of many messages
	Runtime        string                // runtime=; "" is google
	ProtoMethods   bool                  // protomethods=true
	Csproto        bool                  // compat=csproto
	Vtproto        *Vtproto              // compat=vtproto, or nil
	SpecialNames   []string              // specialname=
	FilePerMessage bool                  // filepermessage=true
	OldStructs     bool                  // structs=before_1.36
	Values         bool                  // structs=value
	APILevel       plan.GoAPI            // default_api_level=
	APILevels      map[string]plan.GoAPI // apilevelM<file>=
}

// OptionError is an option that cannot be followed. It has the option, its value and the allowed values.
type OptionError struct {
	Option, Value, Allowed string
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("option %s=%s: %s", e.Option, e.Value, e.Allowed)
}

const allowedOptions = "faces=, messages=, only=, skip=, keep_skipped, hot=, cold=, utf8=, maps=, runtime=, protomethods=, compat=, specialname=, features=, pool=, pool-exclude=, ignoreUnknownFields=, filepermessage=, structs=, default_api_level=, apilevelM<file>=, paths=, module=, M<file>=, emit_plan=, quiet"

// otherGenerators are options of the generators that users come from, and their replacements.
var otherGenerators = map[string]string{
	"apiversion":         "an option of csproto's generator; in place of v1 write runtime=v1, or runtime=gogo, gogofast, gogofaster or gogoslick; leave out v2",
	"enableunsafedecode": "an option of csproto's generator; leave it out, and pass codec.UnmarshalOptions{Alias: true} to UnmarshalHotOptions",
	"wrap":               "an option of vtprotobuf's generator; leave it out: hotpb.Marshal, Unmarshal and Size take the structs of Google's files themselves",
	"buildTag":           "an option of vtprotobuf's generator; leave it out: this code has no build tag, and its file can be left out as a whole",
	"allow-empty":        "an option of vtprotobuf's generator; leave it out: each .proto has a file, also one without messages",
	"plugins":            "an option of older generators; leave it out: protoc-gen-go-grpc writes the services",
}

// Has reports whether the face or extra is asked for.
func (o *Options) Has(face string) bool {
	return slices.ContainsFunc(o.Faces, func(f *Face) bool { return f.Name == face })
}

// ParseOptions reads a parameter that SplitOptions splits. It ignores nothing: an option that it cannot follow is an
// OptionError.
func ParseOptions(parameter string) (*Options, error) {
	o := &Options{Packages: map[string]string{}, APILevels: map[string]plan.GoAPI{}}
	// Each option by itself.
	given := map[string]bool{}
	vtproto := &Vtproto{}
	for _, part := range SplitOptions(parameter) {
		if part == "" {
			continue
		}
		key, value, hasValue := strings.Cut(part, "=")
		if given[key] && key != "specialname" && !slices.Contains(patternOptions, key) {
			return nil, &OptionError{key, value, "given twice"}
		}
		given[key] = true
		if Registry[key] != nil && !hasValue {
			return nil, &OptionError{key, value, "a face is no option: join the names of faces with +, as in faces=codec+view"}
		}
		if !known(key) {
			allowed := "there is no such option; allowed are " + allowedOptions
			if advice := otherGenerators[key]; advice != "" {
				allowed = advice
			}
			return nil, &OptionError{key, value, allowed}
		}
		if key == "keep_skipped" || key == "quiet" {
			if hasValue {
				return nil, &OptionError{key, value, "it takes no value"}
			}
			o.KeepSkipped = o.KeepSkipped || key == "keep_skipped"
			o.Quiet = o.Quiet || key == "quiet"
			continue
		}
		if !hasValue || value == "" {
			return nil, &OptionError{key, value, "a value is missing; allowed are " + allowedOptions}
		}
		if is, err := vtproto.parse(key, value); err != nil {
			return nil, err
		} else if is {
			continue
		}
		if err := o.parse(key, value); err != nil {
			return nil, err
		}
	}
	// Options that need or exclude each other, whatever the faces are.
	if err := vtproto.join(o, given); err != nil {
		return nil, err
	}
	if o.SourceRelative && o.Module != "" {
		return nil, &OptionError{"module", o.Module, "it works only with paths=import"}
	}
	if o.KeepSkipped && len(o.Only)+len(o.Skip) == 0 {
		return nil, &OptionError{"keep_skipped", "", "it goes with only= or skip="}
	}
	if given["faces"] || o.EmitPlan == "" {
		return o, o.resolveFaces()
	}
	// The plan alone needs neither faces nor a Go package.
	if len(o.Messages)+len(o.Only)+len(o.Skip)+len(o.Hot)+len(o.Cold) > 0 || o.Strict || o.SortedMaps {
		return nil, &OptionError{"emit_plan", o.EmitPlan, "the plan alone does not depend on messages=, only=, skip=, hot=, cold=, utf8= or maps=; add faces= or leave them out"}
	}
	return o, nil
}

func (o *Options) parse(key, value string) error {
	switch key {
	case "faces":
		return o.parseFaces(value)
	case "messages":
		o.Messages = strings.Split(value, "+")
		for _, name := range o.Messages {
			if name == "" {
				return &OptionError{key, value, "full message names joined by + are allowed, as in messages=pkg.A+pkg.B"}
			}
		}
	case "hot":
		o.Hot = strings.Split(value, "+")
	case "cold":
		o.Cold = strings.Split(value, "+")
	case "only":
		o.Only = strings.Split(value, "+")
	case "skip":
		o.Skip = strings.Split(value, "+")
	case "utf8":
		if value != "schema" && value != "strict" {
			return &OptionError{key, value, "schema and strict are allowed"}
		}
		o.Strict = value == "strict"
	case "maps":
		if value != "go" && value != "sorted" {
			return &OptionError{key, value, "go and sorted are allowed"}
		}
		o.SortedMaps = value == "sorted"
	case "paths":
		if value != "import" && value != "source_relative" {
			return &OptionError{key, value, "import and source_relative are allowed"}
		}
		o.SourceRelative = value == "source_relative"
	case "module":
		o.Module = strings.TrimSuffix(value, "/")
	case "emit_plan":
		o.EmitPlan = value
	case "runtime":
		if stockRuntimes[value] == nil {
			return &OptionError{key, value, "google, v1, gogo, gogofast, gogofaster and gogoslick are allowed"}
		}
		o.Runtime = value
	case "protomethods":
		if value != "true" && value != "false" {
			return &OptionError{key, value, "true and false are allowed"}
		}
		o.ProtoMethods = value == "true"
	case "compat":
		for _, name := range strings.Split(value, "+") {
			switch {
			case name == "csproto" && !o.Csproto:
				o.Csproto = true
			case name == "vtproto" && o.Vtproto == nil:
				o.Vtproto = &Vtproto{}
			default:
				return &OptionError{key, value, "csproto and vtproto are allowed, and both joined by +"}
			}
		}
	case "specialname":
		for _, name := range strings.Split(value, "+") {
			if !token.IsIdentifier(name) || !token.IsExported(name) {
				return &OptionError{key, value, "Go names of fields joined by + are allowed, as in specialname=Size+Equal"}
			}
			o.SpecialNames = append(o.SpecialNames, name)
		}
	case "filepermessage":
		if value != "true" && value != "false" {
			return &OptionError{key, value, "true and false are allowed"}
		}
		o.FilePerMessage = value == "true"
	case "structs":
		switch value {
		case "before_1.36":
			o.OldStructs = true
		case "value":
			o.Values = true
		default:
			return &OptionError{key, value, "value is allowed, for structs that this generator writes, and before_1.36, for structs from a protoc-gen-go before 1.36"}
		}
	case "default_api_level":
		level, err := parseAPILevel(key, value)
		o.APILevel = level
		return err
	default:
		if file, isLevel := strings.CutPrefix(key, "apilevelM"); isLevel {
			level, err := parseAPILevel(key, value)
			o.APILevels[file] = level
			return err
		}
		o.Packages[strings.TrimPrefix(key, "M")] = value
	}
	return nil
}

// parseAPILevel reads the level of the stock structs, in the words of protoc-gen-go.
func parseAPILevel(key, value string) (plan.GoAPI, error) {
	switch value {
	case "API_OPEN":
		return plan.GoAPIOpen, nil
	case "API_HYBRID":
		return plan.GoAPIHybrid, nil
	case "API_OPAQUE":
		return plan.GoAPIOpaque, nil
	}
	return 0, &OptionError{key, value, "API_OPEN, API_HYBRID and API_OPAQUE are allowed, as in protoc-gen-go"}
}

// checkMapped refuses an M option that names no file, such as Messages=pkg.A. Files that nothing imports are silent, because
// build tools pass one list to all runs.
func (o *Options) checkMapped(p *plan.Plan) error {
	for _, name := range slices.Sorted(maps.Keys(o.Packages)) {
		if strings.Contains(name, ".") || slices.ContainsFunc(p.AllFiles, func(f *plan.File) bool {
			return f.Name == name || slices.Contains(f.OptionDependencies, name)
		}) {
			continue
		}
		return &OptionError{"M" + name, o.Packages[name], fmt.Sprintf("there is no file %q; M<file>= names a .proto, and other options begin in lower case: %s", name, allowedOptions)}
	}
	return nil
}

// manyMessages is the number of messages of one file from which a user should know of messages=.
const manyMessages = 200

// largeFiles are the lines about files whose code is large and may be more than the user needs.
func (o *Options) largeFiles(p *plan.Plan) (lines []string) {
	if o.Quiet || len(o.Messages) > 0 {
		return nil
	}
	for _, file := range p.Files {
		messages := 0
		for _, m := range file.Messages {
			if !m.MapEntry {
				messages++
			}
		}
		if messages > manyMessages {
			lines = append(lines, fmt.Sprintf("%s: %d messages, code for all of them; messages=pkg.A+pkg.B writes only those and the messages that they need (quiet leaves this line out)",
				file.Name, messages))
		}
	}
	return lines
}

// known reports whether the option exists.
func known(key string) bool {
	switch key {
	case "faces", "messages", "only", "skip", "keep_skipped", "hot", "cold", "utf8", "maps", "paths", "module", "emit_plan", "quiet", "runtime", "protomethods",
		"compat", "specialname", "features", "pool", "pool-exclude", "ignoreUnknownFields", "filepermessage", "structs", "default_api_level":
		return true
	}
	return len(key) > 1 && key[0] == 'M' || len(key) > len("apilevelM") && strings.HasPrefix(key, "apilevelM")
}

func (o *Options) parseFaces(value string) error {
	for _, name := range strings.Split(value, "+") {
		face := Registry[name]
		if face == nil {
			return &OptionError{"faces", value, fmt.Sprintf("the face %q is not in this version of the Go generator; it has %s", name, strings.Join(Existing(), ", "))}
		}
		if o.Has(name) {
			return &OptionError{"faces", value, fmt.Sprintf("%s is named twice", name)}
		}
		o.Faces = append(o.Faces, face)
	}
	for _, face := range o.Faces {
		if len(face.Of) > 0 && !slices.ContainsFunc(face.Of, o.Has) {
			return &OptionError{"faces", value, fmt.Sprintf("%s goes with %s: faces=%s is allowed", face.Name,
				strings.Join(face.Of, " or "), strings.Join(face.spellings(), " or faces="))}
		}
	}
	return nil
}

// resolveFaces fills in the default and checks that the faces support the other options.
func (o *Options) resolveFaces() error {
	if len(o.Faces) == 0 {
		o.Faces = defaultFaces()
	}
	// Options of the faces pool and view.
	if o.SortedMaps && !o.Has("pool") {
		return &OptionError{"maps", "sorted", "it works only with the face pool; the other faces have no maps of their own"}
	}
	for _, named := range []struct {
		option string
		names  []string
	}{{"hot", o.Hot}, {"cold", o.Cold}} {
		if len(named.names) > 0 && !o.Has("pool") && !o.Has("view") && !o.Has("codec") {
			return &OptionError{named.option, strings.Join(named.names, "+"), "it works only with the faces pool, view and codec; the others have straight code only"}
		}
	}
	// Options of the codec, and of the runtimes of its structs.
	if o.Runtime != "" && !o.Has("codec") {
		return &OptionError{"runtime", o.Runtime, "it works only with the face codec; the other faces use no stock runtime"}
	}
	if o.Values && !o.Has("codec") {
		return &OptionError{"structs", "value", "it works only with the face codec; the other faces have structs of their own"}
	}
	if o.Values && (o.Csproto || o.FilePerMessage || len(o.SpecialNames) > 0) {
		return &OptionError{"structs", "value", "it excludes compat=, filepermessage= and specialname=: the structs have gogo's methods, in one file for each .proto"}
	}
	if r := o.StockRuntime(); o.Values && (r == nil || !r.Gogo) {
		return &OptionError{"structs", "value", "runtime=gogo, gogofast (the default), gogofaster and gogoslick are allowed: they choose the rules for the structs"}
	}
	if o.ProtoMethods && (!o.Has("codec") || o.StockRuntime().V1) {
		return &OptionError{"protomethods", "true", "it works only with the face codec and runtime=google; the other runtimes have no such methods"}
	}
	if o.Csproto && !o.Has("codec") {
		return &OptionError{"compat", "csproto", "it works only with the face codec; the other faces add nothing to stock structs"}
	}
	if o.Vtproto != nil && (!o.Has("codec") || o.StockRuntime().V1) {
		return &OptionError{"compat", "vtproto", "it works only with the face codec and runtime=google; vtprotobuf has no methods for other structs"}
	}
	if len(o.SpecialNames) > 0 && !o.Has("codec") {
		return &OptionError{"specialname", strings.Join(o.SpecialNames, "+"), "it works only with the face codec; the other faces have no fields of stock structs"}
	}
	if o.FilePerMessage && !o.Has("codec") {
		return &OptionError{"filepermessage", "true", "it works only with the face codec; the other faces write one file for each .proto"}
	}
	if o.OldStructs && (!o.Has("codec") || o.StockRuntime().V1 || o.APILevel != 0 || len(o.APILevels) > 0) {
		return &OptionError{"structs", "before_1.36", "it works only with the face codec, runtime=google and open structs, because older generators wrote no others"}
	}
	if (o.APILevel != 0 || len(o.APILevels) > 0) && o.StockRuntime().V1 {
		return &OptionError{"runtime", o.Runtime, "it excludes default_api_level= and apilevelM: the structs of this runtime are always open"}
	}
	if (o.APILevel != 0 || len(o.APILevels) > 0) && !o.Has("codec") {
		return &OptionError{"default_api_level", "", "it and apilevelM work only with the face codec; the other faces do not use the stock structs"}
	}
	// Options that not every face supports.
	slices.SortFunc(o.Faces, func(a, b *Face) int { return strings.Compare(sortKey(a), sortKey(b)) })
	for _, face := range o.Faces {
		if o.Strict && !face.Strict {
			return &OptionError{"utf8", "strict", fmt.Sprintf("the face %s has only schema in this version", face.Name)}
		}
		if len(o.Messages) > 0 && !face.Selects {
			return &OptionError{"messages", strings.Join(o.Messages, "+"), fmt.Sprintf("the face %s has no selection in this version", face.Name)}
		}
		if err := o.selectsFields(face); err != nil {
			return err
		}
	}
	return nil
}

// Selection is the set of messages and enums to generate: the messages that are named, and all types that can be
// reached from them through generated fields and through extensions of the requested files.
type Selection struct {
	All      bool
	messages map[*plan.Message]bool
	enums    map[*plan.Enum]bool
	many     bool // messages
	FieldSelection
	tiers
}

func (o *Options) selectFrom(p *plan.Plan) (*Selection, error) {
	fields, err := o.selectFields(p)
	if err != nil {
		return nil, err
	}
	tiers, err := o.chooseTiers(p)
	if err != nil {
		return nil, err
	}
	s := &Selection{All: len(o.Messages) == 0, messages: map[*plan.Message]bool{}, enums: map[*plan.Enum]bool{}, FieldSelection: fields, tiers: tiers}
	if s.All {
		s.many = s.count(p) > manyMessages
		return s, nil
	}
	byName := make(map[string]*plan.Message, len(p.Messages))
	for _, message := range p.Messages {
		byName[message.Name] = message
	}
	var open []*plan.Message
	reach := func(message *plan.Message) {
		if message != nil && !s.messages[message] {
			s.messages[message] = true
			open = append(open, message)
		}
	}
	for _, name := range o.Messages {
		message := byName[name]
		if message == nil || message.MapEntry {
			return nil, &OptionError{"messages", strings.Join(o.Messages, "+"),
				fmt.Sprintf("%q is not a message of the files to generate; full names such as %s are allowed", name, example(p))}
		}
		reach(message)
	}
	for len(open) > 0 {
		message := open[len(open)-1]
		open = open[:len(open)-1]
		for _, field := range s.fields(message) {
			reach(field.Message)
			s.enums[field.Enum] = true
		}
		for _, extension := range message.Extensions {
			if extension.File.Requested {
				reach(extension.Message)
				s.enums[extension.Enum] = true
			}
		}
	}
	s.many = s.count(p) > manyMessages
	return s, nil
}

// count returns the number of messages that are generated.
func (s *Selection) count(p *plan.Plan) (messages int) {
	for _, m := range p.Messages {
		if !m.MapEntry && (s.All || s.messages[m]) {
			messages++
		}
	}
	return messages
}

func example(p *plan.Plan) string {
	for _, message := range p.Messages {
		if !message.MapEntry {
			return message.Name
		}
	}
	return "pkg.Message"
}
