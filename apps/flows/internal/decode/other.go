package decode

// other is a second way to decode, with which tests compare. It takes and returns messages by value: through a pointer, each message
// would be allocated.
type other interface {
	learnSet(dom *domain, m message, body []byte, options bool) message
	data(dst []byte, m message, dom *domain, t *inputTemplate, set []byte) (out []byte, records int, _ message)
	netflow5(dst []byte, m message, dom *domain, payload []byte) (out []byte, flows int, has sequenceCount, _ message)
}

// The calls are not inlined: the copies of messages would cost their callers time, which is for nothing outside of tests.

//go:noinline
func (d *Decoder) otherLearnSet(dom *domain, m *message, body []byte, options bool) {
	*m = d.other.learnSet(dom, *m, body, options)
}

//go:noinline
func (d *Decoder) otherData(dst []byte, m *message, dom *domain, t *inputTemplate, set []byte) (out []byte, records int) {
	out, records, *m = d.other.data(dst, *m, dom, t, set)
	return out, records
}

//go:noinline
func (d *Decoder) otherNetflow5(dst []byte, m *message, dom *domain, payload []byte) (out []byte, flows int, has sequenceCount) {
	out, flows, has, *m = d.other.netflow5(dst, *m, dom, payload)
	return out, flows, has
}
