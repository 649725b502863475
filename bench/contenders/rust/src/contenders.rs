//! The contenders: each library decodes and encodes messages of any type.

use std::fmt::Display;
use std::hint::black_box;
use std::marker::PhantomData;

use hotpb::pool::{self, Encode, EncodeBuffer};
use hotpb::view;

use crate::program::{Contender, Records, Task};
use crate::sum::Fields;

type Record = &'static [u8];
type Result<T> = std::result::Result<T, String>;

fn text(error: impl Display) -> String {
    error.to_string()
}

/// One way of one library to read and write messages of a type.
pub trait Library: Default {
    /// A decoded message that is to be encoded.
    type Held;
    const TASKS: &'static [Task];
    const COUNTED: bool = true;
    fn decode(&mut self, record: Record) -> Result<()>;
    fn read(&mut self, record: Record) -> Result<u64>;
    fn hold(record: Record) -> Result<Self::Held>;
    /// Encodes into memory that is used again.
    fn encode(&mut self, held: &Self::Held) -> Result<&[u8]>;
    fn encode_fresh(&mut self, held: &Self::Held) -> Result<Vec<u8>>;
}

const ALL: &[Task] = &[Task::Decode, Task::DecodeRead, Task::Encode, Task::EncodeFresh];
const DECODE: &[Task] = &[Task::Decode, Task::DecodeRead];

struct Runner<L: Library> {
    library: L,
    held: Vec<L::Held>,
}

/// A contender by its library.
pub fn runner<L: Library + 'static>() -> Box<dyn Contender>
where
    L::Held: 'static,
{
    Box::new(Runner { library: L::default(), held: Vec::new() })
}

/// Calls `f` with the places of the records in turn.
fn in_turn(records: usize, operations: u64, mut f: impl FnMut(usize) -> Result<()>) -> Result<()> {
    let mut at = 0;
    for _ in 0..operations {
        f(at)?;
        at += 1;
        if at == records {
            at = 0;
        }
    }
    Ok(())
}

impl<L: Library> Contender for Runner<L> {
    fn takes(&self, task: Task) -> bool {
        L::TASKS.contains(&task)
    }
    fn counted(&self) -> bool {
        L::COUNTED
    }
    fn read(&mut self, record: Record) -> Result<u64> {
        self.library.decode(record)?;
        self.library.read(record)
    }
    fn hold(&mut self, records: &Records) -> Result<()> {
        if self.held.is_empty() {
            self.held = records.iter().map(|record| L::hold(record)).collect::<Result<_>>()?;
        }
        Ok(())
    }
    fn encoded(&mut self, task: Task, at: usize) -> Result<Vec<u8>> {
        match task {
            Task::EncodeFresh => self.library.encode_fresh(&self.held[at]),
            _ => self.library.encode(&self.held[at]).map(<[u8]>::to_vec),
        }
    }
    fn run(&mut self, task: Task, records: &Records, operations: u64) -> Result<()> {
        let Runner { library, held } = self;
        let count = records.len();
        match task {
            Task::Decode => in_turn(count, operations, |at| library.decode(records[at])),
            Task::DecodeRead => in_turn(count, operations, |at| {
                black_box(library.read(records[at])?);
                Ok(())
            }),
            Task::Encode => in_turn(count, operations, |at| {
                black_box(library.encode(&held[at])?);
                Ok(())
            }),
            Task::EncodeFresh => in_turn(count, operations, |at| {
                black_box(library.encode_fresh(&held[at])?);
                Ok(())
            }),
        }
    }
}

/// The methods of a contender that takes no part in the tasks that encode.
macro_rules! no_encoding {
    () => {
        fn hold(_: Record) -> Result<()> {
            Ok(())
        }
        fn encode(&mut self, _: &()) -> Result<&[u8]> {
            Err("this contender does not encode".into())
        }
        fn encode_fresh(&mut self, _: &()) -> Result<Vec<u8>> {
            Err("this contender does not encode".into())
        }
    };
}

/// prost's message: a fresh one each time.
pub struct Prost<M>(Vec<u8>, PhantomData<M>);

impl<M> Default for Prost<M> {
    fn default() -> Self {
        Prost(Vec::new(), PhantomData)
    }
}

impl<M: prost::Message + Default + Fields> Library for Prost<M> {
    type Held = M;
    const TASKS: &'static [Task] = ALL;
    #[inline]
    fn decode(&mut self, record: Record) -> Result<()> {
        black_box(&M::decode(record).map_err(text)?);
        Ok(())
    }
    #[inline]
    fn read(&mut self, record: Record) -> Result<u64> {
        Ok(M::decode(record).map_err(text)?.peers_checksum())
    }
    fn hold(record: Record) -> Result<M> {
        M::decode(record).map_err(text)
    }
    #[inline]
    fn encode(&mut self, held: &M) -> Result<&[u8]> {
        self.0.clear();
        held.encode(&mut self.0).map_err(text)?;
        Ok(&self.0)
    }
    #[inline]
    fn encode_fresh(&mut self, held: &M) -> Result<Vec<u8>> {
        Ok(held.encode_to_vec())
    }
}

/// prost's message, cleared and merged into. It encodes without asking for the size first.
pub struct ProstReuse<M>(M, Vec<u8>);

impl<M: Default> Default for ProstReuse<M> {
    fn default() -> Self {
        ProstReuse(M::default(), Vec::new())
    }
}

impl<M: prost::Message + Default + Fields> Library for ProstReuse<M> {
    type Held = M;
    const TASKS: &'static [Task] = ALL;
    #[inline]
    fn decode(&mut self, record: Record) -> Result<()> {
        self.0.clear();
        self.0.merge(record).map_err(text)?;
        black_box(&self.0);
        Ok(())
    }
    #[inline]
    fn read(&mut self, record: Record) -> Result<u64> {
        self.0.clear();
        self.0.merge(record).map_err(text)?;
        Ok(self.0.peers_checksum())
    }
    fn hold(record: Record) -> Result<M> {
        M::decode(record).map_err(text)
    }
    #[inline]
    fn encode(&mut self, held: &M) -> Result<&[u8]> {
        self.1.clear();
        held.encode_raw(&mut self.1);
        Ok(&self.1)
    }
    #[inline]
    fn encode_fresh(&mut self, held: &M) -> Result<Vec<u8>> {
        self.1.clear();
        held.encode_raw(&mut self.1);
        Ok(self.1.clone())
    }
}

/// buffa's message: a fresh one each time.
pub struct Buffa<M>(Vec<u8>, PhantomData<M>);

impl<M> Default for Buffa<M> {
    fn default() -> Self {
        Buffa(Vec::new(), PhantomData)
    }
}

impl<M: buffa::Message + Fields> Library for Buffa<M> {
    type Held = M;
    const TASKS: &'static [Task] = ALL;
    #[inline]
    fn decode(&mut self, record: Record) -> Result<()> {
        black_box(&M::decode_from_slice(record).map_err(text)?);
        Ok(())
    }
    #[inline]
    fn read(&mut self, record: Record) -> Result<u64> {
        Ok(M::decode_from_slice(record).map_err(text)?.peers_checksum())
    }
    fn hold(record: Record) -> Result<M> {
        M::decode_from_slice(record).map_err(text)
    }
    #[inline]
    fn encode(&mut self, held: &M) -> Result<&[u8]> {
        self.0.clear();
        held.encode(&mut self.0);
        Ok(&self.0)
    }
    #[inline]
    fn encode_fresh(&mut self, held: &M) -> Result<Vec<u8>> {
        Ok(held.encode_to_vec())
    }
}

/// buffa's message, cleared and merged into.
#[derive(Default)]
pub struct BuffaReuse<M>(M);

impl<M: buffa::Message + Fields> Library for BuffaReuse<M> {
    type Held = ();
    const TASKS: &'static [Task] = DECODE;
    #[inline]
    fn decode(&mut self, record: Record) -> Result<()> {
        self.0.clear();
        self.0.merge_from_slice(record).map_err(text)?;
        black_box(&self.0);
        Ok(())
    }
    #[inline]
    fn read(&mut self, record: Record) -> Result<u64> {
        self.0.clear();
        self.0.merge_from_slice(record).map_err(text)?;
        Ok(self.0.peers_checksum())
    }
    no_encoding!();
}

/// buffa's view, decoded whole: strings borrow.
pub struct BuffaView<V>(Vec<u8>, PhantomData<V>);

impl<V> Default for BuffaView<V> {
    fn default() -> Self {
        BuffaView(Vec::new(), PhantomData)
    }
}

impl<V: buffa::ViewEncode<'static> + Fields> Library for BuffaView<V> {
    type Held = V;
    const TASKS: &'static [Task] = ALL;
    #[inline]
    fn decode(&mut self, record: Record) -> Result<()> {
        black_box(&V::decode_view(record).map_err(text)?);
        Ok(())
    }
    #[inline]
    fn read(&mut self, record: Record) -> Result<u64> {
        Ok(V::decode_view(record).map_err(text)?.peers_checksum())
    }
    fn hold(record: Record) -> Result<V> {
        V::decode_view(record).map_err(text)
    }
    #[inline]
    fn encode(&mut self, held: &V) -> Result<&[u8]> {
        self.0.clear();
        held.encode(&mut self.0);
        Ok(&self.0)
    }
    #[inline]
    fn encode_fresh(&mut self, held: &V) -> Result<Vec<u8>> {
        Ok(held.encode_to_vec())
    }
}

/// Google's message, over the C runtime upb: an arena for each message, strings copied. It only encodes into fresh bytes, and a message
/// that is cleared keeps the memory of all before, so a fresh one each time is its best setting.
pub struct Google<M>(Vec<u8>, PhantomData<M>);

impl<M> Default for Google<M> {
    fn default() -> Self {
        Google(Vec::new(), PhantomData)
    }
}

impl<M: google_protobuf::Message> Library for Google<M>
where
    for<'a> google_protobuf::View<'a, M>: Fields,
{
    type Held = M;
    const TASKS: &'static [Task] = ALL;
    const COUNTED: bool = false;
    #[inline]
    fn decode(&mut self, record: Record) -> Result<()> {
        black_box(&M::parse(record).map_err(text)?);
        Ok(())
    }
    #[inline]
    fn read(&mut self, record: Record) -> Result<u64> {
        Ok(M::parse(record).map_err(text)?.as_view().peers_checksum())
    }
    fn hold(record: Record) -> Result<M> {
        M::parse(record).map_err(text)
    }
    #[inline]
    fn encode(&mut self, held: &M) -> Result<&[u8]> {
        self.0 = held.serialize().map_err(text)?;
        Ok(&self.0)
    }
    #[inline]
    fn encode_fresh(&mut self, held: &M) -> Result<Vec<u8>> {
        held.serialize().map_err(text)
    }
}

/// quick-protobuf's message: strings borrow, unknown fields are dropped.
pub struct Quick<M>(Vec<u8>, PhantomData<M>);

impl<M> Default for Quick<M> {
    fn default() -> Self {
        Quick(Vec::new(), PhantomData)
    }
}

impl<M: quick_protobuf::MessageRead<'static>> Quick<M> {
    #[inline]
    fn parse(record: Record) -> Result<M> {
        M::from_reader(&mut quick_protobuf::BytesReader::from_bytes(record), record).map_err(text)
    }
}

impl<M: quick_protobuf::MessageRead<'static> + quick_protobuf::MessageWrite + Fields> Library for Quick<M> {
    type Held = M;
    const TASKS: &'static [Task] = ALL;
    #[inline]
    fn decode(&mut self, record: Record) -> Result<()> {
        black_box(&Self::parse(record)?);
        Ok(())
    }
    #[inline]
    fn read(&mut self, record: Record) -> Result<u64> {
        Ok(Self::parse(record)?.peers_checksum())
    }
    fn hold(record: Record) -> Result<M> {
        Self::parse(record)
    }
    #[inline]
    fn encode(&mut self, held: &M) -> Result<&[u8]> {
        self.0.clear();
        held.write_message(&mut quick_protobuf::Writer::new(&mut self.0)).map_err(text)?;
        Ok(&self.0)
    }
    #[inline]
    fn encode_fresh(&mut self, held: &M) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(held.get_size());
        held.write_message(&mut quick_protobuf::Writer::new(&mut out)).map_err(text)?;
        Ok(out)
    }
}

/// The rivals check every string, so we do, too.
fn strict() -> pool::DecodeOptions {
    pool::DecodeOptions { strict: true, ..Default::default() }
}

/// hotpb's pool, used again.
pub struct Pool<M: pool::Message>(pool::Pool<M>, EncodeBuffer, pool::DecodeOptions);

impl<M: pool::Message> Default for Pool<M> {
    fn default() -> Self {
        Pool(pool::Pool::new(), EncodeBuffer::new(), strict())
    }
}

impl<M: pool::Message + 'static> Library for Pool<M>
where
    for<'a> M::Handle<'a>: Encode + Fields,
{
    /// The handle of a message whose pool stays.
    type Held = M::Handle<'static>;
    const TASKS: &'static [Task] = ALL;
    #[inline]
    fn decode(&mut self, record: Record) -> Result<()> {
        black_box(&self.0.decode_with(record, &self.2).map_err(text)?);
        Ok(())
    }
    #[inline]
    fn read(&mut self, record: Record) -> Result<u64> {
        Ok(self.0.decode_with(record, &self.2).map_err(text)?.peers_checksum())
    }
    fn hold(record: Record) -> Result<Self::Held> {
        Box::leak(Box::new(pool::Pool::<M>::new())).decode(record).map_err(text)
    }
    #[inline]
    fn encode(&mut self, held: &Self::Held) -> Result<&[u8]> {
        held.encode_into(&mut self.1).map_err(text)
    }
    #[inline]
    fn encode_fresh(&mut self, held: &Self::Held) -> Result<Vec<u8>> {
        held.encode_to_vec().map_err(text)
    }
}

/// hotpb's pool, a fresh one for each message.
pub struct PoolFresh<M>(pool::DecodeOptions, PhantomData<M>);

impl<M> Default for PoolFresh<M> {
    fn default() -> Self {
        PoolFresh(strict(), PhantomData)
    }
}

impl<M: pool::Message> Library for PoolFresh<M>
where
    for<'a> M::Handle<'a>: Fields,
{
    type Held = ();
    const TASKS: &'static [Task] = DECODE;
    #[inline]
    fn decode(&mut self, record: Record) -> Result<()> {
        black_box(&pool::Pool::<M>::new().decode_with(record, &self.0).map_err(text)?);
        Ok(())
    }
    #[inline]
    fn read(&mut self, record: Record) -> Result<u64> {
        Ok(pool::Pool::<M>::new().decode_with(record, &self.0).map_err(text)?.peers_checksum())
    }
    no_encoding!();
}

/// hotpb's pool, encoded into a buffer that is used again, and copied.
pub struct PoolCopied<M: pool::Message>(Pool<M>);

impl<M: pool::Message> Default for PoolCopied<M> {
    fn default() -> Self {
        PoolCopied(Pool::default())
    }
}

impl<M: pool::Message + 'static> Library for PoolCopied<M>
where
    for<'a> M::Handle<'a>: Encode + Fields,
{
    type Held = M::Handle<'static>;
    const TASKS: &'static [Task] = &[Task::EncodeFresh];
    fn decode(&mut self, record: Record) -> Result<()> {
        self.0.decode(record)
    }
    fn read(&mut self, record: Record) -> Result<u64> {
        self.0.read(record)
    }
    fn hold(record: Record) -> Result<Self::Held> {
        Pool::<M>::hold(record)
    }
    fn encode(&mut self, held: &Self::Held) -> Result<&[u8]> {
        self.0.encode(held)
    }
    #[inline]
    fn encode_fresh(&mut self, held: &Self::Held) -> Result<Vec<u8>> {
        self.0.encode(held).map(<[u8]>::to_vec)
    }
}

/// hotpb's builder. Strings that the schema leaves unchecked stay unchecked: it has no option.
pub struct Builder<B>(EncodeBuffer, PhantomData<B>);

impl<B> Default for Builder<B> {
    fn default() -> Self {
        Builder(EncodeBuffer::new(), PhantomData)
    }
}

impl<B: pool::Builder + Fields> Library for Builder<B> {
    type Held = B;
    const TASKS: &'static [Task] = ALL;
    #[inline]
    fn decode(&mut self, record: Record) -> Result<()> {
        black_box(&B::decode(record).map_err(text)?);
        Ok(())
    }
    #[inline]
    fn read(&mut self, record: Record) -> Result<u64> {
        Ok(B::decode(record).map_err(text)?.peers_checksum())
    }
    fn hold(record: Record) -> Result<B> {
        B::decode(record).map_err(text)
    }
    #[inline]
    fn encode(&mut self, held: &B) -> Result<&[u8]> {
        held.encode_into(&mut self.0).map_err(text)
    }
    #[inline]
    fn encode_fresh(&mut self, held: &B) -> Result<Vec<u8>> {
        held.encode_to_vec().map_err(text)
    }
}

fn strict_view() -> view::DecodeOptions {
    view::DecodeOptions { strict: true, ..Default::default() }
}

/// hotpb's view, every level opened and read.
pub struct View<V>(view::DecodeOptions, PhantomData<V>);

impl<V> Default for View<V> {
    fn default() -> Self {
        View(strict_view(), PhantomData)
    }
}

impl<V: view::View> Library for View<V>
where
    V::At<'static>: Fields,
{
    type Held = ();
    const TASKS: &'static [Task] = &[Task::DecodeRead];
    fn decode(&mut self, record: Record) -> Result<()> {
        V::decode_with(record, &self.0).map(drop).map_err(text)
    }
    #[inline]
    fn read(&mut self, record: Record) -> Result<u64> {
        Ok(V::decode_with(record, &self.0).map_err(text)?.peers_checksum())
    }
    no_encoding!();
}

/// hotpb's view, the whole message checked.
pub struct Validate<V>(view::DecodeOptions, PhantomData<V>);

impl<V> Default for Validate<V> {
    fn default() -> Self {
        Validate(strict_view(), PhantomData)
    }
}

impl<V: view::View> Library for Validate<V>
where
    V::At<'static>: Fields + view::View,
{
    type Held = ();
    const TASKS: &'static [Task] = &[Task::Decode];
    #[inline]
    fn decode(&mut self, record: Record) -> Result<()> {
        let message = V::decode_with(record, &self.0).map_err(text)?;
        view::View::validate(&message).map_err(text)?;
        black_box(&message);
        Ok(())
    }
    fn read(&mut self, record: Record) -> Result<u64> {
        Ok(V::decode_with(record, &self.0).map_err(text)?.peers_checksum())
    }
    no_encoding!();
}

/// The stock runtime, prost, as a judge.
#[derive(Default)]
pub struct Stock<M>(PhantomData<M>);

impl<M: prost::Message + Default + PartialEq + Fields> crate::program::Judge for Stock<M> {
    fn checksum(&self, record: &[u8]) -> Result<u64> {
        Ok(M::decode(record).map_err(text)?.peers_checksum())
    }
    fn same(&self, bytes: &[u8], record: &[u8]) -> Result<bool> {
        let (a, b) = (M::decode(bytes).map_err(text)?, M::decode(record).map_err(text)?);
        // A NaN differs from itself; maps have no order.
        Ok(a == b || a.encode_to_vec() == b.encode_to_vec())
    }
}
