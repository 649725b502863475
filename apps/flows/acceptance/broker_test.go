//go:build acceptance && linux

package acceptance

import (
	"testing"
	"time"
)

// The broker is killed while flows come, and is back after some seconds. The queue is large enough for that: nothing is
// lost, nothing is there twice.
func TestABrokerThatIsKilledLosesNothing(t *testing.T) {
	b := startBroker(t, "")
	c := startCollector(t, "--kafka-brokers="+b.Address(), "--kafka-partitions=3", "--schema=../flows.yaml",
		"--queue-bytes=256000000")
	s := newSender(t, c.listen)
	send(t, s, 1000, 20*time.Second, func() {
		for range 2 {
			begun := c.metrics().Delivered()
			time.Sleep(2 * time.Second)
			for end := time.Now().Add(15 * time.Second); c.metrics().Delivered() == begun; time.Sleep(100 * time.Millisecond) {
				if time.Now().After(end) {
					t.Error("nothing is delivered")
					return
				}
			}
			must(t, b.Kill())
			t.Logf("the broker is killed, %d flows are delivered", c.metrics().Delivered())
			time.Sleep(2 * time.Second)
			must(t, b.Restart())
			t.Log("the broker is back")
		}
	})
	m := c.settled(s.Sums().Datagrams, time.Minute)
	c.stop()
	l := repositoryLayout(t, "../flows.yaml")
	got := readTopic(t, b.Address(), l.Topic("flows"), l)
	equal(t, "dropped", m.Drops(), "none")
	equal(t, "records that are there twice", got.repeated, 0)
	equal(t, "flows acknowledged", m.Delivered(), s.Sums().Flows)
	compare(t, "topic, and what was sent", got.exporters, sent(s))
}

// The same with a queue that is too small: it drops, and says how many. What was sent is in the topic or counted.
func TestWhatTheQueueHasNoRoomForIsCounted(t *testing.T) {
	b := startBroker(t, "")
	c := startCollector(t, "--kafka-brokers="+b.Address(), "--kafka-partitions=3", "--schema=../flows.yaml",
		"--queue-bytes=4000000", "--put-wait=1ms", "--chunk-bytes=65536")
	s := newSender(t, c.listen)
	send(t, s, 2000, 15*time.Second, func() {
		time.Sleep(4 * time.Second)
		must(t, b.Kill())
		time.Sleep(5 * time.Second)
		must(t, b.Restart())
	})
	m := c.settled(s.Sums().Datagrams, time.Minute)
	c.stop()
	l := repositoryLayout(t, "../flows.yaml")
	got := readTopic(t, b.Address(), l.Topic("flows"), l)
	t.Logf("sent %d flows in %d datagrams; acknowledged %d; in the topic %d; counted as dropped: %s",
		s.Sums().Flows, s.Sums().Datagrams, m.Delivered(), got.all.Flows, m.Drops())
	if m.Dropped("queue_full") == 0 {
		t.Error("the queue was meant to be too small")
	}
	equal(t, "datagrams dropped by the kernel", m.Dropped("socket"), 0)
	equal(t, "records that are there twice", got.repeated, 0)
	equal(t, "in the topic, and acknowledged", got.all.Flows, m.Delivered())
	equal(t, "in the topic and counted as dropped, and sent", got.all.Flows+m.FlowsDropped(), s.Sums().Flows)
}
