//! What is printed: a line a mutant, and a table by class.

use crate::mutant::Class;
use crate::record::{Outcome, Record};
use crate::source::flat;

/// Letters of a source text in a line.
const SHOWN: usize = 72;

/// A mutant in a line.
pub fn line(record: &Record) -> String {
    let (cycle, field, cause) = match &record.outcome {
        Outcome::Alive => ("-".into(), "alive".into(), String::new()),
        Outcome::Stopped { cycle, why } => (cycle.to_string(), "stopped".into(), why.clone()),
        Outcome::Refused { why } => ("-".into(), "refused".into(), flat(why)),
        Outcome::Failed { why } => ("-".into(), "FAILED".into(), why.clone()),
        Outcome::Killed(killed) => {
            let causes = record.causes();
            let verdict = match (causes.len(), record.is_misled()) {
                (0, _) => "",
                (_, true) => "FALSE: ",
                _ if record.is_explained() => "true: ",
                _ => "one of many: ",
            };
            let text = match (&killed.causes[..], causes.first()) {
                ([], Some(repair)) => format!("right with {}", repair.text),
                _ => killed.brief.clone(),
            };
            let cause = format!("{verdict}{text}");
            let place = match (&killed.locations, record.found_at()) {
                (None, _) => String::new(),
                (_, Some(place)) => format!(" place {place}, {:.0} s", killed.seconds),
                (_, None) => format!(" no place, {:.0} s", killed.seconds),
            };
            (
                killed.cycle.to_string(),
                killed.field.clone(),
                format!("{cause}{place}"),
            )
        }
    };
    format!("{}  {cycle:>7}  {field:<22} {cause}", site(record))
}

/// A mutant that was not run, in a line.
pub fn site(record: &Record) -> String {
    let place = format!("{}:{}", record.file, record.line);
    let (before, after) = short(&record.before, &record.after);
    format!(
        "{:>4}  {:<14}  {place:<26}  {before} -> {after}",
        record.number, record.class,
    )
}

/// The table by class, and what was said that is not true.
pub fn print(records: &[Record]) {
    let located = records.iter().any(|record| record.is_located().is_some());
    println!();
    let mut head = format!(
        "{:<14}  {:>5} {:>6} {:>6} {:>9} {:>6}",
        "class", "made", "killed", "alive", "explained", "false"
    );
    if located {
        head += &format!(" {:>8} {:>10}", "located", "one of two");
    }
    println!("{head}");
    for class in Class::ALL {
        let own: Vec<_> = records
            .iter()
            .filter(|record| record.class == class)
            .collect();
        if !own.is_empty() {
            row(&class.to_string(), &own, located);
        }
    }
    row("all", &records.iter().collect::<Vec<_>>(), located);
    let seconds = records.iter().filter_map(Record::killed);
    let mut seconds: Vec<f64> = seconds.map(|killed| killed.seconds).collect();
    seconds.sort_by(f64::total_cmp);
    if let (true, Some(longest)) = (located, seconds.last()) {
        let middle = seconds[seconds.len() / 2];
        println!("\nPlaces took {middle:.0} s in the middle, {longest:.0} s at most.");
    }
    let misled: Vec<_> = records.iter().filter(|record| record.is_misled()).collect();
    if misled.is_empty() {
        println!("\nNo cause that was named is false.");
        return;
    }
    println!("\nNAMED, BUT FALSE: {} of {}", misled.len(), records.len());
    for record in misled {
        println!("{}", site(record));
        for cause in record.causes() {
            if let Some(miss) = cause.miss {
                println!(
                    "        {}: not in cycle {miss} of other stimulus",
                    cause.text
                );
            }
        }
    }
}

fn row(name: &str, records: &[&Record], located: bool) {
    let count =
        |what: &dyn Fn(&Record) -> bool| records.iter().filter(|record| what(record)).count();
    let of_killed = |number: usize| match count(&Record::is_found) {
        0 => "-".to_owned(),
        killed => format!("{number} {:>3}%", 100 * number / killed),
    };
    let is_located = |record: &Record| record.is_located() == Some(true);
    let mut row = format!(
        "{name:<14}  {:>5} {:>6} {:>6} {:>9} {:>6}",
        records.len(),
        count(&Record::is_found),
        count(&|record| matches!(record.outcome, Outcome::Alive)),
        of_killed(count(&Record::is_explained)),
        count(&Record::is_misled),
    );
    if located {
        row += &format!(
            " {:>8} {:>10}",
            of_killed(count(&is_located)),
            of_killed(count(&|record| record.is_explained() || is_located(record)))
        );
    }
    println!("{row}");
}

/// Two texts without what is the same at their beginnings, and no longer than a line has room for.
fn short(before: &str, after: &str) -> (String, String) {
    let same = |(a, b): &(&str, &str)| a == b;
    let (one, other): (Vec<_>, Vec<_>) = (before.split(' ').collect(), after.split(' ').collect());
    let front = one.iter().copied().zip(other.iter().copied());
    let front = front.take_while(same).count();
    // A word of what is the same is left.
    let front = match before.len().max(after.len()) > SHOWN {
        true => front.saturating_sub(1),
        false => 0,
    };
    let cut = |words: &[&str]| {
        let text = words[front.min(words.len())..].join(" ");
        let start = if front > 0 { "… " } else { "" };
        match text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{start}{}…", &text[..end]),
            None => format!("{start}{text}"),
        }
    };
    (cut(&one), cut(&other))
}
