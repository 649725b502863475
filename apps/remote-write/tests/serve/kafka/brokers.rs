//! A broker to test with: librdkafka's imitation, or a real one in Java where REMOTE_WRITE_KAFKA_JARS names the folder of its
//! jars (check-kafka.sh). And a reader of a topic.

use super::super::common::STARTS;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaError;
use rdkafka::message::{Headers, Message as _};
use rdkafka::mocking::MockCluster;
use rdkafka::producer::DefaultProducerContext;
use rdkafka::{Offset, TopicPartitionList};
use std::collections::BTreeMap;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub const TOPIC: &str = "remote-write";
const PARTITIONS: i32 = 3;

pub enum Broker {
    Imitation(MockCluster<'static, DefaultProducerContext>),
    Real { process: Option<Child>, jars: String, folder: tempfile::TempDir, address: String },
}

impl Broker {
    pub fn start() -> Broker {
        let Ok(jars) = std::env::var("REMOTE_WRITE_KAFKA_JARS") else {
            let cluster = MockCluster::new(1).unwrap();
            cluster.create_topic(TOPIC, PARTITIONS, 1).unwrap();
            return Broker::Imitation(cluster);
        };
        let folder = tempfile::tempdir().unwrap();
        // Both are held until both are found, so that they differ.
        let ports = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let [address, controller] = ports.map(|port| port.local_addr().unwrap().to_string());
        let properties = format!(
            "process.roles=broker,controller\nnode.id=1\ncontroller.quorum.voters=1@{controller}\n\
             listeners=PLAINTEXT://{address},CONTROLLER://{controller}\ncontroller.listener.names=CONTROLLER\n\
             log.dirs={}\nnum.partitions={PARTITIONS}\noffsets.topic.replication.factor=1\n\
             broker.session.timeout.ms=3000\nbroker.heartbeat.interval.ms=500\n",
            folder.path().join("data").display()
        );
        let file = folder.path().join("server.properties");
        fs::write(&file, properties).unwrap();
        let format =
            ["kafka.tools.StorageTool", "format", "-t", "AAAAAAAAAAAAAAAAAAAAAQ", "-c", file.to_str().unwrap()];
        assert!(java(&jars, folder.path()).args(format).stdout(Stdio::null()).status().unwrap().success());
        let mut broker = Broker::Real { process: None, jars, folder, address };
        broker.restart();
        broker
    }

    pub fn address(&self) -> String {
        match self {
            Broker::Imitation(cluster) => cluster.bootstrap_servers(),
            Broker::Real { address, .. } => address.clone(),
        }
    }

    /// Ends the broker as a power cut would, as far as a process can.
    pub fn kill(&mut self) {
        match self {
            Broker::Imitation(cluster) => {
                let _starts = STARTS.lock().unwrap(); // it binds its port again
                cluster.broker_down(1).unwrap();
            }
            Broker::Real { process, .. } => {
                let mut process = process.take().unwrap();
                process.kill().unwrap();
                process.wait().unwrap();
            }
        }
    }

    /// Starts a broker that was killed, with its data, and waits until it takes connections.
    pub fn restart(&mut self) {
        match self {
            Broker::Imitation(cluster) => cluster.broker_up(1).unwrap(),
            Broker::Real { process, jars, folder, address } => {
                let log = fs::OpenOptions::new().create(true).append(true).open(folder.path().join("log")).unwrap();
                let mut command = java(jars, folder.path());
                command.arg("kafka.Kafka").arg(folder.path().join("server.properties"));
                *process = Some(command.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap());
                let began = Instant::now();
                while TcpStream::connect(&*address).is_err() {
                    let text = || fs::read_to_string(folder.path().join("log")).unwrap();
                    assert!(began.elapsed() < Duration::from_secs(120), "the broker takes no connections:\n{}", text());
                    std::thread::sleep(Duration::from_millis(50));
                }
            }
        }
    }

    /// Reads the whole topic: each partition in order.
    pub fn read(&self) -> Vec<Read> {
        let consumer: BaseConsumer = ClientConfig::new()
            .set("bootstrap.servers", self.address())
            .set("group.id", "test")
            .set("enable.auto.commit", "false")
            .set("enable.partition.eof", "true")
            .create()
            .unwrap();
        let mut partitions = TopicPartitionList::new();
        for partition in 0..PARTITIONS {
            partitions.add_partition_offset(TOPIC, partition, Offset::Beginning).unwrap();
        }
        consumer.assign(&partitions).unwrap();
        let (mut found, mut ended, began) = (Vec::new(), 0, Instant::now());
        while ended < PARTITIONS {
            assert!(began.elapsed() < Duration::from_secs(60), "the topic has no end: {} messages", found.len());
            match consumer.poll(Duration::from_millis(100)) {
                None => (),
                Some(Ok(message)) => found.push(Read::new(&message)),
                Some(Err(KafkaError::PartitionEOF(_))) => ended += 1,
                // A topic that the broker has not created yet.
                Some(Err(error)) => {
                    eprintln!("{error}");
                    return found;
                }
            }
        }
        found.sort_by_key(|message: &Read| (message.partition, message.offset));
        found
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        if let Broker::Real { process: Some(process), .. } = self {
            _ = process.kill();
            _ = process.wait();
        }
    }
}

fn java(jars: &str, folder: &Path) -> Command {
    let mut command = Command::new("java");
    let options = ["-Xmx512m", "-XX:+UseSerialGC", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp"];
    command.args(options).arg(format!("{jars}/*")).current_dir(folder);
    command
}

/// A message of the topic.
#[derive(Clone, Debug)]
pub struct Read {
    pub partition: i32,
    pub offset: i64,
    pub key: String,
    pub value: Vec<u8>,
    pub headers: BTreeMap<String, String>,
    pub time: i64,
}

impl Read {
    fn new(message: &rdkafka::message::BorrowedMessage<'_>) -> Read {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let headers =
            message.headers().unwrap().iter().map(|header| (header.key.to_owned(), text(header.value.unwrap())));
        Read {
            partition: message.partition(),
            offset: message.offset(),
            key: text(message.key().unwrap()),
            value: message.payload().unwrap().to_vec(),
            headers: headers.collect(),
            time: message.timestamp().to_millis().unwrap(),
        }
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// Returns what is the same when the message is sent again, and different for all others.
    pub fn id(&self) -> (String, String, String) {
        (self.header("batch").to_owned(), self.key.clone(), self.header("part").to_owned())
    }
}
