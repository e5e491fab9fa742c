//! A window in a viewer that is running: the waveform control protocol, version 0, as Surfer speaks it.
//!
//! Messages are JSON objects over TCP, each ended by a zero byte. A viewer closes the connection at a command that it does
//! not know, so only those are sent that its greeting announces.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::Waves;

/// Where Surfer listens, if it is not told otherwise.
pub const ADDRESS: &str = "localhost:54321";

/// The version of the protocol.
const VERSION: &str = "0";

/// How long a viewer may take to connect, and to answer.
const ANSWER: Duration = Duration::from_secs(5);

/// How long it may take to load the window.
const LOAD: Duration = Duration::from_secs(20);

/// Bytes of the longest message that is read.
const LONGEST: usize = 1 << 20;

/// Cycles to be seen before the divergent one, and after it.
const SEEN: u64 = 9;

/// Why a viewer does not show the window.
#[derive(Debug, thiserror::Error)]
pub enum WcpError {
    /// Nobody is there.
    #[error(
        "no viewer answers there: {0}; start one that speaks the waveform control protocol: in Surfer, press space and enter \
         wcp_server_start"
    )]
    Connect(io::Error),
    /// The connection broke.
    #[error("expected an answer to {0}, found {1}")]
    Broken(&'static str, io::Error),
    /// There is no answer in time.
    #[error("expected an answer to {0} within {1} s, found none")]
    Silent(&'static str, u64),
    /// The viewer has closed the connection.
    #[error("expected an answer to {0}, found that the viewer has closed the connection")]
    Closed(&'static str),
    /// What it says is no message.
    #[error("expected an answer to {0}, found `{1}`: is it a viewer that listens there?")]
    Strange(&'static str, String),
    /// It speaks another version.
    #[error("expected a viewer of version {VERSION} of the protocol, found version {0}")]
    Version(String),
    /// It cannot do what it was asked for.
    #[error("the viewer refuses {0}: {1}")]
    Refused(&'static str, String),
    /// It does not know what is needed.
    #[error("expected a viewer that knows {0}, found one of: {1}")]
    Unable(&'static str, String),
}

/// What is sent.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Sent<'a> {
    Greeting {
        version: &'a str,
        /// Events that are understood.
        commands: &'a [&'a str],
    },
    Command(&'a Command<'a>),
}

#[derive(Serialize)]
#[serde(tag = "command", rename_all = "snake_case")]
enum Command<'a> {
    Load {
        source: &'a str,
    },
    AddVariables {
        variables: &'a [String],
    },
    AddItems {
        items: &'a [String],
        recursive: bool,
    },
    AddMarkers {
        markers: &'a [Marker<'a>],
    },
    SetViewportRange {
        start: u64,
        end: u64,
    },
    SetViewportTo {
        timestamp: u64,
    },
    SetCursor {
        timestamp: u64,
    },
}

#[derive(Serialize)]
struct Marker<'a> {
    time: u64,
    name: &'a str,
    move_focus: bool,
}

impl Command<'_> {
    const fn name(&self) -> &'static str {
        match self {
            Self::Load { .. } => "load",
            Self::AddVariables { .. } => "add_variables",
            Self::AddItems { .. } => "add_items",
            Self::AddMarkers { .. } => "add_markers",
            Self::SetViewportRange { .. } => "set_viewport_range",
            Self::SetViewportTo { .. } => "set_viewport_to",
            Self::SetCursor { .. } => "set_cursor",
        }
    }
}

/// What is received. Fields that are not needed are let pass.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Received {
    Greeting {
        version: String,
        #[serde(default)]
        commands: Vec<String>,
    },
    Response {},
    Error {
        #[serde(default)]
        error: String,
        #[serde(default)]
        message: String,
    },
    Event {
        event: String,
    },
}

/// Shows `dump`, which has the signals of `waves`, in the viewer at `address`: the signals of the groups, and the
/// divergent cycle. `clock` is the path of the design's clock.
///
/// # Errors
/// [`WcpError`].
pub fn show(
    address: &str,
    dump: &Path,
    waves: &Waves,
    clock: Option<&str>,
) -> Result<(), WcpError> {
    let mut viewer = Viewer::connect(address)?;
    let source = dump.display().to_string();
    viewer.command(&Command::Load { source: &source })?;
    viewer.loaded()?;
    let signals: Vec<_> = clock
        .map(str::to_owned)
        .into_iter()
        .chain(
            waves
                .groups
                .iter()
                .flat_map(|group| waves.of(group).map(super::Signal::path)),
        )
        .collect();
    let add = Command::AddVariables {
        variables: &signals,
    };
    let add_items = Command::AddItems {
        items: &signals,
        recursive: false,
    };
    viewer.first_known(&[add, add_items])?;
    let start = waves.time(waves.divergent);
    let around = SEEN * waves.cycle_ticks();
    let range = Command::SetViewportRange {
        start: start.saturating_sub(around),
        end: start + around,
    };
    let middle = Command::SetViewportTo {
        timestamp: start + waves.cycle_ticks() / 2,
    };
    viewer.first_known(&[range, middle])?;
    let markers = [Marker {
        time: start,
        name: "divergence",
        move_focus: false,
    }];
    let marker = Command::AddMarkers { markers: &markers };
    let cursor = Command::SetCursor { timestamp: start };
    // Older viewers know one of them, or none: then the middle of the picture has to do.
    for command in [marker, cursor] {
        if viewer.knows(&command) {
            viewer.command(&command)?;
        }
    }
    Ok(())
}

/// A connection to a viewer.
struct Viewer {
    stream: TcpStream,
    /// Names of the commands that it announces.
    commands: Vec<String>,
    /// What was received of the next messages.
    buffer: Vec<u8>,
    /// The window is loaded.
    loaded: bool,
}

impl Viewer {
    fn connect(address: &str) -> Result<Self, WcpError> {
        let mut failed = io::Error::from(io::ErrorKind::AddrNotAvailable);
        let addresses = address.to_socket_addrs().map_err(WcpError::Connect)?;
        let mut stream = None;
        for address in addresses {
            match TcpStream::connect_timeout(&address, ANSWER) {
                Ok(connected) => {
                    stream = Some(connected);
                    break;
                }
                Err(error) => failed = error,
            }
        }
        let mut viewer = Self {
            stream: stream.ok_or(WcpError::Connect(failed))?,
            commands: Vec::new(),
            buffer: Vec::new(),
            loaded: false,
        };
        const GREETING: &str = "a greeting";
        viewer.send(
            &Sent::Greeting {
                version: VERSION,
                commands: &["waveforms_loaded"],
            },
            GREETING,
        )?;
        match viewer.answer(GREETING)? {
            Received::Greeting { version, commands } if version == VERSION => {
                viewer.commands = commands;
                Ok(viewer)
            }
            Received::Greeting { version, .. } => Err(WcpError::Version(version)),
            _ => Err(WcpError::Strange(GREETING, "another message".to_owned())),
        }
    }

    /// Whether the viewer announces a command. Surfer gives one of them another name there.
    fn knows(&self, command: &Command<'_>) -> bool {
        let name = command.name();
        let other = match name {
            "set_viewport_range" => "set_viewport_range_to",
            name => name,
        };
        self.commands
            .iter()
            .any(|known| known == name || known == other)
    }

    /// Sends the first of the commands that the viewer knows.
    fn first_known(&mut self, commands: &[Command<'_>]) -> Result<(), WcpError> {
        let Some(command) = commands.iter().find(|command| self.knows(command)) else {
            let needed = commands.last().map_or("", Command::name);
            return Err(WcpError::Unable(needed, self.commands.join(", ")));
        };
        self.command(command)
    }

    /// Sends a command and waits for its answer.
    fn command(&mut self, command: &Command<'_>) -> Result<(), WcpError> {
        let name = command.name();
        self.send(&Sent::Command(command), name)?;
        match self.answer(name)? {
            Received::Response {} => Ok(()),
            _ => Err(WcpError::Strange(name, "another message".to_owned())),
        }
    }

    /// Waits until the window is loaded.
    fn loaded(&mut self) -> Result<(), WcpError> {
        const LOADING: &str = "load, an event that the waveform is there";
        let end = Instant::now() + LOAD;
        while !self.loaded {
            match self.message(LOADING, end, LOAD)? {
                Received::Event { event } => self.loaded |= event == "waveforms_loaded",
                Received::Error { error, message } => {
                    return Err(refused(LOADING, &error, message));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The next message that is no event.
    fn answer(&mut self, to: &'static str) -> Result<Received, WcpError> {
        let end = Instant::now() + ANSWER;
        loop {
            match self.message(to, end, ANSWER)? {
                Received::Event { event } => self.loaded |= event == "waveforms_loaded",
                Received::Error { error, message } => return Err(refused(to, &error, message)),
                answer => return Ok(answer),
            }
        }
    }

    fn send(&mut self, message: &Sent<'_>, what: &'static str) -> Result<(), WcpError> {
        let broken = |error: io::Error| WcpError::Broken(what, error);
        let mut text = serde_json::to_vec(message).map_err(|error| broken(error.into()))?;
        text.push(0);
        self.stream
            .set_write_timeout(Some(ANSWER))
            .and_then(|()| self.stream.write_all(&text))
            .map_err(broken)
    }

    /// The next message, if it comes before `end`, which is `limit` after the start.
    fn message(
        &mut self,
        to: &'static str,
        end: Instant,
        limit: Duration,
    ) -> Result<Received, WcpError> {
        let strange = |bytes: &[u8]| {
            let text: String = String::from_utf8_lossy(bytes).chars().take(60).collect();
            WcpError::Strange(to, text.escape_debug().to_string())
        };
        loop {
            if let Some(length) = self.buffer.iter().position(|&byte| byte == 0) {
                let message: Vec<_> = self.buffer.drain(..=length).collect();
                let message = &message[..length];
                return serde_json::from_slice(message).map_err(|_| strange(message));
            }
            if self.buffer.len() > LONGEST {
                return Err(strange(&self.buffer));
            }
            let silent = WcpError::Silent(to, limit.as_secs());
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(silent);
            }
            let mut bytes = [0; 4096];
            let read = self
                .stream
                .set_read_timeout(Some(left))
                .and_then(|()| self.stream.read(&mut bytes));
            match read {
                Ok(0) if !self.buffer.is_empty() => return Err(strange(&self.buffer)),
                Ok(0) => return Err(WcpError::Closed(to)),
                Ok(length) => self.buffer.extend_from_slice(&bytes[..length]),
                Err(error) => match error.kind() {
                    io::ErrorKind::Interrupted => {}
                    io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => return Err(silent),
                    io::ErrorKind::ConnectionReset => return Err(WcpError::Closed(to)),
                    _ => return Err(WcpError::Broken(to, error)),
                },
            }
        }
    }
}

fn refused(what: &'static str, error: &str, message: String) -> WcpError {
    let text = match message.is_empty() {
        true => error.to_owned(),
        false => message,
    };
    WcpError::Refused(what, text.escape_debug().to_string())
}
