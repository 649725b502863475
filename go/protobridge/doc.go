// Package protobridge is the runtime of the reflection bridge: messages of views
// and pools as read-only messages of google.golang.org/protobuf, for protojson,
// prototext, proto.Equal, proto.Clone, protocmp, and whatever else walks messages by
// reflection; and conversions between a pool's structs and the stock ones.
//
// faces=view+reflect and faces=pool+reflect generate it, into a package below that
// of the faces: beside acme/acmehot stands acme/acmehot/acmehotreflect, with one variable
// for each message, named like it:
//
//	m, err := acmehotreflect.Event.Reflect(&event)       // of a pool
//	m, err := acmehotreflect.EventView.Reflect(&view)    // of a view
//	text, err := protojson.Marshal(m)
//
//	err := acmehotreflect.Event.ToProto(&stock, &event)  // *acme.Event from acmehot.Event
//	err := acmehotreflect.Event.FromProto(&event, &stock)
//
// Only who imports that package links the stock runtime. Files that the .proto
// refers to are generated with reflect, too; package wktreflect, below wkt, has the well-known types.
//
// # Descriptors
//
// Descriptors are those of the stock package, the one that protoc-gen-go makes, which
// registers them when it is linked: import it, if only for that (import _). ReflectWith takes them from elsewhere:
//
//	resolver := protobridge.NewResolver(files, dynamicpb.NewTypes(files)) // *protoregistry.Files; keep it
//	m, err := acmehotreflect.Event.ReflectWith(&event, resolver)
//
// A descriptor that is missing, or that is of another schema than the generated code (a field that it does not have, or has
// with another type), is an error. Fields that only the descriptor has are absent.
//
// # Read-only
//
// Methods that would change the message panic, and so do proto.Unmarshal and proto.Reset.
// proto.Clone gives a message that can be changed: New, NewField, NewElement and Type are those of the stock type, or of
// dynamicpb where the resolver knows none. The message is not copied: while the bridge is in use, a pool's message must not be
// changed or decoded into, and a view's bytes must stay as they are. Any number of goroutines may read one bridge.
//
// # Damaged input
//
// Reflect of a view checks the whole tree, as Validate does, and gives its error; after that no message in the tree fails.
// Extensions are decoded by Reflect already (views and pools leave them undecoded until they are asked for),
// in the messages that can have them; a damaged one is an error.
// Required fields are not looked for; proto.CheckInitialized does that.
//
// # What the messages show
//
// All that the stock runtime would show of the same bytes, with these differences:
// undefined values of closed enums are unknown fields, where Go's stock runtime takes them for values of the field (ENM-6 of
// spec/wire.md). Fields left out by only= or skip= are absent, or with keep_skipped unknown.
//
// Extensions that the resolver knows are extensions, read by the stock runtime, with messages of its own; others stay unknown.
// An unknown field is shown as the stock runtime keeps it, with a minimal tag; a varint with bits that it refuses is
// written anew. Message sets need its build tag protolegacy, for all that encodes them.
//
// # What it costs
//
// Reflection is a slow path. A view's nested messages are opened, and its lists and maps collected, when they are first
// asked for, and then kept, but for messages in lists and maps: those are opened whenever they are got.
// Conversions go through bytes, in buffers that are used again; with the fast methods of faces=codec on the stock
// structs they are as fast as straight code from struct to struct (BenchmarkConvert).
//
// What Field, Fields, List, Map, Collect and their like do is for generated code.
package protobridge
