// Package view is the runtime of hotpb's view face: generated FooView types
// that read a message where it lies.
//
// Decode scans one message level once, checks it whole, and notes where each
// field is. Nothing else is decoded and nothing is allocated; accessors decode
// when they are called. Nested messages are opened, and checked, when asked
// for; Validate checks the whole tree at once.
//
// # The methods of a view
//
// Every view has
//
//	Decode, DecodeWith   open encoded bytes, with limits and rules
//	OpenMessage          opens a Message that a view returned, and checks its level
//	OpenScratch          is OpenMessage with memory for a message that came in several records
//	OpenElement          opens the current element of an iterator
//	Validate             checks the whole message, with all that is in it
//	CheckInitialized     looks for required fields that are absent, in the whole message
//	RawBytes, AsMessage  the bytes of the message, and the message, to be opened as another type
//	UnknownFields        iterates over what the schema does not know, extensions included
//
// A field X has, as far as its kind allows,
//
//	X         its value, or its default; an iterator over its elements; of a message, the message opened
//	HasX      whether it is present
//	XInto     X for a view that is used again
//	XMessage  the message, not opened
//	XLen      the number of elements; of a map, of entries in the input, replaced ones included
//	XAt       element n; zero, or an error, when there is none
//	XIter     an iterator over the elements that keeps its place
//	XGet      the value of a key, of several entries the last
//
// # The bytes are borrowed
//
// A view points into the bytes it was decoded from, and so do the strings and
// byte slices it returns: no copy is made. The bytes must not change while the
// view, or any string or slice got from it, is in use. Copy what has to live
// longer (strings.Clone, bytes.Clone).
//
// # What costs what
//
// Len and Has take one step. At, Get of a map, and the handles of extensions
// walk over what stands before: in a loop use the iterators. At takes one step
// where the elements are of fixed width and in one packed record.
//
// A nested message that came in several records is put together when it is
// opened, in memory of its own or in scratch that OpenScratch is given.
// CheckInitialized keeps the keys of maps whose values can miss required fields.
// Nothing else allocates but errors.
//
// # Concurrency
//
// Reading changes nothing in a view, so any number of goroutines may read one.
// A position lives in an iterator, which is a plain value: copying it keeps the
// place, and every goroutine has its own.
//
// # Damaged input
//
// A damaged message is an error value where it is opened, with the code, offset
// and path of spec/errors.md; nothing panics. Offsets count from the first byte
// of the message that was opened. The zero view is an empty message.
//
// # Editing
//
// With faces=view+edit every message has a FooEdit, too, which edits the encoded
// bytes in a Buffer that owns them:
//
//	var buf view.Buffer // keep it per worker
//	var m raftpbhot.MessageEdit
//	m.Start(&buf)                       // or m.Decode(&buf, bytes)
//	m.SetTerm(5)
//	e := m.AddEntries()                 // a child, open for editing
//	e.SetData(data)
//	send(buf.Bytes())                   // nothing is encoded here
//	err := buf.Err()                    // the first thing that was refused
//
// One message is edited at a time. An edit through a parent closes its children;
// an edit through a closed handle, or one that was copied and left behind, is dropped
// and HandleMisuse is the buffer's error. View reads the message as it stands,
// until the next edit. Absent fields are appended, so the order of fields is that
// in which they were set.
//
// Every editor has Start, which starts an empty message, Decode and DecodeWith, which start with an encoded one, and View. A
// field X has, as far as its kind allows,
//
//	SetX, SetXAt        set it, or element n. A field without presence is cleared by its default, and the other members of a
//	                    oneof are cleared. Of a message, a copy is put in its place
//	ClearX              makes it absent, or a oneof
//	AddX                appends values; of messages, an empty one, which is open for editing
//	AppendX             appends a copy of a message
//	RemoveX             takes the elements from one index up to, but not with, another out
//	EditX, EditXAt      open a message for editing. A singular one is there from now on, and so is that of a map's key
//	NewX                starts a message again, empty, and opens it for editing
//	PutX, DeleteX       put an entry into a map, or a value into the one there is, and take one out
//	XInto               those that open a message, for an editor that is used again
//
// Setting a number of the same width, or a string of the same length, writes
// those bytes; another one moves what stands behind. Clearing, removing and
// deleting go over the whole message. Appending costs what is appended.
//
// # Lifetimes under test
//
// Go cannot see a view that outlives its bytes. Call Release when bytes go back
// to a pool: in builds with the tag hotpbdebug they are overwritten, and a view of
// them panics when it is used, as does a view of a Buffer that was edited since.
//
// The types Layout, Base, Raw, Edit, Editor, Handle, Sub, Span, Run and Choice and their methods serve generated code, and so do
// the methods Handle, Lend and TakeBack of editors; users meet Message, Messages, the iterators and UnknownField.
package view
