//! A made-up format for the tests of program.rs: the checksum of a record is its length, its encoding the record itself. Each contender
//! but the first has one fault.

#[path = "../rust/src/allocations.rs"]
mod allocations;
#[path = "../rust/src/program.rs"]
mod program;

use program::{Contender, Judge, Records, Row, Task, serve};

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    Checksum,
    SecondTime,
    Refusal,
    Encoding,
    Fresh,
}

struct Lengths {
    fault: Fault,
    held: Records,
    calls: usize,
}

impl Contender for Lengths {
    fn takes(&self, _: Task) -> bool {
        true
    }
    fn read(&mut self, record: &'static [u8]) -> Result<u64, String> {
        self.calls += 1;
        let wrong = match self.fault {
            Fault::Checksum => record.len() == 5,
            Fault::SecondTime => self.calls > 3,
            Fault::Refusal if record.is_empty() => return Err("refused".into()),
            _ => false,
        };
        Ok(record.len() as u64 + u64::from(wrong))
    }
    fn hold(&mut self, records: &Records) -> Result<(), String> {
        self.held = records.clone();
        Ok(())
    }
    fn encoded(&mut self, task: Task, at: usize) -> Result<Vec<u8>, String> {
        let fault = if task == Task::Encode { Fault::Encoding } else { Fault::Fresh };
        Ok(if self.fault == fault && at == 1 { b"other".to_vec() } else { self.held[at].to_vec() })
    }
    fn run(&mut self, _: Task, records: &Records, operations: u64) -> Result<(), String> {
        for at in 0..operations as usize {
            std::hint::black_box(records[at % records.len()]);
        }
        Ok(())
    }
}

struct Stock;

impl Judge for Stock {
    fn checksum(&self, record: &[u8]) -> Result<u64, String> {
        Ok(record.len() as u64)
    }
    fn same(&self, bytes: &[u8], record: &[u8]) -> Result<bool, String> {
        Ok(bytes == record)
    }
}

macro_rules! contenders {
    ($($name:literal: $fault:expr,)*) => {
        vec![$(($name, || Box::new(Lengths { fault: $fault, held: Vec::new(), calls: 0 }) as Box<dyn Contender>),)*]
    };
}

fn main() {
    let contenders: Vec<(&'static str, fn() -> Box<dyn Contender>)> = contenders! {
        "right": Fault::None,
        "checksum": Fault::Checksum,
        "second": Fault::SecondTime,
        "refusal": Fault::Refusal,
        "encoding": Fault::Encoding,
        "fresh": Fault::Fresh,
    };
    serve(vec![Row { message: "lengths", stock: Box::new(Stock), contenders }])
}
