//! Messages in progress cross threads, and live across an `await` (WTR-18).

use hotpb::chunk::{Chunk, ChunkSource, Full, Patch};
use hotpb::writer::{
    BytesBuffer, Child, ChunkWriter, FixedBuffer, HeapBuffer, IoWriter, Output, Packed, VecBuffer, element,
};
use hotpb_tests::vectors::hotpb::vectors::p3::{AllWriter, ChildWriter};
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Wake, Waker};

struct Threads(mpsc::Sender<()>);
impl Wake for Threads {
    fn wake(self: Arc<Self>) {
        self.0.send(()).unwrap();
    }
}

/// Runs a future; each poll is in another thread.
fn run<T: Send>(future: impl Future<Output = T> + Send) -> T {
    let (send, woken) = mpsc::channel();
    let waker = Waker::from(Arc::new(Threads(send)));
    let mut future: Pin<&mut (dyn Future<Output = T> + Send)> = pin!(future);
    loop {
        let poll = || future.as_mut().poll(&mut Context::from_waker(&waker));
        if let Poll::Ready(result) = std::thread::scope(|scope| scope.spawn(poll).join().unwrap()) {
            return result;
        }
        woken.recv().unwrap();
    }
}

/// Is pending once.
async fn pause() {
    let mut first = true;
    poll_fn(|context| {
        context.waker().wake_by_ref();
        if std::mem::take(&mut first) { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
}

/// Holds a message, a child, a grandchild and a packed field across an `await`.
async fn write(output: &mut (dyn Output + Send)) {
    let mut all = AllWriter::new(output);
    all.single_int32(1);
    pause().await;
    {
        let mut child: Child<'_, ChildWriter<'_>> = all.open_single_child();
        pause().await;
        let mut inner = child.open_child();
        inner.id(2);
        pause().await;
        inner.name("name");
        pause().await;
        drop(inner);
        child.name(&"x".repeat(100));
    }
    {
        let mut packed: Packed<'_, element::Int32> = all.open_repeated_int32();
        for value in 0..5 {
            packed.push(value * 100);
            pause().await;
        }
    }
    // A shared reference crosses, too.
    let shared = &all;
    pause().await;
    assert!(shared.status().is_ok());
    all.finish().unwrap();
}

/// The same without a pause.
fn expected() -> Vec<u8> {
    let mut out = VecBuffer::new();
    let mut all = AllWriter::new(&mut out);
    all.single_int32(1).single_child(|child| {
        child.child(|child| {
            child.id(2).name("name");
        });
        child.name(&"x".repeat(100));
    });
    all.repeated_int32(&[0, 100, 200, 300, 400]);
    all.finish().unwrap();
    out.into_vec().unwrap()
}

#[test]
fn an_open_message_lives_across_an_await() {
    let mut heap = HeapBuffer::new();
    run(write(&mut heap));
    assert_eq!(heap.to_vec().unwrap(), expected());

    let mut vec = VecBuffer::new();
    run(write(&mut vec));
    assert_eq!(vec.bytes().unwrap(), expected());

    let mut memory = [0; 256];
    let mut fixed = FixedBuffer::new(&mut memory);
    run(write(&mut fixed));
    assert_eq!(fixed.bytes().unwrap(), expected());

    let mut bytes = BytesBuffer::new();
    run(write(&mut bytes));
    assert_eq!(bytes.bytes().unwrap(), expected());

    // More than one chunk, so the source is called on several threads.
    let mut io = IoWriter::with_chunks(Vec::new(), 64, Default::default());
    run(write(&mut io));
    let written = io.into_inner().unwrap();
    let mut pool = hotpb_tests::vectors::hotpb::vectors::p3::AllPool::new();
    let mut plain = hotpb_tests::vectors::hotpb::vectors::p3::AllPool::new();
    let (expected, all) = (expected(), pool.decode(&written).unwrap());
    let expected = plain.decode(&expected).unwrap();
    assert!(all.repeated_int32().eq(expected.repeated_int32()));
    assert_eq!(all.single_child().unwrap().name(), expected.single_child().unwrap().name());
}

struct Nothing;
impl ChunkSource for Nothing {
    type Memory = Vec<u8>;
    fn next(&mut self, _: Option<Full<Vec<u8>>>) -> Option<Chunk<Vec<u8>>> {
        None
    }
    fn patch(&mut self, _: Patch) {}
    fn finish(&mut self, _: Option<Full<Vec<u8>>>) {}
}

#[test]
fn writers_guards_and_outputs_cross_threads() {
    fn crosses<T: Send + Sync>() {}
    crosses::<AllWriter<'_>>();
    crosses::<Child<'_, AllWriter<'_>>>();
    crosses::<Packed<'_, element::Int32>>();
    crosses::<Packed<'_, element::Enum<hotpb_tests::vectors::hotpb::vectors::p3::Open>>>();
    crosses::<HeapBuffer>();
    crosses::<VecBuffer>();
    crosses::<FixedBuffer<'_>>();
    crosses::<BytesBuffer>();
    crosses::<IoWriter<Vec<u8>>>();
    crosses::<ChunkWriter<Nothing>>();
}
