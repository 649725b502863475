package plan

import (
	"encoding/hex"
	"strconv"
)

// JSON prints the plan in its canonical form, which is byte for byte the same in all generators (PLN-21).
// encoding/json would escape more than the form allows.
func (p *Plan) JSON() []byte {
	w := new(printer)
	w.object(func() {
		w.key("plan_version").int(Version)
		list(w.key("files"), p.Files, (*printer).file)
		list(w.key("messages"), p.Messages, (*printer).message)
		list(w.key("enums"), p.Enums, (*printer).enum)
		list(w.key("extensions"), p.Extensions, (*printer).extendee)
	})
	return append(w.out, '\n')
}

func (w *printer) file(f *File) {
	w.object(func() {
		w.key("name").string(f.Name)
		w.key("package").string(f.Package)
		w.key("syntax").string(f.Syntax)
		w.key("edition").string(f.Edition)
		list(w.key("dependencies"), f.Dependencies, (*printer).string)
		list(w.key("option_dependencies"), f.OptionDependencies, (*printer).string)
	})
}

func (w *printer) message(m *Message) {
	w.object(func() {
		w.key("name").string(m.Name)
		w.key("file").string(m.FileName)
		w.key("map_entry").bool(m.MapEntry)
		w.key("message_set").bool(m.MessageSet)
		w.key("recursion").int(int64(m.Recursion))
		if w.key("max_size"); m.MaxSize == Unbounded {
			w.null()
		} else {
			w.int(m.MaxSize)
		}
		w.key("row_bytes").int(m.RowBytes)
		w.key("tier").string(string(m.Tier))
		list(w.key("extension_ranges"), m.ExtensionRanges, func(w *printer, r Range) {
			w.object(func() {
				w.key("start").int(int64(r.Start))
				w.key("end").int(int64(r.End))
			})
		})
		list(w.key("oneofs"), m.Oneofs, func(w *printer, o *Oneof) {
			w.object(func() {
				w.key("name").string(o.Name)
				list(w.key("fields"), o.Numbers, func(w *printer, n int32) { w.int(int64(n)) })
			})
		})
		list(w.key("fields"), m.Fields, (*printer).field)
	})
}

func (w *printer) field(f *Field) {
	w.object(func() {
		w.key("name").string(f.Name)
		w.key("number").int(int64(f.Number))
		w.key("slot").int(int64(f.Slot))
		w.key("type").string(string(f.Type))
		w.key("presence").string(string(f.Presence))
		w.key("oneof").int(int64(f.OneofIndex))
		w.key("packed").bool(f.Packed)
		w.key("utf8").string(string(f.UTF8))
		w.key("delimited").bool(f.Delimited)
		w.key("wire_type").int(int64(f.WireType))
		w.key("tag").string(hex.EncodeToString(f.Tag))
		w.key("size_class").string(string(f.SizeClass))
		w.key("message").string(messageName(f))
		w.key("enum").string(enumName(f))
		if w.key("map"); f.Map == nil {
			w.null()
		} else {
			w.object(func() {
				w.key("key").string(string(f.Map.Key.Type))
				w.key("value").string(string(f.Map.Value.Type))
			})
		}
		w.defaultText(f)
		w.key("child_storage").string(string(f.ChildStorage))
		list(w.key("next"), f.Next, func(w *printer, slot int) { w.int(int64(slot)) })
	})
}

func (w *printer) enum(e *Enum) {
	w.object(func() {
		w.key("name").string(e.Name)
		w.key("file").string(e.FileName)
		w.key("closed").bool(e.Closed)
		list(w.key("values"), e.Values, func(w *printer, v *EnumValue) {
			w.object(func() {
				w.key("name").string(v.Name)
				w.key("number").int(int64(v.Number))
			})
		})
	})
}

func (w *printer) extendee(e *Extendee) {
	w.object(func() {
		w.key("extendee").string(e.Name)
		list(w.key("fields"), e.Fields, (*printer).extension)
	})
}

func (w *printer) extension(f *Field) {
	w.object(func() {
		w.key("name").string(f.Name)
		w.key("file").string(f.File.Name)
		w.key("number").int(int64(f.Number))
		w.key("type").string(string(f.Type))
		w.key("presence").string(string(f.Presence))
		w.key("packed").bool(f.Packed)
		w.key("utf8").string(string(f.UTF8))
		w.key("delimited").bool(f.Delimited)
		w.key("wire_type").int(int64(f.WireType))
		w.key("tag").string(hex.EncodeToString(f.Tag))
		w.key("size_class").string(string(f.SizeClass))
		w.key("message").string(messageName(f))
		w.key("enum").string(enumName(f))
		w.defaultText(f)
	})
}

func (w *printer) defaultText(f *Field) {
	if w.key("default"); f.Default == nil {
		w.null()
	} else {
		w.string(*f.Default)
	}
}

func messageName(f *Field) string {
	if f.Message == nil {
		return ""
	}
	return f.Message.Name
}

func enumName(f *Field) string {
	if f.Enum == nil {
		return ""
	}
	return f.Enum.Name
}

// printer writes JSON with two-space indent; every element has a line of its own.
type printer struct {
	out   []byte
	depth int
	first bool // the open object or array is still empty
}

func (w *printer) object(body func()) { w.enclose('{', '}', body) }

func list[T any](w *printer, elements []T, print func(*printer, T)) {
	w.enclose('[', ']', func() {
		for _, element := range elements {
			w.element()
			print(w, element)
		}
	})
}

func (w *printer) enclose(start, end byte, body func()) {
	w.out = append(w.out, start)
	w.depth++
	w.first = true
	body()
	w.depth--
	if !w.first {
		w.line()
	}
	w.first = false
	w.out = append(w.out, end)
}

func (w *printer) element() {
	if !w.first {
		w.out = append(w.out, ',')
	}
	w.first = false
	w.line()
}

func (w *printer) line() {
	w.out = append(w.out, '\n')
	for range w.depth {
		w.out = append(w.out, "  "...)
	}
}

func (w *printer) key(name string) *printer {
	w.element()
	w.string(name)
	w.out = append(w.out, ": "...)
	return w
}

func (w *printer) int(value int64) { w.out = strconv.AppendInt(w.out, value, 10) }
func (w *printer) bool(value bool) { w.out = strconv.AppendBool(w.out, value) }
func (w *printer) null()           { w.out = append(w.out, "null"...) }

func (w *printer) string(text string) {
	const digits = "0123456789abcdef"
	w.out = append(w.out, '"')
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			w.out = append(w.out, '\\', c)
		case c < 0x20:
			w.out = append(w.out, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			w.out = append(w.out, c)
		}
	}
	w.out = append(w.out, '"')
}
