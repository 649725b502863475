// Package reflect is the reflection bridge of views and pools. It presents views and pool messages as read-only
// messages of google.golang.org/protobuf, for protojson, prototext, proto.Equal, proto.Clone, protocmp, and
// everything else that walks messages by reflection. It also converts between a pool's structs and the stock ones.
//
// faces=view+reflect and faces=pool+reflect generate the bridge, into a package below that of the faces:
// acme/acmehot/acmehotreflect for acme/acmehot. It has one variable for each message, with the same name:
//
//	m, err := acmehotreflect.Event.Reflect(&event)       // of a pool
//	m, err := acmehotreflect.EventView.Reflect(&view)    // of a view
//	text, err := protojson.Marshal(m)
//
//	err := acmehotreflect.Event.ToProto(&stock, &event)  // *acme.Event from acmehot.Event
//	err := acmehotreflect.Event.FromProto(&event, &stock)
//
// Only programs that import that package link the stock runtime. Generate the files that the .proto imports with
// reflect, too. Package wktreflect, below wkt, has the well-known types.
//
// # Descriptors
//
// The bridge uses the descriptors of the stock package, the one that protoc-gen-go generates, which registers them
// when it is linked: import it, if only for that (import _). ReflectWith uses descriptors from elsewhere:
//
//	resolver := reflect.NewResolver(files, dynamicpb.NewTypes(files)) // *protoregistry.Files; keep it
//	m, err := acmehotreflect.Event.ReflectWith(&event, resolver)
//
// A missing descriptor is an error. So is a descriptor of a schema other than that of the generated code, in which a
// field is missing or has another type. Fields that only the descriptor has are absent.
//
// # Read-only
//
// Methods that would change the message panic, and so do proto.Unmarshal and proto.Reset. proto.Clone returns a
// message that can be changed: New, NewField, NewElement and Type are those of the stock type, or of dynamicpb if the
// resolver knows no stock type. The message is not copied: while the bridge is in use, do not change a pool's message
// or decode into it, and do not change a view's bytes. Any number of goroutines may read one bridge.
//
// # Damaged input
//
// Reflect of a view checks the whole tree, as Validate does, and returns its error; after that no message in the tree
// fails. Views and pools leave extensions undecoded until you read them, but Reflect decodes them at once, in the
// messages that can have them; a damaged one is an error. Reflect does not check required fields;
// proto.CheckInitialized does.
//
// # What the messages show
//
// They show the same as the stock runtime for the same bytes, with two differences. Undefined values of closed enums
// are unknown fields, while Go's stock runtime treats them as values of the field (ENM-6 of spec/wire.md). Fields
// left out by only= or skip= are absent, or unknown with keep_skipped.
//
// Extensions that the resolver knows are extensions, read by the stock runtime, with messages of its own; others stay
// unknown. An unknown field is shown in the stock runtime's form, with a minimal tag; a varint with bits that the
// stock runtime rejects is rewritten. Everything that encodes message sets needs the stock runtime's build tag
// protolegacy.
//
// # What it costs
//
// Reflection is a slow path. A view's nested messages, lists and maps are built when they are first read, and then
// kept. Messages in lists and maps are opened each time they are read. Conversions go through bytes, in buffers that
// are reused; with the fast methods of faces=codec on the stock structs they are as fast as straight code from struct
// to struct (BenchmarkConvert).
//
// Generated code calls package rt/reflect.
package reflect
