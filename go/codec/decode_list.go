package codec

// Messages reads the messages of a repeated field that stand side by side, from the length at i on. The tag is b[start:i]; of
// hands out messages, and is nil where none were counted; decode is the message's own decoder. It returns where the last record
// starts and the position after it, negative when something is wrong.
func Messages[T any](
	d *Decoder, to *[]*T, of *Children[T], b []byte, start, i, levels int, name string,
	decode func(m *T, d *Decoder, b []byte, i, levels int) int,
) (last, next int) {
	if levels <= 0 {
		return start, TooDeep
	}
	list, n, tag := *to, len(*to), b[start:i]
	if of != nil {
		list = of.Open(list)
	}
	for {
		if n == len(list) {
			list = More(list, CountRun(b, i, String(tag)))
		}
		from := i + 1
		if Short(b, i) {
			i = from + int(b[i])
		} else {
			from, i = ReadBytes(b, i)
		}
		if uint(i) > uint(len(b)) {
			return start, cut(i)
		}
		one := list[n]
		n++
		if decode(one, d, b[:i], from, levels-1) != 0 {
			d.In(name, n-1)
			return start, noted
		}
		if !follows(b, i, tag) {
			break
		}
		start, i = i, i+len(tag)
	}
	if of != nil {
		list = of.Close(list, n)
	}
	*to = list[:n]
	return start, i
}

// MessagesIn is Messages for those that have messages in them; at has the slabs for these, or is nil.
func MessagesIn[T, S any](
	d *Decoder, to *[]*T, of *Children[T], at *S, b []byte, start, i, levels int, name string,
	decode func(m *T, d *Decoder, at *S, b []byte, i, levels int) int,
) (last, next int) {
	if levels <= 0 {
		return start, TooDeep
	}
	list, n, tag := *to, len(*to), b[start:i]
	if of != nil {
		list = of.Open(list)
	}
	for {
		if n == len(list) {
			list = More(list, CountRun(b, i, String(tag)))
		}
		from := i + 1
		if Short(b, i) {
			i = from + int(b[i])
		} else {
			from, i = ReadBytes(b, i)
		}
		if uint(i) > uint(len(b)) {
			return start, cut(i)
		}
		one := list[n]
		n++
		if decode(one, d, at, b[:i], from, levels-1) != 0 {
			d.In(name, n-1)
			return start, noted
		}
		if !follows(b, i, tag) {
			break
		}
		start, i = i, i+len(tag)
	}
	if of != nil {
		list = of.Close(list, n)
	}
	*to = list[:n]
	return start, i
}

// noted is the position that a reader returns when it has noted itself what is wrong, and where.
const noted = -40
