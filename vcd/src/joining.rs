//! Joined signals for sources of other formats.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::changes::Event;
use crate::error::Error;
use crate::header::Header;
use crate::joined::JoinedValues;
use crate::source::Source;

/// Shows the joined signals of a source that shows only those of its file, as [`Stream`](crate::Stream)
/// does by itself: for readers of other formats, whose header comes from declarations as a VCD has them.
///
/// ```
/// use std::ops::ControlFlow;
/// use std::sync::Arc;
/// use lockstep_vcd::{BitsRef, Error, Event, Header, Joining, Slice, Source, ValueRef};
///
/// struct One(Arc<Header>);
///
/// impl Source for One {
///     fn header(&self) -> &Arc<Header> {
///         &self.0
///     }
///
///     fn try_for_each<B>(
///         &mut self,
///         mut visit: impl FnMut(Event<'_>) -> ControlFlow<B>,
///     ) -> Result<ControlFlow<B>, Error> {
///         let one = ValueRef::Bits(BitsRef::new(b"1", 1).expect("a digit"));
///         Ok(visit(Event::Change(self.0.signal(0).expect("a signal"), one)))
///     }
/// }
///
/// let declarations = b"$var wire 1 ! q [1] $end $var wire 1 \" q [0] $end $enddefinitions $end\n";
/// let mut source = Joining::new(One(Slice::new(declarations)?.header().clone()));
/// let mut values = vec![];
/// source.for_each(|event| {
///     if let Event::Change(_, value) = event {
///         values.push(value.to_value().to_string());
///     }
/// })?;
/// assert_eq!(values, ["1'h1", "2'b1x"]);
/// # Ok::<(), lockstep_vcd::Error>(())
/// ```
#[derive(Debug)]
pub struct Joining<S> {
    source: S,
    joined: Option<JoinedValues>,
}

impl<S: Source> Joining<S> {
    /// The same source with joined signals. It must stand at its start.
    pub fn new(source: S) -> Self {
        Self {
            joined: JoinedValues::new(source.header()),
            source,
        }
    }

    /// The source itself.
    pub const fn source(&self) -> &S {
        &self.source
    }

    /// Moves the source: `to` gives the time at which it stands then, None for its start.
    ///
    /// # Errors
    /// That of `to`.
    pub fn jump(
        &mut self,
        to: impl FnOnce(&mut S) -> Result<Option<u64>, Error>,
    ) -> Result<(), Error> {
        let time = to(&mut self.source)?;
        if let Some(joined) = &mut self.joined {
            joined.reset(time.unwrap_or(0), time.is_none());
        }
        Ok(())
    }
}

impl<S: Source> Source for Joining<S> {
    fn header(&self) -> &Arc<Header> {
        self.source.header()
    }

    fn try_for_each<B>(
        &mut self,
        visit: impl FnMut(Event<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, Error> {
        let Self { source, joined } = self;
        let Some(joined) = joined else {
            return source.try_for_each(visit);
        };
        joined.through(visit, |visits| {
            source.try_for_each(|event| visits.event(event))
        })
    }
}
