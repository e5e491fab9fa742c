//! The window of a divergence as FST, and in a viewer that is running.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use lockstep_vcd::{Source, Stream};
use pmu_lockstep::fst::Fst;
use serde_json::{Value, json};

use crate::command::{Ran, run};
use crate::errors::{MAP, dump, folder};
use crate::{golden, vcd};

const CHECK: &str = "check dump.vcd --map map.toml --implementation small.toml";

/// A dump that diverges.
fn diverging(name: &str) -> PathBuf {
    folder(name, &dump("b101 v\n"), MAP)
}

#[test]
fn a_window_is_written_as_fst_with_the_files_that_open_it() {
    let folder = diverging("window_fst");
    let ran = golden("window_fst", &folder, &format!("{CHECK} --fst"));
    assert_eq!(ran.code, 1);
    let out = folder.join("lockstep-out");
    // Words are strings in one, and vectors of characters in the other: those are looked at below.
    let words = "--ignore golden.access --ignore **.access_outcome --ignore **.coll_*";
    let both = "lockstep-out/window.vcd lockstep-out/window.fst";
    let ran = run(&mut vcd(&folder, &format!("diff {both} {words}")));
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);

    let fst = File::open(out.join("window.fst")).expect("a window");
    let header = Fst::open(fst, Default::default())
        .expect("FST")
        .header()
        .clone();
    let save = fs::read_to_string(out.join("window.gtkw")).expect("a save file");
    assert!(save.contains("[dumpfile] \"window.fst\""), "{save}");
    let traces = save.lines().filter(|line| line.starts_with("+{"));
    let mut count = 0;
    for trace in traces {
        let (_, path) = trace.split_once("} ").expect("a name and a path");
        let (path, range) = path.split_once('[').unwrap_or((path, ""));
        let variable = header.find(path).expect("a variable").variable_index();
        let variable = &header.variables()[variable];
        let found = variable.range().map(|range| range.to_string());
        let found = found.unwrap_or_default();
        assert_eq!(found.trim_start_matches('['), range, "{trace}");
        count += 1;
    }
    assert!(count >= 4, "{save}");
    // An access is `-` here, in 8 bits, shown as ASCII.
    assert!(
        save.contains("@820\n+{register access} golden.access[39:0]"),
        "{save}"
    );
    let commands = fs::read_to_string(out.join("window.sucl")).expect("a command file");
    assert!(commands.contains("then window.fst"), "{commands}");
    assert!(
        commands.contains("_golden.access\nitem_set_format ASCII"),
        "{commands}"
    );

    // Without the option, the one of an earlier run is gone.
    assert_eq!(run(&mut vcd(&folder, CHECK)).code, 1);
    assert!(!out.join("window.fst").exists());
    let save = fs::read_to_string(out.join("window.gtkw")).expect("a save file");
    assert!(save.contains("[dumpfile] \"window.vcd\""), "{save}");
}

/// What a viewer does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Manner {
    /// All commands; the event comes before the answer to `load`, and others between.
    Whole,
    /// What Surfer had at first.
    Old,
    /// A viewer without the older commands.
    Items,
    /// No answer to the greeting.
    Hangs,
    /// No event that the window is there.
    NeverLoads,
    /// The connection is closed at once.
    Closes,
    /// It is closed at the second command.
    ClosesLater,
    /// Another version.
    Version,
    /// An error instead of signals.
    Refuses,
    /// It is another server.
    Http,
    /// It announces nothing.
    Nothing,
}

impl Manner {
    fn commands(self) -> Vec<&'static str> {
        match self {
            Self::Old => vec!["add_variables", "set_viewport_to", "cursor_set", "load"],
            Self::Items => vec!["add_items", "set_viewport_to", "set_cursor", "load"],
            Self::Nothing => vec!["load"],
            _ => vec![
                "add_variables",
                "add_items",
                "set_viewport_to",
                "set_viewport_range_to",
                "add_markers",
                "set_cursor",
                "load",
            ],
        }
    }
}

/// The name of a field, and whether a value may be its value.
type FieldForm<'f> = (&'f str, fn(&Value) -> bool);

/// Whether a value has exactly these fields, each of its kind.
fn has(value: &Value, fields: &[FieldForm<'_>]) -> bool {
    let Some(object) = value.as_object() else {
        return false;
    };
    object.len() == fields.len()
        && fields
            .iter()
            .all(|(name, is)| object.get(*name).is_some_and(is))
}

fn is_strings(value: &Value) -> bool {
    value
        .as_array()
        .is_some_and(|list| !list.is_empty() && list.iter().all(Value::is_string))
}

fn is_markers(value: &Value) -> bool {
    let is_marker = |marker: &Value| {
        has(
            marker,
            &[
                ("time", Value::is_u64),
                ("name", Value::is_string),
                ("move_focus", Value::is_boolean),
            ],
        )
    };
    value
        .as_array()
        .is_some_and(|list| list.iter().all(is_marker))
}

/// Checks the form of a message from a client, as the protocol publishes it.
fn check_form(message: &Value) {
    let text: fn(&Value) -> bool = Value::is_string;
    let number: fn(&Value) -> bool = Value::is_u64;
    let kind = ("type", text);
    let command = ("command", text);
    let fine = match (message["type"].as_str(), message["command"].as_str()) {
        (Some("greeting"), None) => {
            message["version"] == "0"
                && has(
                    message,
                    &[kind, ("version", text), ("commands", is_strings)],
                )
        }
        (Some("command"), Some("load")) => has(message, &[kind, command, ("source", text)]),
        (Some("command"), Some("add_variables")) => {
            has(message, &[kind, command, ("variables", is_strings)])
        }
        (Some("command"), Some("add_items")) => has(
            message,
            &[
                kind,
                command,
                ("items", is_strings),
                ("recursive", Value::is_boolean),
            ],
        ),
        (Some("command"), Some("add_markers")) => {
            has(message, &[kind, command, ("markers", is_markers)])
        }
        (Some("command"), Some("set_viewport_range")) => has(
            message,
            &[kind, command, ("start", number), ("end", number)],
        ),
        (Some("command"), Some("set_viewport_to" | "set_cursor")) => {
            has(message, &[kind, command, ("timestamp", number)])
        }
        _ => false,
    };
    assert!(fine, "not a message of the protocol: {message}");
}

/// Sends messages in pieces, for a reader may get them so.
fn send(stream: &mut TcpStream, messages: &[Value]) {
    let mut bytes = Vec::new();
    for message in messages {
        bytes.extend(message.to_string().bytes().chain([0]));
    }
    for piece in bytes.chunks(7) {
        // The client may be gone.
        let _ = stream.write_all(piece);
    }
}

/// Serves one client; gives its messages.
fn serve(listener: &TcpListener, manner: Manner) -> Vec<Value> {
    let (mut stream, _) = listener.accept().expect("a client");
    let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
    let mut messages = Vec::new();
    if manner == Manner::Closes {
        return messages;
    }
    if manner == Manner::Http {
        let _ = reader.read_until(0, &mut Vec::new());
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        return messages;
    }
    loop {
        let mut bytes = Vec::new();
        if reader.read_until(0, &mut bytes).unwrap_or(0) == 0 {
            return messages;
        }
        assert_eq!(bytes.pop(), Some(0), "a message has an end");
        let message: Value = serde_json::from_slice(&bytes).expect("JSON");
        check_form(&message);
        messages.push(message.clone());
        let response = |command: &str| json!({"type": "response", "command": command});
        let ids = |command: &str| json!({"type": "response", "command": command, "ids": [1, 2], "not_found": []});
        let ack = response("ack");
        let event = |event: &str| json!({"type": "event", "event": event, "source": "a"});
        let command = message["command"].as_str().unwrap_or("greeting");
        match (command, manner) {
            (_, Manner::Hangs) => {}
            ("greeting", _) => {
                let version = if manner == Manner::Version { "1" } else { "0" };
                let commands = manner.commands();
                let greeting =
                    json!({"type": "greeting", "version": version, "commands": commands});
                send(&mut stream, &[greeting]);
            }
            (_, Manner::ClosesLater) if messages.len() == 3 => return messages,
            ("load", Manner::NeverLoads) => send(&mut stream, &[ack]),
            ("load", Manner::Whole) => {
                let events = [event("goto_declaration"), event("waveforms_loaded"), ack];
                send(&mut stream, &events);
            }
            ("load", _) => {
                send(&mut stream, &[ack]);
                thread::sleep(Duration::from_millis(100));
                send(&mut stream, &[event("waveforms_loaded")]);
            }
            ("add_variables", Manner::Refuses) => {
                let error = "Can't add signals. No waveform loaded";
                let error = json!({"type": "error", "error": "add_variables", "arguments": [], "message": error});
                send(&mut stream, &[error]);
            }
            ("add_variables" | "add_items" | "add_markers", _) => {
                send(&mut stream, &[event("add_loads"), ids(command)]);
            }
            _ => send(&mut stream, &[ack]),
        }
    }
}

/// A check with a viewer of this manner: what it printed, and what the viewer was told.
fn viewed(manner: Manner, options: &str) -> (Ran, Vec<Value>, PathBuf) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let server: JoinHandle<_> = thread::spawn(move || serve(&listener, manner));
    let folder = diverging(&format!("view_{manner:?}"));
    let ran = run(&mut vcd(
        &folder,
        &format!("{CHECK} --view={address} {options}"),
    ));
    let told = server.join().expect("messages of the protocol");
    (ran, told, folder)
}

fn commands(told: &[Value]) -> Vec<&str> {
    let commands = told
        .iter()
        .filter_map(|message| message["command"].as_str());
    commands.collect()
}

/// What is loaded has the signals that are asked for.
fn check_signals(told: &[Value], folder: &Path, name: &str) {
    let source = told[1]["source"].as_str().expect("a source");
    let expected = folder.join("lockstep-out").join(name);
    assert_eq!(Path::new(source), expected);
    let header = Stream::open(expected.with_extension("vcd"))
        .expect("a window")
        .header()
        .clone();
    let signals = match told[2]["variables"].as_array() {
        Some(signals) => signals,
        None => told[2]["items"].as_array().expect("signals"),
    };
    assert!(signals.len() >= 4, "{signals:?}");
    assert_eq!(signals[0], "tb.clk");
    for signal in signals {
        let path = signal.as_str().expect("a path");
        assert!(header.find(path).is_ok(), "{path}");
    }
}

#[test]
fn a_viewer_shows_the_divergent_cycle() {
    let (ran, told, folder) = viewed(Manner::Whole, "");
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{}", ran.stderr);
    let expected = [
        "load",
        "add_variables",
        "set_viewport_range",
        "add_markers",
        "set_cursor",
    ];
    assert_eq!(commands(&told), expected);
    check_signals(&told, &folder, "window.vcd");
    // The wrong value is written before the third edge, at 30: it stands from the second one on in the window.
    let report = fs::read_to_string(folder.join("lockstep-out/window.gtkw")).expect("a file");
    let marker = report.lines().find_map(|line| line.strip_prefix('*'));
    let marker = marker.and_then(|line| line.split(' ').nth(1));
    let time: u64 = marker.and_then(|time| time.parse().ok()).expect("a time");
    assert_eq!(told[5]["timestamp"], time);
    assert_eq!(told[4]["markers"][0]["time"], time);
    assert_eq!(told[3]["end"], time + 90);

    let (ran, told, folder) = viewed(Manner::Whole, "--fst");
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    check_signals(&told, &folder, "window.fst");
    // JSON goes to standard output alone.
    let (ran, _, _) = viewed(Manner::Whole, "--json");
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    assert!(serde_json::from_str::<Value>(&ran.stdout).is_ok());
}

#[test]
fn a_viewer_is_told_what_it_knows_alone() {
    let (ran, told, folder) = viewed(Manner::Old, "");
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    assert_eq!(
        commands(&told),
        ["load", "add_variables", "set_viewport_to"]
    );
    check_signals(&told, &folder, "window.vcd");
    let (ran, told, folder) = viewed(Manner::Items, "");
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    let expected = ["load", "add_items", "set_viewport_to", "set_cursor"];
    assert_eq!(commands(&told), expected);
    check_signals(&told, &folder, "window.vcd");
}

/// One note says why, and the verdict stands.
#[test]
fn a_viewer_that_does_not_show_it_is_a_note() {
    for (manner, why) in [
        (
            Manner::Hangs,
            "expected an answer to a greeting within 5 s, found none",
        ),
        (
            Manner::NeverLoads,
            "an event that the waveform is there within 20 s",
        ),
        (Manner::Closes, "the viewer has closed the connection"),
        (
            Manner::ClosesLater,
            "expected an answer to add_variables, found that the viewer",
        ),
        (
            Manner::Version,
            "expected a viewer of version 0 of the protocol, found version 1",
        ),
        (
            Manner::Refuses,
            "refuses add_variables: Can\\'t add signals. No waveform loaded",
        ),
        (
            Manner::Http,
            "found `HTTP/1.1 400 Bad Request\\r\\n\\r\\n`: is it a viewer",
        ),
        (
            Manner::Nothing,
            "expected a viewer that knows add_items, found one of: load",
        ),
    ] {
        let (ran, _, folder) = viewed(manner, "");
        assert_eq!(ran.code, 1, "{manner:?}: {}", ran.stderr);
        let mut lines = ran.stderr.lines();
        let line = lines.next().unwrap_or_default();
        assert!(
            line.starts_with("lockstep: note: --view: 127.0.0.1:") && line.contains(why),
            "{manner:?}: {}",
            ran.stderr
        );
        assert_eq!(lines.next(), None, "{}", ran.stderr);
        assert!(ran.stdout.starts_with("DIVERGENCE"), "{}", ran.stdout);
        assert!(folder.join("lockstep-out/report.json").is_file());
    }
}

#[test]
fn a_viewer_that_is_not_there_is_a_note() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let folder = diverging("view_nobody");
    let ran = run(&mut vcd(&folder, &format!("{CHECK} --view={address}")));
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.contains("no viewer answers there") && ran.stderr.contains("wcp_server_start"),
        "{}",
        ran.stderr
    );
    let ran = run(&mut vcd(&folder, &format!("{CHECK} --view=nowhere")));
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("expected HOST:PORT"), "{}", ran.stderr);
    // A dump that agrees has nothing to show.
    fs::write(folder.join("dump.vcd"), dump("")).expect("written");
    let ran = run(&mut vcd(&folder, &format!("{CHECK} --view={address}")));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}
