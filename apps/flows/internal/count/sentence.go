package count

// sentences say for people why something was lost, by the reason's name.
var sentences = map[string]string{
	"unknown_version":    "the datagram is not NetFlow v5, v9, IPFIX or sFlow v5",
	"truncated":          "the datagram ends before a length in it says so",
	"malformed":          "a length or number in the datagram cannot be right",
	"exporter_limit":     "there is no room for another exporter or observation domain (--max-exporters, --max-memory)",
	"socket":             "the kernel had no room for the datagram (--receive-buffer, --workers)",
	"template_malformed": "the template has impossible lengths, or no fields",
	"template_flood":     "there are too many templates, or they change too fast (--max-templates, --max-memory)",
	"template_large":     "the template has more fields than are allowed",
	"field_refused":      "a field of the template cannot fill its column, and is left out",
	"waiting_overflow":   "the data's template is unknown, and there is no room to wait for it (--waiting-bytes)",
	"waiting_expired":    "the template of the data did not come in time (--waiting-time)",
	"sampling_absurd":    "the sampling rate is impossible, and is left out (--max-sampling)",
	"sampling_unclear":   "parameters of sampling give no rate, which stays unknown",
	"sampler_limit":      "there is no room for the sampling rate of another sampler",
	"clock_jump":         "the exporter's clock is too far off, and times count from the receipt (--clock-skew)",
	"misfit":             "a value does not fit its column, and is left out",
	"list_skipped":       "a list is too long, nested too deep, or of an unknown template",
	"no_boot_time":       "times count from the exporter's start, which it does not report: they are estimated from the export",
	"agent_drops":        "the agent had no resources for these samples, as it says itself",
	"queue_full":         "the output was too slow",
	"too_large":          "the output does not accept a message of this size",
	"unauthorized":       "the output does not let the collector write",
	"unknown_topic":      "the topic does not exist",
	"output_failed":      "the output has rejected the flows",
	"output_timeout":     "the output has not accepted the flows in time",
	"shutdown":           "the time for draining was over",
}

// Sentence says in words why something was lost.
func (r Reason) Sentence() string {
	if s := sentences[r.String()]; s != "" {
		return s
	}
	return r.Unit() + " lost"
}
