// Package count counts what the collector receives, passes on and loses. Each loss has its own reason. Any
// goroutine may read the counters at any time.
package count

import (
	"sync/atomic"

	"github.com/hotpb/hotpb/examples/flows/internal/flow"
)

// Reason is why something was lost. A datagram that is read in part may count under several reasons.
type Reason uint8

// The reasons, with the unit that is lost.
const (
	// Datagrams.
	UnknownVersion Reason = iota // datagrams of an unknown protocol
	Truncated                    // datagrams that end too early
	Malformed                    // impossible lengths in a datagram, and sets of an unknown type
	ExporterLimit                // datagrams of exporters or observation domains for which there was no room
	Socket                       // datagrams for which the kernel had no room

	// Templates, and records that wait for theirs.
	TemplateMalformed // templates with false lengths or without fields
	TemplateFlood     // templates beyond the limit of one exporter or of all
	FieldRefused      // fields of a template that cannot fill their column; the other fields are read
	WaitingOverflow   // data sets without a template, when there was no room to keep them
	WaitingExpired    // data sets whose template did not come in time

	// Values.
	SamplingAbsurd // impossible sampling rates
	SamplerLimit   // sampling rates of samplers for which there was no room
	ClockJump      // export times too far from ours; relative times then count from the receipt
	Misfit         // values that their column cannot hold

	// Outputs: flows.
	QueueFull     // flows that were not decoded further because the output was too slow
	TooLarge      // flows whose message is larger than the output accepts
	Unauthorized  // flows that the collector is not authorized to write
	UnknownTopic  // flows whose topic does not exist and is not created
	OutputFailed  // flows that the output has rejected permanently, for another reason
	OutputTimeout // flows that the output has not accepted in time
	Shutdown      // flows still not delivered when the time for draining ended
	Reasons       // the number of reasons
)

var reasons = [Reasons]string{
	"unknown_version", "truncated", "malformed", "exporter_limit", "socket",
	"template_malformed", "template_flood", "field_refused", "waiting_overflow", "waiting_expired",
	"sampling_absurd", "sampler_limit", "clock_jump", "misfit",
	"queue_full", "too_large", "unauthorized", "unknown_topic", "output_failed", "output_timeout", "shutdown",
}

// String is the label in metrics.
func (r Reason) String() string { return reasons[r] }

// Unit is the unit in which the reason is counted.
func (r Reason) Unit() string {
	switch {
	case r == Truncated || r == Malformed:
		return "parts" // of datagrams of one protocol, or of all
	case r <= Socket:
		return "datagrams"
	case r == FieldRefused:
		return "fields"
	case r <= TemplateFlood:
		return "templates"
	case r <= WaitingExpired:
		return "sets"
	case r < QueueFull:
		return "values"
	}
	return "flows"
}

// Counters may be used by all goroutines. The zero value is ready.
type Counters struct {
	Datagrams [flow.Protocols]atomic.Uint64 // received, by protocol
	Bytes     [flow.Protocols]atomic.Uint64 // of their payloads
	Flows     [flow.Protocols]atomic.Uint64 // encoded
	Delivered atomic.Uint64                 // flows that the output has acknowledged
	Encoded   atomic.Uint64                 // bytes of flows encoded
	Written   atomic.Uint64                 // bytes of flows acknowledged

	Templates, Options atomic.Uint64 // templates learnt; options records read
	Released           atomic.Uint64 // data sets that waited, and whose template came
	Passed             atomic.Uint64 // sFlow samples that are not flows: counters, discarded packets, vendors' samples
	Reloads            atomic.Uint64 // of the schema file and the tables
	ReloadFailures     atomic.Uint64 // reloads that changed nothing, because a file has a fault
	OutputRetries      atomic.Uint64 // writes that have failed and are tried again
	OutputDataLoss     atomic.Uint64 // times that acknowledged flows may be lost: Kafka or the disk lost them

	dropped [Reasons]atomic.Uint64
}

// Drop counts n losses.
func (c *Counters) Drop(r Reason, n int) { c.dropped[r].Add(uint64(n)) }

// Dropped is how many were lost for a reason.
func (c *Counters) Dropped(r Reason) uint64 { return c.dropped[r].Load() }
