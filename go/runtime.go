package hotpb

import (
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"
)

// Runtime is the interface that this package delegates to. Messages that its methods receive are of its own types and
// never nil. The runtime itself reports other arguments that do not fit. An extension is the variable E_Name in the
// runtime's generated code, and its value has the type that the runtime uses for it.
type Runtime interface {
	// ImportPath returns the import path of the runtime's proto package.
	ImportPath() string
	// Knows reports whether a type is in the runtime's registry. It is called only for types that do not name the
	// package they were compiled against.
	Knows(msg any) bool

	Size(msg any) int
	Marshal(msg any) ([]byte, error)
	MarshalAppend(b []byte, msg any) ([]byte, error)
	Unmarshal(b []byte, msg any) error // resets first
	Reset(msg any)
	Clone(msg any) any
	Equal(a, b any) bool

	HasExtension(msg, extension any) bool
	GetExtension(msg, extension any) (any, error) // ErrMissingExtension when it is not set and has no default
	SetExtension(msg, extension, value any) error
	ClearExtension(msg, extension any) error
	ClearAllExtensions(msg any)
	// RangeExtensions calls f for the extensions that are set and known to the program, by number, until f returns an
	// error.
	RangeExtensions(msg any, f func(value any, name string, number int32) error) error
	// ExtensionNumber returns the number of an extension of this runtime; false for anything else.
	ExtensionNumber(extension any) (int32, bool)

	EncodeJSON(msg any, options JSONOptions) ([]byte, error)
	DecodeJSON(b []byte, msg any, options JSONOptions) error // resets first
	EncodeText(msg any) ([]byte, error)
	DecodeText(b []byte, msg any) error // resets first
}

const (
	googlePath   = "google.golang.org/protobuf/proto"
	googleV1Path = "github.com/golang/protobuf/proto"
	gogoPath     = "github.com/gogo/protobuf/proto"
)

// satellites are the packages that register the runtimes that are not always linked.
var satellites = map[string]string{
	gogoPath:     "github.com/hotpb/hotpb/go/gogo",
	googleV1Path: "github.com/hotpb/hotpb/go/googlev1",
}

// registered holds the runtimes in the order of their import paths. A list never changes: whoever holds growing
// replaces it.
var registered atomic.Pointer[[]Runtime]

func init() { registered.Store(new([]Runtime)) }

// RegisterRuntime adds a runtime. The init function of the package that holds the runtime calls it. A runtime
// replaces an earlier one with the same import path.
func RegisterRuntime(r Runtime) {
	growing.Lock()
	defer growing.Unlock()
	runtimes := slices.Clone(*registered.Load())
	i, found := slices.BinarySearchFunc(runtimes, r.ImportPath(), func(at Runtime, path string) int {
		return strings.Compare(at.ImportPath(), path)
	})
	if found {
		runtimes[i] = r
	} else {
		runtimes = slices.Insert(runtimes, i, r)
	}
	registered.Store(&runtimes)
	entries.Store(newTable(3)) // another runtime may serve the known types now
}

// RuntimeOf returns the runtime that the message belongs to, or an error that says why there is none.
func RuntimeOf(msg any) (Runtime, error) {
	e, err := entryOf(msg)
	if err != nil {
		return nil, err
	}
	if e.runtime == nil {
		return nil, e.err
	}
	return e.runtime, nil
}

// findRuntime follows the rules of the package comment. Call it with no lock held.
func findRuntime(runtimes []Runtime, msg any) (Runtime, error) {
	if _, ok := msg.(proto.Message); ok {
		return google{}, nil
	}
	t := reflect.TypeOf(msg)
	if path := compiledAgainst(t); path != "" {
		if path == googlePath {
			return google{}, nil
		}
		for _, r := range runtimes {
			if r.ImportPath() == path {
				return r, nil
			}
		}
		return nil, notLinked(t, path)
	}
	for _, r := range runtimes {
		if r.Knows(msg) {
			return r, nil
		}
	}
	if m, ok := msg.(protoadapt.MessageV1); ok {
		if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
			return nil, &Error{Type: t, Err: ErrNotMessage, Detail: "it has a message's methods, but is not a pointer to a struct"}
		}
		return readable(m)
	}
	e := &Error{Type: t, Err: ErrNotMessage}
	if t.Kind() == reflect.Struct && reflect.PointerTo(t).Implements(reflect.TypeFor[interface{ ProtoMessage() }]()) {
		e.Detail = "pass a pointer to it"
	}
	return nil, e
}

// compiledAgainst returns the import path of the proto package that a generated struct of the v1 API or of gogo is
// built on, or "" if nothing in the type names it. The argument of XXX_Merge is that package's Message, whatever else
// is linked.
func compiledAgainst(t reflect.Type) string {
	path := ""
	if merge, ok := t.MethodByName("XXX_Merge"); ok && merge.Type.NumIn() == 2 {
		path = merge.Type.In(1).PkgPath()
	} else if t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct {
		if f, ok := t.Elem().FieldByName("XXX_InternalExtensions"); ok {
			path = f.Type.PkgPath()
		}
	}
	if _, vendored, ok := strings.Cut(path, "/vendor/"); ok {
		path = vendored
	}
	if strings.HasPrefix(path, "google.golang.org/protobuf/") {
		return googlePath // Message is an alias there
	}
	return path
}

// readable returns Google's runtime if it understands the message's struct tags.
func readable(m protoadapt.MessageV1) (r Runtime, err error) {
	defer func() {
		if why := recover(); why != nil {
			detail, ok := why.(string)
			if !ok {
				detail = "its struct tags cannot be read"
			}
			r, err = nil, &Error{Type: reflect.TypeOf(m), Err: ErrNotMessage, Detail: detail}
		}
	}()
	empty := reflect.New(reflect.TypeOf(m).Elem()).Interface().(protoadapt.MessageV1)
	// This panics at malformed tags. It does not call the message's own methods, which may call this package.
	protoadapt.MessageV2Of(empty).ProtoReflect().ProtoMethods()
	return google{}, nil
}
