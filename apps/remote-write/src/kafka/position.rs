//! The file that says how far Kafka has the log.

use serde_json::{Value, json};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file, in the folder of the store.
const NAME: &str = "kafka-position.json";

/// All requests below a sequence are in a topic.
pub struct Position {
    folder: PathBuf,
    store: String,
    topic: String,
    /// The sequence.
    pub next: u64,
}

impl Position {
    /// Reads the position of a topic. Without one, and after another topic, it is 0.
    pub fn read(folder: &Path, store: u128, topic: &str) -> io::Result<Position> {
        let path = folder.join(NAME);
        let mut position =
            Position { folder: folder.to_owned(), store: format!("{store:032x}"), topic: topic.to_owned(), next: 0 };
        let failed = |why: String| io::Error::other(format!("{}: {why}", path.display()));
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(position),
            Err(error) => return Err(failed(error.to_string())),
        };
        let value: Value = serde_json::from_slice(&text).map_err(|error| failed(error.to_string()))?;
        let (store, topic, next) = (value["store"].as_str(), value["topic"].as_str(), value["next"].as_u64());
        let (Some(store), Some(topic), Some(next)) = (store, topic, next) else {
            return Err(failed("store, topic or next is missing".to_owned()));
        };
        if store != position.store {
            return Err(failed("it belongs to another store".to_owned()));
        }
        if topic == position.topic {
            position.next = next;
        }
        Ok(position)
    }

    /// Writes the position: what it said before holds until it is whole.
    pub fn write(&self) -> io::Result<()> {
        let (path, part) = (self.folder.join(NAME), self.folder.join("kafka-position.part"));
        let mut file = fs::File::create(&part)?;
        let text = json!({ "store": self.store, "topic": self.topic, "next": self.next });
        writeln!(file, "{text}")?;
        file.sync_all()?;
        fs::rename(part, path)?;
        fs::File::open(&self.folder)?.sync_all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_of_one_store_and_topic() {
        let folder = tempfile::tempdir().unwrap();
        let read = |store, topic| Position::read(folder.path(), store, topic).map(|position| position.next);
        let error = |store| read(store, "a").unwrap_err().to_string();
        assert_eq!(read(7, "a").unwrap(), 0);
        let mut position = Position::read(folder.path(), 7, "a").unwrap();
        position.next = u64::MAX;
        position.write().unwrap();
        assert_eq!((read(7, "a").unwrap(), read(7, "b").unwrap()), (u64::MAX, 0));
        assert!(error(8).contains("another store"), "{}", error(8));
        let path = folder.path().join(NAME);
        for (text, why) in [("", "EOF"), ("{}", "missing"), (r#"{"store":"7","topic":"a","next":-1}"#, "missing")] {
            fs::write(&path, text).unwrap();
            assert!(error(7).starts_with(&format!("{}: ", path.display())) && error(7).contains(why), "{}", error(7));
        }
    }
}
