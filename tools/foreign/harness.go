package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/hotpb/hotpb/tools/foreign/oracle"
)

// A harness is a program that has one face of one schema. It reads requests from standard input and writes answers to
// standard output, each after its length as four bytes, little-endian:
//
//	request   variant (1 byte), length of the name (2), full name of the message type, input
//	answer    status (1 byte), the message encoded again or the text of an error
//
// A variant is one way through the face; the faces in languages.go name theirs.
const (
	statusGood    = 0
	statusRefused = 1 // the input
	statusFailed  = 2 // what was read could not be written
	statusUnknown = 3 // no such message type
)

type harness struct {
	command     []string
	environment []string

	process *exec.Cmd
	in      io.WriteCloser
	out     io.ReadCloser
	problem *head
}

// answerTime is what one answer may take. Sanitizers are slow, and so is a busy machine.
const answerTime = 60 * time.Second

type crash struct{ text string }

func (c *crash) Error() string { return c.text }

var errUnknownType = errors.New("the program does not have the message type")

func (h *harness) start() error {
	h.process = exec.Command(h.command[0], h.command[1:]...)
	h.process.Env = append(os.Environ(), h.environment...)
	h.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	h.problem = &head{}
	h.process.Stderr = h.problem
	var err error
	if h.in, err = h.process.StdinPipe(); err != nil {
		return err
	}
	if h.out, err = h.process.StdoutPipe(); err != nil {
		return err
	}
	return h.process.Start()
}

// ask sends a request. A *crash says that the program is gone; the next request starts another.
func (h *harness) ask(variant byte, message string, input []byte) (oracle.Answer, error) {
	if h.process == nil {
		if err := h.start(); err != nil {
			return oracle.Answer{}, err
		}
	}
	request := make([]byte, 4, 4+3+len(message)+len(input))
	binary.LittleEndian.PutUint32(request, uint32(3+len(message)+len(input)))
	request = append(request, variant)
	request = binary.LittleEndian.AppendUint16(request, uint16(len(message)))
	request = append(append(request, message...), input...)
	watch := time.AfterFunc(answerTime, func() { _ = syscall.Kill(-h.process.Process.Pid, syscall.SIGKILL) })
	answer, err := h.exchange(request)
	hung := !watch.Stop()
	if err != nil {
		ended := h.end()
		if hung {
			return oracle.Answer{}, &crash{fmt.Sprintf("no answer in %v", answerTime)}
		}
		return oracle.Answer{}, &crash{fmt.Sprintf("the program ended (%v):\n%s", ended, firstLines(h.problem.String(), 6))}
	}
	switch status, content := answer[0], answer[1:]; status {
	case statusGood:
		return oracle.Answer{Output: content}, nil
	case statusRefused:
		return oracle.Answer{Error: string(content)}, nil
	case statusUnknown:
		return oracle.Answer{}, errUnknownType
	default:
		return oracle.Answer{}, fmt.Errorf("read and not written: %s", content)
	}
}

const maxAnswer = 1 << 30

func (h *harness) exchange(request []byte) ([]byte, error) {
	sent := make(chan error, 1)
	go func() {
		_, err := h.in.Write(request)
		sent <- err
	}()
	var size4 [4]byte
	_, err := io.ReadFull(h.out, size4[:])
	if err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint32(size4[:])
	if size == 0 || size > maxAnswer {
		return nil, fmt.Errorf("an answer of %d bytes", size)
	}
	answer := make([]byte, size)
	if _, err := io.ReadFull(h.out, answer); err != nil {
		return nil, err
	}
	return answer, <-sent
}

// end closes the program's input and waits for it: sanitizers report leaks then.
func (h *harness) end() error {
	if h.process == nil {
		return nil
	}
	h.in.Close()
	watch := time.AfterFunc(answerTime, func() { _ = syscall.Kill(-h.process.Process.Pid, syscall.SIGKILL) })
	err := h.process.Wait()
	watch.Stop()
	h.process = nil
	return err
}

// head keeps the first 64 KiB that are written to it.
type head struct {
	lock sync.Mutex
	kept bytes.Buffer
}

func (t *head) Write(b []byte) (int, error) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.kept.Len() < 1<<16 {
		t.kept.Write(b)
	}
	return len(b), nil
}

func (t *head) String() string {
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.kept.String()
}
