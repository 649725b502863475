// Package view is the runtime of hotpb's view face: generated FooView types that read a message in its encoded form.
//
// Decode scans one message level once, checks all of it, and notes where each field is. It decodes nothing else and
// allocates nothing; accessors decode when they are called. Nested messages are opened, and checked, when you ask for
// them. Validate checks the whole tree at once.
//
// # The methods of a view
//
// Every view has
//
//	Decode, DecodeWith   open encoded bytes, with limits and rules
//	OpenMessage          opens a Message that a view returned, and checks its level
//	OpenScratch          is OpenMessage with memory for merging a message that came in several records
//	OpenElement          opens the current element of an iterator
//	Validate             checks the whole message, nested messages included
//	CheckInitialized     checks that no required field is absent in the whole message
//	RawBytes, AsMessage  return the bytes of the message, and the message, which can be opened as another type
//	UnknownFields        iterates over the fields that the schema does not define, and over extensions
//
// A field X has, as far as its kind allows,
//
//	X         its value or its default; an iterator over its elements; for a message, the opened message
//	HasX      whether it is present
//	XInto     like X, for a view that is reused
//	XMessage  the message, not opened
//	XLen      the number of elements; for a map, of entries in the input, including replaced ones
//	XNth      element n, walking over those before it; zero, or an error, if there is none
//	XIter     an iterator over the elements that keeps its position
//	XFind     the value of a key, walking over all entries; of several with the key the last
//
// # The bytes are borrowed
//
// A view points into the bytes it was decoded from, and so do the strings and byte slices that it returns: nothing is
// copied. The bytes must not change while the view, or any string or slice from it, is in use. Copy whatever must
// live longer (strings.Clone, bytes.Clone).
//
// # What an access costs
//
// Len and Has take one step. Nth, Find and the handles of extensions walk: a loop over them takes quadratic time, and the
// sender chooses the number of elements. Iterate in a loop. To read by index or key, collect first, into memory that you
// keep:
//
//	ids = slices.AppendSeq(ids[:0], v.Ids())
//	entries = slices.AppendSeq(entries[:0], v.EntriesIter().All()) // []view.Message, not opened
//	labels := maps.Collect(v.Labels())
//
// Nth takes one step for the last element of a repeated message, and for elements of a fixed width that are in one packed
// record.
//
// A nested message that came in several records is merged when it is opened, in new memory or in the scratch memory
// that you pass to OpenScratch. CheckInitialized records the keys of maps whose values can lack required fields.
// Apart from errors nothing else allocates.
//
// # Concurrency
//
// Reading changes nothing in a view, so any number of goroutines may read one view. The position is in the iterator,
// which is a plain value: a copy keeps the position, and every goroutine can have its own.
//
// # Damaged input
//
// Opening a damaged message returns an error with the code, offset and path of spec/errors.md; nothing panics.
// Offsets count from the first byte of the message that was opened. The zero view is an empty message.
//
// # Editing
//
// With faces=view+edit every message also has a FooEdit, which edits the encoded bytes in a Buffer that owns them:
//
//	var buf view.Buffer // keep it per worker
//	var m raftpbhot.MessageEdit
//	m.Start(&buf)                       // or m.Decode(&buf, bytes), which takes the bytes over
//	m.SetTerm(5)
//	e := m.AddEntries()                 // a child, open for editing
//	e.SetData(data)
//	send(buf.Bytes())                   // nothing is encoded here
//	err := buf.Err()                    // the first error since Start
//
// Decode lends its bytes to the buffer until the buffer starts with another message: edits change them where they are,
// so pass a copy of bytes that something else reads. Nothing after them changes, whatever the capacity of the slice;
// a message that grows moves to the buffer's own memory. Decode(&buf, append(buf.Bytes()[:0], bytes...)) copies into that
// memory at once.
//
// Edit one message at a time. An edit through a parent closes its children. An edit through a closed handle, or
// through an outdated copy of a handle, is dropped, and the buffer's error is HandleMisuse. View reads the message in
// its current state, until the next edit. Absent fields are appended, so fields are in the order in which they were
// set.
//
// Every editor has Start, which starts an empty message, Decode and DecodeWith, which start with an encoded one, and
// View. A field X has, as far as its kind allows,
//
//	SetX, SetXAt        set it, or element n. The default value clears a field without presence; a value clears the
//	                    other members of a oneof; a message is replaced by a copy of the argument
//	ClearX              makes it, or a oneof, absent
//	AddX                appends values; for messages, an empty one, which is open for editing
//	AppendX             appends a copy of a message
//	RemoveX             removes the elements from one index up to, but not including, another
//	EditX, EditXAt      open a message for editing. An absent singular message, or one of an absent map key, is added
//	NewX                resets a message to an empty one, and opens it for editing
//	PutX, DeleteX       put an entry into a map or replace its value, and remove an entry
//	XInto               the variants of methods that open a message, for an editor that is reused
//
// Setting a number of the same width, or a string of the same length, writes only those bytes; any other value moves
// the bytes after it. Clearing, removing and deleting go over the whole message. The cost of appending depends only
// on the appended bytes. SetXAt, EditXAt walk to the element, from the one before if the index ascends, else from the
// first; PutX and EditX of a map walk over its entries, and edits through the handle of an extension over the whole message. A message
// whose many elements or entries all change is built faster by a writer or a pool.
//
// # Lifetimes under test
//
// Go cannot detect a view that outlives its bytes. Call Release when you return bytes to a pool: in builds with the
// tag hotpbdebug it overwrites them, and a view of them panics when it is used. A view of a Buffer that has been
// edited since panics, too.
//
// # For generated code
//
// Generated code calls package rt/view, where the types of this package are declared. The methods Handle, Lend and TakeBack
// of editors serve generated code, too.
package view
