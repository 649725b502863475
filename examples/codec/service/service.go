// Package service is a shop's back office: it takes messages over HTTP, keeps
// them in a journal, and shows them as JSON. It stands on package hotpb and on no protobuf runtime, so
// that nothing in here changes while the messages move from one runtime to another.
package service

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"

	hotpb "github.com/hotpb/hotpb/go"
)

// Kind is a type of message: its number in the journal, and how to make an empty one.
type Kind struct {
	Number byte
	New    func() any
}

// Service keeps messages of some kinds in the file Journal: for each one its
// kind's number, its length as a varint, and its bytes. Several services may append to one file.
type Service struct {
	Journal string
	Kinds   map[string]Kind // by the name in the URL

	mutex sync.Mutex
}

// ServeHTTP takes POST /KIND with an encoded message, and GET /KIND, which answers with a line of JSON for each one.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind, ok := s.Kinds[r.URL.Path[1:]]
	if !ok {
		http.NotFound(w, r)
		return
	}
	var err error
	switch r.Method {
	case http.MethodPost:
		var body []byte
		if body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20)); err == nil {
			msg := kind.New()
			if err = hotpb.Unmarshal(body, msg); err == nil {
				err = s.Append(kind, msg)
			}
		}
	case http.MethodGet:
		err = s.Each(kind, func(msg any) error {
			line, err := hotpb.MarshalJSON(msg)
			if err == nil {
				_, err = fmt.Fprintf(w, "%s\n", line)
			}
			return err
		})
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

// Append adds a message to the journal.
func (s *Service) Append(kind Kind, msg any) error {
	record := binary.AppendUvarint([]byte{kind.Number}, uint64(hotpb.Size(msg)))
	record, err := hotpb.MarshalAppend(record, msg)
	if err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	file, err := os.OpenFile(s.Journal, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(record) // one write: another service may append, too
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// Each reads the messages of a kind, whoever wrote them.
func (s *Service) Each(kind Kind, f func(msg any) error) error {
	file, err := os.Open(s.Journal)
	if os.IsNotExist(err) {
		return nil
	} else if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewReader(file)
	for {
		number, err := in.ReadByte()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		size, err := binary.ReadUvarint(in)
		if err != nil {
			return err
		}
		if size > 1<<20 {
			return fmt.Errorf("%s: a record of %d bytes", s.Journal, size)
		}
		record := make([]byte, size)
		if _, err := io.ReadFull(in, record); err != nil {
			return err
		}
		if number != kind.Number {
			continue
		}
		msg := kind.New()
		if err := hotpb.Unmarshal(record, msg); err != nil {
			return err
		}
		if err := f(msg); err != nil {
			return err
		}
	}
}

// Coupons lists the coupons of the messages of a kind: extensions, which are as little a runtime's matter here.
func (s *Service) Coupons(kind Kind) (coupons []string, err error) {
	err = s.Each(kind, func(msg any) error {
		return hotpb.RangeExtensions(msg, func(value any, name string, _ int32) error {
			switch value := value.(type) {
			case string: // Google's value of a string extension
				coupons = append(coupons, name+"="+value)
			case *string: // gogo's, and that of the v1 API
				coupons = append(coupons, name+"="+*value)
			}
			return nil
		})
	})
	return coupons, err
}
