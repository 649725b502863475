//! The cost of holding a string of a request: every name and value of its labels is cut out, and the pieces of the
//! operation before are dropped. Nothing is parsed; the places are known.

mod pieces;

use std::hint::black_box;

use crate::harness::{Contender, Grid};
use crate::rw1::stock;
use pieces::Piece;

/// Adds the task and its contenders.
pub fn add_to(grid: &mut Grid) {
    add::<bytes::Bytes>(grid, "bytes:slice");
    add::<pieces::SplitOff>(grid, "bytes:copy_to_bytes");
    add::<pieces::Copied>(grid, "bytes:copied");
    add::<String>(grid, "string");
    add::<pieces::Reused>(grid, "string:reused");
    add::<pieces::Pointer>(grid, "pointer");
    add::<pieces::Borrowed>(grid, "hotpb-span");
}

fn add<P: Piece + 'static>(grid: &mut Grid, rival: &'static str) {
    grid.add("slice", rival, |request| Cut::<P>::new(request.input));
}

/// A string's place: how many bytes there are between the last string and this one, and its length.
#[derive(Clone, Copy)]
struct Place {
    gap: u32,
    len: u32,
}

/// Cuts the strings of one input into pieces of one kind.
struct Cut<P: Piece> {
    bytes: &'static [u8],
    input: P::Input,
    places: Vec<Place>,
    pieces: Vec<P>,
    note: &'static str,
}

impl<P: Piece> Cut<P> {
    fn new(bytes: &'static [u8]) -> Result<Self, String> {
        let places = places(bytes)?;
        let counts = 2 * P::COUNTS as usize * places.len();
        let note = format!("{}; {counts} changes of a reference count per operation", P::NOTE).leak();
        Ok(Self { bytes, input: P::input(bytes), pieces: Vec::with_capacity(places.len()), places, note })
    }
}

impl<P: Piece> Contender for Cut<P> {
    #[inline]
    fn op(&mut self) -> Result<u64, String> {
        P::cut_all(&self.input, &self.places, &mut self.pieces)?;
        black_box(&self.pieces);
        Ok(0)
    }

    fn verify(&mut self) -> Result<(), String> {
        let want = stock::decode(self.bytes)?;
        let labels = || want.timeseries.iter().flat_map(|series| &series.labels);
        let mut strings = labels().flat_map(|label| [&label.name, &label.value]);
        self.op()?;
        let equal = self.pieces.iter().all(|piece| strings.next().map(String::as_bytes) == Some(piece.get(self.bytes)));
        if !equal || strings.next().is_some() || self.pieces.len() != 2 * labels().count() {
            return Err("the pieces are not the strings that prost decodes".into());
        }
        // Whether each piece has a reference: all but one of them are dropped, in turn from both ends.
        for keep in [0, self.pieces.len() - 1] {
            self.op()?;
            let last = self.pieces.swap_remove(keep);
            self.pieces.clear();
            let shared = P::is_shared(&self.input);
            drop(last);
            if shared != P::COUNTS || P::is_shared(&self.input) {
                return Err(format!("a reference count that should {}be there", if P::COUNTS { "" } else { "not " }));
            }
        }
        Ok(())
    }

    fn note(&self) -> &'static str {
        self.note
    }
}

/// Returns the places of the names and values of all labels, in the order of the request.
fn places(input: &'static [u8]) -> Result<Vec<Place>, String> {
    use crate::rw1::generated::hotpb::prometheus::WriteRequestPool;
    let mut pool = WriteRequestPool::new();
    let request = pool.decode(input).map_err(|e| e.to_string())?;
    let (mut places, mut end) = (Vec::new(), 0);
    for label in request.timeseries().iter().flat_map(|series| series.labels().iter()) {
        for text in [label.name(), label.value()] {
            // An empty string need not be in the request.
            let at = if text.is_empty() { end } else { text.as_ptr() as usize - input.as_ptr() as usize };
            let gap = at.checked_sub(end).ok_or("names after values are not supported")?;
            places.push(Place { gap: gap as u32, len: text.len() as u32 });
            end = at + text.len();
        }
    }
    if places.is_empty() { Err("no labels".into()) } else { Ok(places) }
}
