//go:build acceptance && linux

package acceptance

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// The topic does not exist and the client may not create it; then it is there; then nobody may write to it; then that is allowed
// again; then it is deleted. Flows that are not in it are counted under their reason, and the collector goes on.
func TestATopicThatCannotBeWrittenToIsCounted(t *testing.T) {
	b := startBroker(t, "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer\n"+
		"allow.everyone.if.no.acl.found=true\n")
	l := repositoryLayout(t, "../flows.yaml")
	topic := l.Topic("flows")
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Address()))
	must(t, err)
	defer client.Close()
	admin := kadm.NewClient(client)
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	deny := kadm.NewACLs().Topics(topic).Operations(kadm.OpWrite).Deny("User:ANONYMOUS").DenyHosts("*")

	c := startCollector(t, "--kafka-brokers="+b.Address(), "--no-kafka-create", "--schema=../flows.yaml",
		"--kafka-timeout=3s")
	s := newSender(t, c.listen)
	inTopic := uint64(0)
	for _, step := range []struct {
		name   string
		change func() error
		reason string // under which all flows of the step are counted; "" when all of them are in the topic
	}{
		{"no topic", func() error { return nil }, "unknown_topic"},
		{"a topic", func() error { _, err := admin.CreateTopic(ctx, 1, 1, nil, topic); return err }, ""},
		{"nobody may write", func() error { _, err := admin.CreateACLs(ctx, deny); return err }, "unauthorized"},
		{"everybody may write", func() error { _, err := admin.DeleteACLs(ctx, deny); return err }, ""},
		{"no topic any more", func() error {
			got := readTopic(t, b.Address(), topic, l)
			equal(t, "in the topic, before it is deleted, and delivered", got.all.Flows, inTopic)
			_, err := admin.DeleteTopic(ctx, topic)
			return err
		}, "unknown_topic"},
	} {
		must(t, step.change())
		time.Sleep(time.Second)
		before, sent := c.metrics(), s.Sums().Flows
		send(t, s, 500, time.Second, nil)
		m := c.settled(s.Sums().Datagrams, 40*time.Second)
		sent = s.Sums().Flows - sent
		if step.reason == "" {
			equal(t, step.name+": delivered", m.Delivered()-before.Delivered(), sent)
			inTopic += sent
		} else {
			equal(t, step.name+": counted as "+step.reason, m.Dropped(step.reason)-before.Dropped(step.reason), sent)
		}
	}
	m := c.metrics()
	t.Logf("sent %d flows, delivered %d, dropped: %s", s.Sums().Flows, m.Delivered(), m.Drops())
	equal(t, "delivered and counted as dropped, and sent", m.Delivered()+m.FlowsDropped(), s.Sums().Flows)
	c.stop()
}

// The disk is full, and then it is not.
func TestAFullDiskIsWaitedForAndWhatThereIsNoRoomForIsCounted(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("a disk that is soon full needs root")
	}
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("a disk that is soon full cannot be mounted: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	folder := filepath.Join(disk, "flows")
	c := startCollector(t, "--output=file", "--file-folder="+folder, "--schema=../flows.yaml",
		"--queue-bytes=2000000", "--put-wait=1ms", "--chunk-bytes=65536")
	s := newSender(t, c.listen)
	send(t, s, 2000, 15*time.Second, func() {
		full := c.metrics()
		for tries := 0; full.Dropped("queue_full") == 0 && tries < 60; tries++ {
			time.Sleep(200 * time.Millisecond)
			full = c.metrics()
		}
		t.Logf("disk full: %d flows decoded, %d delivered, dropped: %s", full.Decoded(), full.Delivered(), full.Drops())
		if full.Dropped("queue_full") == 0 {
			t.Error("the disk was meant to be full, and the queue")
		}
		must(t, syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size=256m"))
	})
	m := c.settled(s.Sums().Datagrams, 30*time.Second)
	c.stop()
	got := readFiles(t, folder, repositoryLayout(t, "../flows.yaml"))
	t.Logf("sent %d flows; acknowledged %d, in files %d; dropped: %s",
		s.Sums().Flows, m.Delivered(), got.all.Flows, m.Drops())
	equal(t, "datagrams dropped by the kernel", m.Dropped("socket"), 0)
	equal(t, "in files, and acknowledged", got.all.Flows, m.Delivered())
	equal(t, "in files and counted as dropped, and sent", got.all.Flows+m.FlowsDropped(), s.Sums().Flows)
}
