//! A [`Netlist`] of the tree that Verilator writes of a design (`--json-only`).

mod lost;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::Value;

use lost::Branch;

use super::expression::{Expression, Operator};
use super::netlist::{Condition, Driver, NO_NODE, Netlist, Node, Place, STEP, Scope};
use super::span::Span;

/// Turns of a loop that are followed, at most.
const TURNS: u32 = 1024;
/// Places in a variable that an index may mean, at most.
const PLACES: u32 = 256;
/// Steps of a block that are told apart, at most.
const STEPS: usize = 512;
/// Lines without anything behind a statement in which one may have been lost, at most.
const GAP: u32 = 8;
/// Functions within functions that are followed, at most.
const DEPTH: u32 = 8;

/// A name for a thing in the tree.
type Address = String;

/// Why a tree cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum NetlistError {
    /// It is no JSON.
    #[error("[design tree] expected JSON as `verilator --json-only` writes it, found: {0}")]
    Json(#[from] serde_json::Error),
    /// It has no such module.
    #[error("[design tree] expected a module {0}, found none")]
    Top(String),
}

impl Netlist {
    /// Reads a tree, and the files that are named in it.
    ///
    /// # Errors
    /// [`NetlistError`].
    pub fn read(tree: &[u8], meta: &[u8], top: &str) -> Result<Self, NetlistError> {
        let tree: Value = serde_json::from_slice(tree)?;
        let meta: Value = serde_json::from_slice(meta)?;
        let mut reader = Reader {
            meta: Some(&meta),
            ..Reader::default()
        };
        reader.types(&tree);
        for module in list(&tree, "modulesp") {
            note_lines(module, &mut reader.used_lines);
            reader.functions(module);
        }
        let modules = list(&tree, "modulesp").iter().map(|module| {
            let address = text(module, "addr").to_owned();
            (address, reader.module(module))
        });
        let modules: HashMap<Address, Module> = modules.collect();
        let first = list(&tree, "modulesp")
            .iter()
            .find(|module| text(module, "name") == top)
            .ok_or_else(|| NetlistError::Top(top.to_owned()))?;
        let mut netlist = Self {
            places: std::mem::take(&mut reader.places),
            nodes: std::mem::take(&mut reader.nodes),
            names: std::mem::take(&mut reader.names),
            ..Self::default()
        };
        netlist.instance(&modules, &modules[text(first, "addr")], top);
        netlist.driven_by = vec![Vec::new(); netlist.signals.len()];
        for (number, driver) in netlist.drivers.iter().enumerate() {
            netlist.driven_by[driver.target.signal as usize].push(number as u32);
        }
        Ok(netlist)
    }

    /// Adds an instance of a module; the number of its first signal.
    fn instance(&mut self, modules: &HashMap<Address, Module>, module: &Module, path: &str) -> u32 {
        let base = self.signals.len() as u32;
        let names = module.signals.iter().map(|name| format!("{path}.{name}"));
        self.signals.extend(names);
        self.widths.extend(&module.widths);
        let scopes = self.scopes.len() as u32;
        let inner = module.scopes.iter().map(|scope| Scope {
            around: scope.around.map(|around| around + scopes),
            signals: scope
                .signals
                .iter()
                .map(|(name, signal)| (*name, signal + base))
                .collect(),
        });
        self.scopes.extend(inner);
        let here = |span: &Span| Span {
            signal: span.signal + base,
            ..*span
        };
        for driver in &module.drivers {
            let many = |all: &[Expression]| all.iter().map(|one| one.at(base)).collect();
            let conditions = driver.conditions.iter().map(|condition| Condition {
                value: condition.value.at(base),
                is: many(&condition.is),
                not: many(&condition.not),
                place: condition.place,
            });
            self.drivers.push(Driver {
                target: here(&driver.target),
                value: driver.value.at(base),
                conditions: conditions.collect(),
                scope: driver.scope + scopes,
                steps: driver
                    .steps
                    .iter()
                    .map(|(of, now)| (of + base, now + base))
                    .collect(),
                ..*driver
            });
        }
        for cell in &module.cells {
            let Some(of) = modules.get(&cell.module) else {
                continue;
            };
            let inner = self.instance(modules, of, &format!("{path}.{}", cell.name));
            for pin in &cell.pins {
                let Some(port) = of.numbers.get(&pin.port) else {
                    continue;
                };
                let port = Span::whole(inner + port.first);
                let whole = |span| Expression::Bits {
                    span,
                    width: u32::MAX,
                };
                let targets: Vec<_> = match of.outputs.contains(&pin.port) {
                    true => pin
                        .targets
                        .iter()
                        .map(|target| (here(&target.span), target.value(&whole(port))))
                        .collect(),
                    false => vec![(port, pin.value.at(base))],
                };
                let drivers = targets.into_iter().map(|(target, value)| Driver {
                    target,
                    value,
                    conditions: Vec::new(),
                    place: pin.place,
                    block: pin.place,
                    clocked: false,
                    node: pin.node,
                    scope: scopes + pin.scope,
                    steps: Vec::new(),
                    is_lost: false,
                });
                self.drivers.extend(drivers);
            }
        }
        base
    }
}

/// The signals of a variable: one, or those of an array.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    first: u32,
    count: u32,
}

/// A module by itself.
#[derive(Debug, Default)]
struct Module {
    signals: Vec<String>,
    widths: Vec<u32>,
    scopes: Vec<Scope>,
    /// The scope of a block, by its name from the module on.
    blocks: HashMap<String, u32>,
    numbers: HashMap<Address, Numbers>,
    outputs: HashSet<Address>,
    drivers: Vec<Driver>,
    cells: Vec<Cell>,
}

/// An instance in a module.
#[derive(Debug)]
struct Cell {
    name: String,
    module: Address,
    pins: Vec<Pin>,
}

/// A connection of a port.
#[derive(Debug)]
struct Pin {
    port: Address,
    targets: Vec<Target>,
    value: Expression,
    place: u32,
    node: u32,
    scope: u32,
}

/// What an expression on the left sets.
#[derive(Clone, Debug)]
struct Target {
    span: Span,
    /// The index that it has, and what has to be that.
    index: Option<(Expression, u64)>,
    /// Which bits of the value it gets: the lowest, and how many; none for all.
    part: Option<(u32, u32)>,
}

impl Target {
    const fn whole(span: Span) -> Self {
        Self {
            span,
            index: None,
            part: None,
        }
    }

    /// What it gets of a value.
    fn value(&self, value: &Expression) -> Expression {
        match self.part {
            Some((low, width)) => value.part(low, width),
            None => value.clone(),
        }
    }
}

/// The nodes below a node in one of its places.
fn list<'v>(node: &'v Value, key: &str) -> &'v [Value] {
    node.get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn text<'v>(node: &'v Value, key: &str) -> &'v str {
    node.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The variables that an expression on the left sets.
fn variables_set<'v>(node: &'v Value, set: &mut Vec<&'v str>) {
    match kind(node) {
        "VARREF" | "VARXREF" => set.push(text(node, "varp")),
        "CONCAT" | "REPLICATE" => ["lhsp", "rhsp", "srcp"]
            .iter()
            .flat_map(|key| list(node, key))
            .for_each(|one| variables_set(one, set)),
        _ => list(node, "fromp")
            .iter()
            .for_each(|one| variables_set(one, set)),
    }
}

/// Variables of one number that statements set after they read them, none of which has a step yet.
fn set_after_read<'v>(statements: &'v [Value], out: &Module) -> BTreeMap<&'v str, Option<Step>> {
    let (mut read, mut found) = (HashSet::new(), BTreeSet::new());
    for statement in statements {
        find_set_after_read(statement, &mut read, &mut found);
    }
    let is_one = |name: &&str| out.numbers.get(*name).is_some_and(|of| of.count == 1);
    let found = found.into_iter().filter(is_one);
    found.map(|name| (name, None)).collect()
}

fn find_set_after_read<'v>(
    node: &'v Value,
    read: &mut HashSet<&'v str>,
    found: &mut BTreeSet<&'v str>,
) {
    match kind(node) {
        "ASSIGN" => {
            list(node, "rhsp")
                .iter()
                .for_each(|one| find_set_after_read(one, read, found));
            let mut set = Vec::new();
            list(node, "lhsp")
                .iter()
                .for_each(|one| variables_set(one, &mut set));
            found.extend(set.into_iter().filter(|name| read.contains(name)));
        }
        "VARREF" | "VARXREF" => drop(read.insert(text(node, "varp"))),
        // What a turn sets, the next one may read.
        "LOOP" => {
            for child in children(node).chain(children(node)) {
                find_set_after_read(child, read, found);
            }
        }
        _ => {
            for child in children(node) {
                find_set_after_read(child, read, found);
            }
        }
    }
}

/// The line in which a node begins.
fn line(node: &Value) -> Option<u32> {
    file_and_line(node).map(|(_, line)| line)
}

/// The letters of its file, and the line in it.
fn file_and_line(node: &Value) -> Option<(&str, u32)> {
    let mut parts = text(node, "loc").split([',', ':']);
    Some((parts.next()?, parts.next()?.parse().ok()?))
}

fn kind(node: &Value) -> &str {
    text(node, "type")
}

/// The letters of the file of nodes, and their first and last line, with all that is below them.
fn lines_of<'v>(nodes: &[&'v Value]) -> (&'v str, (u32, u32)) {
    let mut lines = None;
    let mut file = "";
    let mut left: Vec<&Value> = nodes.to_vec();
    while let Some(node) = left.pop() {
        if let Some((of, line)) = file_and_line(node) {
            if lines.is_none() {
                file = of;
            }
            // What comes of a macro or a folded constant may stand elsewhere.
            if of == file {
                let (first, last) = lines.unwrap_or((line, line));
                lines = Some((line.min(first), line.max(last)));
            }
        }
        // Constants keep the place where they were made.
        left.extend(children(node).filter(|node| kind(node) != "CONST"));
    }
    (file, lines.unwrap_or_default())
}

/// Notes the lines in which a node or one below it begins, by the letters of the file.
fn note_lines<'v>(node: &'v Value, used: &mut HashMap<&'v str, BTreeSet<u32>>) {
    if let Some((file, line)) = file_and_line(node) {
        used.entry(file).or_default().insert(line);
    }
    for child in children(node) {
        note_lines(child, used);
    }
}

/// All nodes below a node.
fn children(node: &Value) -> impl Iterator<Item = &Value> {
    let fields = node.as_object().into_iter().flatten();
    let lists = fields.filter_map(|(_, value)| value.as_array()).flatten();
    lists.filter(|value| value.is_object())
}

/// A constant, as `12'h540` or `32'sh10`.
fn number(node: &Value) -> Option<u64> {
    u64::from_str_radix(digits(node)?, 16).ok()
}

/// The hexadecimal digits of a constant.
fn digits(node: &Value) -> Option<&str> {
    if kind(node) != "CONST" {
        return None;
    }
    let digits = text(node, "name").split_once('\'')?.1;
    digits.trim_start_matches('s').strip_prefix('h')
}

#[derive(Default)]
struct Reader<'v> {
    meta: Option<&'v Value>,
    /// Elements of arrays, by type.
    elements: HashMap<Address, u32>,
    /// Bits, by type.
    widths: HashMap<Address, u32>,
    places: Vec<Place>,
    known: HashMap<Place, u32>,
    /// Lines in which something begins, by the letters of the file.
    used_lines: HashMap<&'v str, BTreeSet<u32>>,
    /// Constants with names, and what those are that are not folded yet.
    constants: HashMap<String, u32>,
    parameters: HashMap<&'v str, &'v Value>,
    nodes: Vec<Node>,
    /// Nodes by where they stand, what they are and what they are called.
    node_numbers: HashMap<(&'v str, &'v str, &'v str), u32>,
    /// Statements that may be lost, by where, what they set, and to what.
    lost_numbers: HashMap<(u32, String, Option<u64>), u32>,
    names: Vec<String>,
    name_numbers: HashMap<String, u32>,
    bodies: HashMap<&'v str, &'v Value>,
    /// What variables of loops and functions are.
    locals: HashMap<&'v str, Expression>,
    /// Variables that count loops.
    counters: HashSet<&'v str>,
    /// Variables of the block that is read which are set again after they are read, and what they are now.
    steps: BTreeMap<&'v str, Option<Step>>,
    steps_made: usize,
    /// The statement that is read.
    statement: Option<u32>,
    /// How many functions are open.
    depth: u32,
}

/// What a variable is between two statements of a block: a signal of its own.
#[derive(Clone, Copy)]
struct Step {
    signal: u32,
    /// That of the variable itself.
    of: u32,
    /// The statement that set it.
    place: u32,
    block: u32,
}

impl<'v> Reader<'v> {
    fn types(&mut self, tree: &'v Value) {
        for table in list(tree, "miscsp") {
            for of in list(table, "typesp") {
                if kind(of) == "BASICDTYPE" {
                    let width = match (text(of, "range").split_once(':'), text(of, "keyword")) {
                        (Some((left, right)), _) => {
                            let end = |text: &str| text.parse::<u32>().unwrap_or(0);
                            end(left).abs_diff(end(right)) + 1
                        }
                        (None, "logic" | "bit" | "reg") => 1,
                        _ => continue,
                    };
                    self.widths.insert(text(of, "addr").to_owned(), width);
                }
                if kind(of) != "UNPACKARRAYDTYPE" {
                    continue;
                }
                let range = text(of, "declRange").trim_matches(['[', ']']);
                let ends = range.split_once(':').and_then(|(left, right)| {
                    let left: i64 = left.parse().ok()?;
                    let right: i64 = right.parse().ok()?;
                    Some(left.abs_diff(right) as u32 + 1)
                });
                if let Some(count) = ends {
                    self.elements.insert(text(of, "addr").to_owned(), count);
                }
            }
        }
    }

    /// Where functions and constants with names are.
    fn functions(&mut self, node: &'v Value) {
        for child in children(node) {
            match kind(child) {
                "FUNC" | "TASK" => {
                    self.bodies.insert(text(child, "addr"), child);
                }
                "VAR" if child.get("isParam").is_some() => {
                    let place = self.place(&[child]);
                    self.constants
                        .entry(text(child, "name").to_owned())
                        .or_insert(place);
                    if let Some(value) = list(child, "valuep").first() {
                        self.parameters.insert(text(child, "addr"), value);
                    }
                }
                _ => self.functions(child),
            }
        }
    }

    /// Adds something unknown for every statement and condition of a function.
    fn lines_of_function(&mut self, node: &'v Value, lines: &mut Vec<Expression>) {
        for child in children(node) {
            let is_set = || list(child, "rhsp").iter().any(|of| kind(of) != "CRESET");
            let stands = match kind(child) {
                "ASSIGN" if is_set() => Some(child),
                "IF" => list(child, "condp").first(),
                "CASE" => list(child, "exprp").first(),
                _ => None,
            };
            if let Some(stands) = stands {
                let place = self.place(&[stands]);
                lines.push(Expression::Node {
                    node: self.node_at((text(stands, "loc"), "LINE", ""), place, 0),
                    of: Box::new(Expression::Other(Vec::new())),
                });
            }
            self.lines_of_function(child, lines);
        }
    }

    /// The lines of nodes, with all that is below them.
    fn place(&mut self, nodes: &[&Value]) -> u32 {
        let (file, (first, last)) = lines_of(nodes);
        self.lines(file, first, last)
    }

    /// Lines of the file with these letters.
    fn lines(&mut self, file: &str, first: u32, last: u32) -> u32 {
        let name = self.meta.and_then(|meta| meta.get("files")?.get(file));
        let name = name.map_or(file, |name| text(name, "filename"));
        self.known_place(Place {
            file: name.to_owned(),
            first,
            last,
        })
    }

    /// The number of lines.
    fn known_place(&mut self, place: Place) -> u32 {
        let next = self.places.len() as u32;
        *self.known.entry(place.clone()).or_insert_with(|| {
            self.places.push(place);
            next
        })
    }

    fn module(&mut self, module: &'v Value) -> Module {
        let mut out = Module::default();
        out.block("", None);
        self.variables(module, "", &mut out);
        self.items(module, "", &mut out);
        out
    }

    /// Variables come first: an array of generated blocks is read before it is declared.
    fn variables(&mut self, node: &'v Value, prefix: &str, out: &mut Module) {
        for child in children(node) {
            match kind(child) {
                "VAR" => {
                    let name = format!("{prefix}{}", text(child, "name"));
                    let first = out.signals.len() as u32;
                    let elements = self.elements.get(text(child, "dtypep"));
                    match elements {
                        Some(&count) => out
                            .signals
                            .extend((0..count).map(|at| format!("{name}[{at}]"))),
                        None => out.signals.push(name),
                    }
                    let width = self.widths.get(text(child, "dtypep")).copied();
                    out.widths
                        .resize(out.signals.len(), width.unwrap_or(u32::MAX));
                    let is_constant = child.get("isParam").is_some();
                    if elements.is_none() && width.is_some() && !is_constant {
                        let number = self.name(text(child, "name"));
                        let scope = out.blocks[prefix] as usize;
                        out.scopes[scope].signals.insert(number, first);
                    }
                    let count = out.signals.len() as u32 - first;
                    let address = text(child, "addr").to_owned();
                    if text(child, "direction") == "OUTPUT" {
                        out.outputs.insert(address.clone());
                    }
                    out.numbers.insert(address, Numbers { first, count });
                }
                "FUNC" | "TASK" => {}
                "GENBLOCK" | "BEGIN" if !text(child, "name").is_empty() => {
                    let inner = format!("{prefix}{}.", text(child, "name"));
                    out.block(&inner, Some(prefix));
                    self.variables(child, &inner, out);
                }
                _ => self.variables(child, prefix, out),
            }
        }
    }

    fn items(&mut self, node: &'v Value, prefix: &str, out: &mut Module) {
        for child in children(node) {
            match kind(child) {
                "GENBLOCK" => {
                    let name = text(child, "name");
                    let inner = match name.is_empty() {
                        true => prefix.to_owned(),
                        false => format!("{prefix}{name}."),
                    };
                    self.items(child, &inner, out);
                }
                "CELL" => {
                    let pins = list(child, "pinsp").iter().map(|pin| {
                        let place = self.place(&[pin]);
                        self.statement = Some(place);
                        let expression = list(pin, "exprp").first();
                        let targets = expression
                            .map(|of| self.targets(of, out, &mut Vec::new()))
                            .unwrap_or_default();
                        let value = expression.map(|of| self.value(of, out));
                        Pin {
                            port: text(pin, "modVarp").to_owned(),
                            targets,
                            value: value.unwrap_or(Expression::Other(Vec::new())),
                            place,
                            node: self.node(pin, place, u32::MAX),
                            scope: out.scope(prefix),
                        }
                    });
                    let cell = Cell {
                        name: format!("{prefix}{}", text(child, "name")),
                        module: text(child, "modp").to_owned(),
                        pins: pins.collect(),
                    };
                    out.cells.push(cell);
                }
                "ALWAYS" | "ALWAYSPOST" | "ALWAYSPUBLIC" => {
                    let clocked = list(child, "sentreep")
                        .iter()
                        .flat_map(|tree| list(tree, "sensesp"))
                        .any(|item| matches!(text(item, "edgeType"), "POS" | "NEG" | "BOTH"));
                    let mut at = At::new(clocked, prefix, out);
                    let statements = list(child, "stmtsp");
                    if !clocked {
                        self.steps = set_after_read(statements, out);
                        self.steps_made = 0;
                    }
                    self.block(statements, &mut at, out);
                    self.last_steps(at.scope, out);
                }
                "ASSIGNW" => self.statement(child, &mut At::new(false, prefix, out), out),
                // A constant that is assigned; what is before a reset is of no matter.
                "INITIAL" => {
                    let mut at = At::new(false, prefix, out);
                    let all = list(child, "stmtsp").iter();
                    for statement in all.filter(|one| kind(one) == "ASSIGN") {
                        self.statement(statement, &mut at, out);
                    }
                }
                _ => {}
            }
        }
    }

    fn statement(&mut self, node: &'v Value, at: &mut At, out: &mut Module) {
        match kind(node) {
            "ASSIGN" | "ASSIGNW" | "ASSIGNDLY" => {
                if let Some(counter) = self.counter(node) {
                    let right = list(node, "rhsp").first();
                    let value = right.map(|of| self.value(of, out));
                    self.set(counter, value);
                    return;
                }
                let place = self.place(&[node]);
                let block = self.from(at.block.take(), place);
                self.statement = Some(place);
                let mut found = Vec::new();
                let right = list(node, "rhsp").first();
                let value = right.map(|right| self.value(right, out));
                let mut targets = Vec::new();
                for left in list(node, "lhsp") {
                    targets.extend(self.targets(left, out, &mut found));
                }
                let statement = self.node(node, place, 0);
                let value = value.unwrap_or(Expression::Other(Vec::new()));
                let value = match found.is_empty() {
                    true => value,
                    false => Expression::Other([value].into_iter().chain(found).collect()),
                };
                let steps = self.now();
                for left in list(node, "lhsp") {
                    self.step(left, (place, block), at.scope, &mut targets, out);
                }
                out.drivers.extend(targets.into_iter().map(|target| {
                    let mut conditions = at.conditions.clone();
                    conditions.extend(target.index.clone().map(|(value, is)| Condition {
                        value,
                        is: vec![Expression::Constant(is)],
                        not: Vec::new(),
                        place,
                    }));
                    Driver {
                        target: target.span,
                        value: target.value(&value),
                        conditions,
                        place,
                        block,
                        clocked: at.clocked,
                        node: statement,
                        scope: at.scope,
                        steps: steps.clone(),
                        is_lost: false,
                    }
                }));
            }
            "IF" => {
                at.block = None;
                let of: Vec<_> = list(node, "condp").iter().collect();
                let zero = vec![Expression::Constant(0)];
                let (then, other) = (Vec::new(), zero.clone());
                // Both ask what is before either branch.
                let keys = [("thensp", then, zero), ("elsesp", other, Vec::new())];
                let keys = keys.map(|(key, is, not)| (key, self.condition(&of, (is, not), out)));
                let mut branches = Vec::new();
                let mut before = 0;
                for (key, condition) in keys {
                    at.conditions.push(condition);
                    let first = out.drivers.len();
                    self.block(list(node, key), at, out);
                    let condition = at.conditions.pop();
                    // What stands before the first statement and behind the last may be what was lost.
                    let all: Vec<_> = of.iter().copied().chain(list(node, key)).collect();
                    let place;
                    (place, before) = self.beyond(&all, before);
                    branches.push(Branch {
                        condition,
                        drivers: first..out.drivers.len(),
                        place,
                    });
                }
                // Registers that a reset does not set. What is left of one without a statement may be its opposite. What
                // a reset alone sets may have been set otherwise.
                let without = branches.iter().position(|branch| branch.drivers.is_empty());
                let of = match without {
                    // Without a clock it is usual that nothing is done otherwise.
                    Some(without) if at.clocked || without == 0 => vec![without],
                    _ if !at.clocked => Vec::new(),
                    None if at.conditions.is_empty() => vec![0, 1],
                    _ => vec![0],
                };
                self.lost(&branches, &of, at, out);
            }
            "CASE" => {
                at.block = None;
                let of: Vec<_> = list(node, "exprp").iter().collect();
                let mut items = Vec::new();
                for item in list(node, "itemsp") {
                    let own: Vec<_> = list(item, "condsp").iter().collect();
                    if !own.is_empty() {
                        self.statement = Some(self.place(&own));
                    }
                    let mut is = Vec::new();
                    for one in own {
                        is.push(self.value(one, out));
                    }
                    items.push((item, is));
                }
                // The first that is it is taken.
                let mut before: Vec<Expression> = Vec::new();
                let all: Vec<_> = items.iter().flat_map(|(_, is)| is.clone()).collect();
                // Every one asks what is before all of them.
                let mut conditions = Vec::new();
                for (item, is) in items {
                    let is_default = is.is_empty();
                    let not = match is_default {
                        true => all.clone(),
                        false => before.clone(),
                    };
                    before.extend(is.clone());
                    conditions.push((item, self.condition(&of, (is, not), out)));
                }
                let mut branches = Vec::new();
                for (item, condition) in conditions {
                    at.conditions.push(condition);
                    let own: Vec<_> = list(item, "condsp").iter().collect();
                    if !own.is_empty() {
                        // Its lines alone.
                        let place = self.place(&own);
                        at.conditions.push(Condition {
                            value: Expression::Constant(0),
                            is: Vec::new(),
                            not: Vec::new(),
                            place,
                        });
                    }
                    let first = out.drivers.len();
                    self.block(list(item, "stmtsp"), at, out);
                    if !own.is_empty() {
                        at.conditions.pop();
                    }
                    let condition = at.conditions.pop();
                    let all: Vec<_> = match own.is_empty() {
                        true => vec![item],
                        false => own.into_iter().chain(list(item, "stmtsp")).collect(),
                    };
                    let (place, _) = self.beyond(&all, 0);
                    branches.push(Branch {
                        condition,
                        drivers: first..out.drivers.len(),
                        place,
                    });
                }
                if !at.clocked {
                    let rows: Vec<_> = (0..branches.len()).collect();
                    self.lost(&branches, &rows, at, out);
                }
            }
            "VAR" | "LOOPTEST" => {}
            "LOOP" => {
                if !self.unroll(node, |reader, statement| {
                    reader.statement(statement, at, out);
                }) {
                    for child in children(node) {
                        self.statement(child, at, out);
                    }
                }
            }
            _ => {
                at.block = line(node);
                self.block(children(node), at, out);
                at.block = None;
            }
        }
    }

    /// The lines of a statement, and those from the one on in which its block begins.
    fn from(&mut self, block: Option<u32>, place: u32) -> u32 {
        let mut lines = self.places[place as usize].clone();
        match block {
            Some(first) if first < lines.first => {
                lines.first = first;
                self.known_place(lines)
            }
            _ => place,
        }
    }

    /// The lines of nodes behind line `before`, and those up to the next one with something else.
    fn beyond(&mut self, nodes: &[&Value], before: u32) -> (u32, u32) {
        let (file, (first, last)) = lines_of(nodes);
        let used = self.used_lines.get(file);
        let next = used.and_then(|used| used.range(last + 1..).next());
        let last = next.map_or(last, |next| (next - 1).min(last + GAP));
        (
            self.lines(file, first.max(before + 1).min(last), last),
            last,
        )
    }

    /// Statements one after the other: what counts a loop is set before it.
    fn block(
        &mut self,
        statements: impl IntoIterator<Item = &'v Value>,
        at: &mut At,
        out: &mut Module,
    ) {
        let all: Vec<_> = statements.into_iter().collect();
        let loops = all.iter().filter(|child| kind(child) == "LOOP");
        let counters: Vec<_> = loops.flat_map(|of| counters_of(of)).collect();
        self.counters.extend(counters.iter().copied());
        for child in all {
            self.statement(child, at, out);
        }
        for counter in counters {
            self.counters.remove(counter);
            self.locals.remove(counter);
        }
    }

    /// What variables are now that are something else later.
    fn now(&self) -> Vec<(u32, u32)> {
        let steps = self.steps.values().flatten();
        steps.map(|step| (step.of, step.signal)).collect()
    }

    /// Makes signals of what the variables on the left of an assignment are from now on, and `targets` set these.
    fn step(
        &mut self,
        left: &'v Value,
        (place, block): (u32, u32),
        scope: u32,
        targets: &mut [Target],
        out: &mut Module,
    ) {
        let mut set = Vec::new();
        variables_set(left, &mut set);
        for variable in set {
            let (Some(&before), Some(numbers)) =
                (self.steps.get(variable), out.numbers.get(variable))
            else {
                continue;
            };
            if self.steps_made >= STEPS {
                continue;
            }
            self.steps_made += 1;
            let of = numbers.first;
            let signal = out.signals.len() as u32;
            let name = format!("{}{STEP}{signal}", out.signals[of as usize]);
            out.signals.push(name);
            out.widths.push(out.widths[of as usize]);
            let now = before.map_or(of, |before| before.signal);
            for target in targets.iter_mut() {
                if target.span.signal == now {
                    target.span.signal = signal;
                }
            }
            let step = Step {
                signal,
                of,
                place,
                block,
            };
            // What is not set stays.
            if let Some(before) = before {
                out.hand_on(before.signal, &step, scope);
            }
            self.steps.insert(variable, Some(step));
        }
    }

    /// At the end of a block, its variables are what they were last.
    fn last_steps(&mut self, scope: u32, out: &mut Module) {
        for step in std::mem::take(&mut self.steps).into_values().flatten() {
            let last = Step {
                signal: step.of,
                ..step
            };
            out.hand_on(step.signal, &last, scope);
        }
    }

    /// The variable of a loop that a statement sets.
    fn counter(&self, node: &'v Value) -> Option<&'v str> {
        let left = list(node, "lhsp").first()?;
        let name = text(left, "varp");
        (kind(left) == "VARREF" && self.counters.contains(name)).then_some(name)
    }

    fn set(&mut self, local: &'v str, value: Option<Expression>) {
        let value = value.unwrap_or(Expression::Other(Vec::new()));
        // What is known is not computed again.
        let value = match value.constant() {
            Some(known) => Expression::Constant(known),
            None => value,
        };
        self.locals.insert(local, value);
    }

    /// Goes through a loop as often as it runs, if that is known.
    fn unroll(&mut self, node: &'v Value, mut each: impl FnMut(&mut Self, &'v Value)) -> bool {
        let nothing = Module::default();
        for turn in 0..TURNS {
            for statement in list(node, "stmtsp") {
                if kind(statement) == "LOOPTEST" {
                    let test = list(statement, "condp").first();
                    let test = test.map(|of| self.value(of, &nothing));
                    match test.and_then(|test| test.constant()) {
                        Some(0) => return true,
                        Some(_) => continue,
                        None if turn == 0 => return false,
                        None => return true,
                    }
                }
                each(self, statement);
            }
        }
        true
    }

    fn condition(
        &mut self,
        of: &[&'v Value],
        (is, not): (Vec<Expression>, Vec<Expression>),
        out: &Module,
    ) -> Condition {
        let place = self.place(of);
        self.statement = Some(place);
        let value = of.first().map(|of| self.value(of, out));
        Condition {
            value: value.unwrap_or(Expression::Other(Vec::new())),
            is,
            not,
            place,
        }
    }

    /// What an expression on the left sets; its indices are read.
    fn targets(
        &mut self,
        node: &'v Value,
        out: &Module,
        found: &mut Vec<Expression>,
    ) -> Vec<Target> {
        match kind(node) {
            "CONCAT" => {
                let mut targets = Vec::new();
                let mut low = Some(0);
                // The lowest bits stand last.
                for key in ["rhsp", "lhsp"] {
                    for child in list(node, key) {
                        let width = self.widths.get(text(child, "dtypep")).copied();
                        for mut target in self.targets(child, out, found) {
                            target.part = low.and_then(|low| {
                                let (within, width) = target.part.or(Some((0, width?)))?;
                                Some((low + within, width))
                            });
                            targets.push(target);
                        }
                        low = low.and_then(|low| Some(low + width?));
                    }
                }
                targets
            }
            // Before constants are folded, braces are one copy of what is in them.
            "REPLICATE" => {
                let of = list(node, "srcp").iter();
                of.flat_map(|of| self.targets(of, out, found)).collect()
            }
            "VARREF" | "VARXREF" | "SEL" | "ARRAYSEL" | "STRUCTSEL" => {
                self.selected(node, out, found)
            }
            _ => Vec::new(),
        }
    }

    /// What is selected on the left: with an index that is known only as the design runs, all that it may be.
    fn selected(
        &mut self,
        node: &'v Value,
        out: &Module,
        found: &mut Vec<Expression>,
    ) -> Vec<Target> {
        let from = list(node, "fromp").first();
        let key = match kind(node) {
            "SEL" => "lsbp",
            "ARRAYSEL" => "bitp",
            _ => {
                let spans = self.spans(node, out, found);
                return spans.into_iter().map(Target::whole).collect();
            }
        };
        let index = list(node, key).first();
        let index = index.map(|index| self.value(index, out));
        let (Some(from), Some(index)) = (from, index) else {
            return Vec::new();
        };
        if index.constant().is_some() {
            let spans = self.spans(node, out, found);
            return spans.into_iter().map(Target::whole).collect();
        }
        let all = self.spans(from, out, &mut Vec::new());
        let width = node.get("widthConst").and_then(Value::as_u64);
        let of = self.widths.get(text(from, "dtypep")).copied();
        let each = |span: Span, at: u64| Target {
            span,
            index: Some((index.clone(), at)),
            part: None,
        };
        match (kind(node), all.as_slice(), width, of) {
            ("ARRAYSEL", [_, _, ..], ..) => {
                all.into_iter().zip(0..).map(|(s, n)| each(s, n)).collect()
            }
            ("SEL", [span], Some(width), Some(of)) if of <= PLACES * width as u32 => {
                let width = width as u32;
                let lows = (0..=of.saturating_sub(width)).step_by(width as usize);
                let span = |low| Span {
                    signal: span.signal,
                    low: span.low + low,
                    width,
                };
                lows.map(|low| each(span(low), low.into())).collect()
            }
            _ => {
                let spans = self.spans(node, out, found);
                spans.into_iter().map(Target::whole).collect()
            }
        }
    }

    /// The bits of a variable that an expression selects, as far as constants tell; other indices are read.
    fn spans(&mut self, node: &'v Value, out: &Module, found: &mut Vec<Expression>) -> Vec<Span> {
        let from = list(node, "fromp").first();
        match (kind(node), from) {
            ("VARREF" | "VARXREF", _) => {
                if let Some(Some(step)) = self.steps.get(text(node, "varp")) {
                    return vec![Span::whole(step.signal)];
                }
                let numbers = out.numbers.get(text(node, "varp"));
                let numbers =
                    numbers.map_or(0..0, |numbers| numbers.first..numbers.first + numbers.count);
                numbers.map(Span::whole).collect()
            }
            ("SEL", Some(from)) => {
                let low = list(node, "lsbp").first();
                let low = low.map(|low| self.value(low, out));
                let constant = low.as_ref().and_then(|low| low.constant());
                if constant.is_none() {
                    found.extend(low);
                }
                let width = node.get("widthConst").and_then(Value::as_u64);
                let narrow = |span: Span| match (constant, width) {
                    (Some(low), Some(width)) => Span {
                        signal: span.signal,
                        low: span.low + low as u32,
                        width: (width as u32).min(span.width),
                    },
                    _ => span,
                };
                let spans = self.spans(from, out, found);
                spans.into_iter().map(narrow).collect()
            }
            ("ARRAYSEL", Some(from)) => {
                let at = list(node, "bitp").first();
                let spans = self.spans(from, out, found);
                let at = at.map(|at| self.value(at, out));
                match at.as_ref().and_then(|at| at.constant()) {
                    Some(at) => spans.into_iter().skip(at as usize).take(1).collect(),
                    None => {
                        found.extend(at);
                        spans
                    }
                }
            }
            (_, Some(from)) => self.spans(from, out, found),
            _ => Vec::new(),
        }
    }

    /// The number of a node, which its copies share.
    fn node(&mut self, node: &'v Value, place: u32, width: u32) -> u32 {
        self.node_at(
            (text(node, "loc"), kind(node), text(node, "name")),
            place,
            width,
        )
    }

    fn node_at(&mut self, key: (&'v str, &'v str, &'v str), place: u32, width: u32) -> u32 {
        let next = self.nodes.len() as u32;
        *self.node_numbers.entry(key).or_insert_with(|| {
            self.nodes.push(Node { place, width });
            next
        })
    }

    /// An expression, with the node that it comes of.
    fn value(&mut self, node: &'v Value, out: &Module) -> Expression {
        let value = self.of(node, out);
        let width = self.widths.get(text(node, "dtypep")).copied();
        let place = self.statement;
        match (place, &value) {
            (Some(place), value) if !matches!(value, Expression::Other(_)) => {
                let number = self.node(node, place, width.unwrap_or(u32::MAX));
                Expression::Node {
                    node: number,
                    of: Box::new(value.clone()),
                }
            }
            _ => value,
        }
    }

    fn of(&mut self, node: &'v Value, out: &Module) -> Expression {
        let width = self.widths.get(text(node, "dtypep")).copied();
        let width = width.unwrap_or(u32::MAX);
        match kind(node) {
            "CONST" => self.constant(number(node), text(node, "origParamName"), width),
            "VARREF" | "VARXREF" if self.parameters.contains_key(text(node, "varp")) => {
                let of = self.parameters[text(node, "varp")];
                let value = number(of).or_else(|| self.value(of, out).constant());
                self.constant(value, text(node, "name"), width)
            }
            "VARREF" | "VARXREF" if self.locals.contains_key(text(node, "varp")) => {
                self.locals[text(node, "varp")].clone()
            }
            "VARREF" | "VARXREF" => {
                let spans = self.spans(node, out, &mut Vec::new());
                let bits = |span| Expression::Bits { span, width };
                match spans.as_slice() {
                    [span] => bits(*span),
                    _ => Expression::Other(spans.into_iter().map(bits).collect()),
                }
            }
            "SEL" => {
                let of = node.get("widthConst").and_then(Value::as_u64);
                if let Some(value) = self.bits_of_constant(node, out) {
                    return Expression::Constant(value);
                }
                match (
                    self.boxed(node, "fromp", out),
                    self.boxed(node, "lsbp", out),
                    of,
                ) {
                    (Some(from), Some(low), Some(width)) => Expression::Select {
                        from,
                        low,
                        width: width as u32,
                    },
                    (from, low, _) => {
                        Expression::Other(from.into_iter().chain(low).map(|one| *one).collect())
                    }
                }
            }
            "ARRAYSEL" => {
                let index = self.boxed(node, "bitp", out);
                let mut elements = Vec::new();
                for from in list(node, "fromp") {
                    elements.extend(self.spans(from, out, &mut Vec::new()));
                }
                match index {
                    Some(index) => Expression::Element {
                        elements,
                        index,
                        width,
                    },
                    None => Expression::Other(Vec::new()),
                }
            }
            "COND" => match (
                self.boxed(node, "condp", out),
                self.boxed(node, "thenp", out),
                self.boxed(node, "elsep", out),
            ) {
                (Some(condition), Some(then), Some(other)) => Expression::Chosen {
                    condition,
                    then,
                    other,
                },
                _ => Expression::Other(Vec::new()),
            },
            "CONCAT" => {
                let low_width = list(node, "rhsp").first();
                let (high, low) = (self.boxed(node, "lhsp", out), self.boxed(node, "rhsp", out));
                let low_width = low_width.and_then(|low| self.widths.get(text(low, "dtypep")));
                match (high, low, low_width) {
                    (Some(high), Some(low), Some(&low_width)) => Expression::Concat {
                        high,
                        low,
                        low_width,
                    },
                    (high, low, _) => {
                        Expression::Other(high.into_iter().chain(low).map(|one| *one).collect())
                    }
                }
            }
            "EXTEND" => self
                .boxed(node, "lhsp", out)
                .map_or(Expression::Other(Vec::new()), |of| *of),
            "FUNCREF" | "TASKREF" => self.call(node, out),
            "REPLICATE" => {
                let of = list(node, "srcp").first();
                let of_width = of
                    .and_then(|of| self.widths.get(text(of, "dtypep")))
                    .copied();
                let count = list(node, "countp").first().and_then(number);
                match (self.first(node, "srcp", out), of_width, count) {
                    (Some(of), Some(_), Some(1)) => of,
                    (Some(of), Some(of_width @ 1..), Some(count @ 2..=4096)) => {
                        Expression::Repeated {
                            of: Box::new(of),
                            of_width,
                            times: count as u32,
                        }
                    }
                    (of, ..) => Expression::Other(of.into_iter().collect()),
                }
            }
            other => match Operator::named(other) {
                Some(operator) => {
                    let of = [self.boxed(node, "lhsp", out), self.boxed(node, "rhsp", out)];
                    let of = of.into_iter().flatten().map(|one| *one).collect();
                    Expression::Operator {
                        operator,
                        of,
                        width,
                    }
                }
                None => Expression::Other(self.all(node, out)),
            },
        }
    }

    /// A constant, which may have a name.
    fn constant(&mut self, value: Option<u64>, name: &'v str, width: u32) -> Expression {
        let place = self.constants.get(name).copied();
        let Some(value) = value else {
            return Expression::Other(Vec::new());
        };
        let value = Expression::Constant(value);
        match place {
            // All that use its name have the same.
            Some(place) => Expression::Node {
                node: self.node_at(("", "PARAM", name), place, width),
                of: Box::new(value),
            },
            None => value,
        }
    }

    /// Bits of a constant that has more than 64.
    fn bits_of_constant(&mut self, node: &'v Value, out: &Module) -> Option<u64> {
        let from = list(node, "fromp").first()?;
        let of = match kind(from) {
            "CONST" => from,
            _ => self.parameters.get(text(from, "varp")).copied()?,
        };
        if number(of).is_some() {
            return None;
        }
        let low = list(node, "lsbp").first()?;
        let low = self.value(low, out);
        let low = low.constant()?;
        let width = node.get("widthConst").and_then(Value::as_u64)?;
        let digits = digits(of)?.as_bytes();
        let bit = |at: u64| {
            let place = digits.len().checked_sub(1 + at as usize / 4);
            let digit = place.map_or(b'0', |place| digits[place]);
            let digit = char::from(digit).to_digit(16)?;
            Some(u64::from(digit >> (at % 4) & 1))
        };
        let mut value = 0;
        for at in 0..Some(width).filter(|width| *width <= 64)? {
            value |= bit(low + at)? << at;
        }
        Some(value)
    }

    fn boxed(&mut self, node: &'v Value, key: &str, out: &Module) -> Option<Box<Expression>> {
        self.first(node, key, out).map(Box::new)
    }

    fn first(&mut self, node: &'v Value, key: &str, out: &Module) -> Option<Expression> {
        let first = list(node, key).first()?;
        Some(self.value(first, out))
    }

    /// What a function returns: its body with the arguments in the place of its inputs. Where that is not known, it comes of these
    /// and of every line.
    fn call(&mut self, node: &'v Value, out: &Module) -> Expression {
        let mut given = Vec::new();
        for argument in list(node, "argsp") {
            let of = list(argument, "exprp").first();
            given.extend(of.map(|of| self.value(of, out)));
        }
        let Some(body) = self.bodies.get(text(node, "taskp")).copied() else {
            return Expression::Other(given);
        };
        self.returned(body, &given, out).unwrap_or_else(|| {
            self.lines_of_function(body, &mut given);
            Expression::Other(given)
        })
    }

    fn returned(
        &mut self,
        body: &'v Value,
        given: &[Expression],
        out: &Module,
    ) -> Option<Expression> {
        let result = list(body, "fvarp").first().filter(|_| self.depth < DEPTH)?;
        let inputs = list(body, "stmtsp").iter();
        let inputs = inputs.filter(|of| kind(of) == "VAR" && text(of, "direction") == "INPUT");
        let inputs: Vec<_> = inputs.map(|of| text(of, "addr")).collect();
        if inputs.len() != given.len() {
            return None;
        }
        let around = self.locals.clone();
        let statement = self.statement;
        self.depth += 1;
        for (input, value) in inputs.into_iter().zip(given.iter().cloned()) {
            self.locals.insert(input, value);
        }
        self.execute(list(body, "stmtsp"), out);
        let value = self.locals.get(text(result, "addr")).cloned();
        self.depth -= 1;
        self.statement = statement;
        self.locals = around;
        value
    }

    /// Statements of a function.
    fn execute(&mut self, statements: &'v [Value], out: &Module) {
        for node in statements {
            match kind(node) {
                "ASSIGN" => self.assign(node, out),
                "IF" => {
                    let condition = list(node, "condp").first();
                    if let Some(of) = condition {
                        self.statement = Some(self.place(&[of]));
                    }
                    let condition = condition.map(|of| self.value(of, out));
                    let before = self.locals.clone();
                    self.execute(list(node, "thensp"), out);
                    let then = std::mem::replace(&mut self.locals, before);
                    self.execute(list(node, "elsesp"), out);
                    self.merge(condition, then);
                }
                "CASE" => {
                    let of = list(node, "exprp").first();
                    if let Some(of) = of {
                        self.statement = Some(self.place(&[of]));
                    }
                    let of = of.map(|of| self.value(of, out));
                    self.choose(of.as_ref(), list(node, "itemsp"), out);
                }
                "LOOP" => {
                    self.unroll(node, |reader, statement| {
                        reader.execute(std::slice::from_ref(statement), out);
                    });
                }
                "BEGIN" | "JUMPBLOCK" => {
                    let inner = list(node, "stmtsp");
                    self.execute(inner, out);
                }
                _ => {}
            }
        }
    }

    /// Rows of a case, of which the first that is it is taken.
    fn choose(&mut self, of: Option<&Expression>, rows: &'v [Value], out: &Module) {
        let Some((row, others)) = rows.split_first() else {
            return;
        };
        let own: Vec<_> = list(row, "condsp").iter().collect();
        if own.is_empty() && others.is_empty() {
            return self.execute(list(row, "stmtsp"), out);
        }
        if own.is_empty() {
            // What is taken if no other is.
            let mut last: Vec<Expression> = Vec::new();
            let before = self.locals.clone();
            self.execute(list(row, "stmtsp"), out);
            let default = std::mem::replace(&mut self.locals, before);
            for other in others {
                for one in list(other, "condsp") {
                    last.push(self.value(one, out));
                }
            }
            self.choose(of, others, out);
            let any = any_of(of, last);
            let none = any.map(|any| Expression::Operator {
                operator: Operator::LogicalNot,
                of: vec![any],
                width: 1,
            });
            return self.merge(none, default);
        }
        self.statement = Some(self.place(&own));
        let mut is = Vec::new();
        for one in own {
            is.push(self.value(one, out));
        }
        let condition = any_of(of, is);
        let before = self.locals.clone();
        self.execute(list(row, "stmtsp"), out);
        let then = std::mem::replace(&mut self.locals, before);
        self.choose(of, others, out);
        self.merge(condition, then);
    }

    /// What variables are after one way or the other.
    fn merge(&mut self, condition: Option<Expression>, then: HashMap<&'v str, Expression>) {
        let condition = condition.unwrap_or(Expression::Other(Vec::new()));
        for (local, then) in then {
            let other = self.locals.get(local).cloned();
            let value = match other {
                Some(other) if other == then => continue,
                Some(other) => Expression::Chosen {
                    condition: Box::new(condition.clone()),
                    then: Box::new(then),
                    other: Box::new(other),
                },
                None => then,
            };
            self.locals.insert(local, value);
        }
    }

    /// An assignment in a function.
    fn assign(&mut self, node: &'v Value, out: &Module) {
        let (Some(left), Some(right)) = (list(node, "lhsp").first(), list(node, "rhsp").first())
        else {
            return;
        };
        if kind(right) == "CRESET" {
            self.locals
                .insert(text(left, "varp"), Expression::Constant(0));
            return;
        }
        self.statement = Some(self.place(&[node]));
        let value = self.value(right, out);
        match kind(left) {
            "VARREF" => self.set(text(left, "varp"), Some(value)),
            "SEL" => {
                let from = list(left, "fromp").first();
                let low = list(left, "lsbp").first();
                let low = low.and_then(|low| {
                    let low = self.value(low, out);
                    low.constant()
                });
                let bits = left.get("widthConst").and_then(Value::as_u64);
                let Some(from) = from.filter(|from| kind(from) == "VARREF") else {
                    return;
                };
                let width = self.widths.get(text(from, "dtypep")).copied();
                let name = text(from, "varp");
                let before = self.locals.get(name).cloned();
                let joined = match (low, bits, width, before) {
                    (Some(low), Some(bits), Some(width), Some(before)) => {
                        let (low, bits) = (low as u32, bits as u32);
                        let mut joined = value;
                        if low > 0 {
                            joined = Expression::Concat {
                                high: Box::new(joined),
                                low: Box::new(before.part(0, low)),
                                low_width: low,
                            };
                        }
                        if low + bits < width {
                            joined = Expression::Concat {
                                high: Box::new(before.part(low + bits, width - low - bits)),
                                low: Box::new(joined),
                                low_width: low + bits,
                            };
                        }
                        joined
                    }
                    (.., before) => Expression::Other(before.into_iter().chain([value]).collect()),
                };
                self.locals.insert(name, joined);
            }
            _ => {}
        }
    }

    fn name(&mut self, name: &str) -> u32 {
        let next = self.names.len() as u32;
        *self.name_numbers.entry(name.to_owned()).or_insert_with(|| {
            self.names.push(name.to_owned());
            next
        })
    }

    fn all(&mut self, node: &'v Value, out: &Module) -> Vec<Expression> {
        let all = children(node).map(|child| self.value(child, out));
        all.collect()
    }
}

/// Whether something is one of some values.
fn any_of(of: Option<&Expression>, values: Vec<Expression>) -> Option<Expression> {
    let of = of?;
    let equal = values.into_iter().map(|value| Expression::Operator {
        operator: Operator::Equal,
        of: vec![of.clone(), value],
        width: 1,
    });
    equal.reduce(|one, other| Expression::Operator {
        operator: Operator::LogicalOr,
        of: vec![one, other],
        width: 1,
    })
}

/// The variables that decide how often a loop runs.
fn counters_of(node: &Value) -> Vec<&str> {
    let tests = list(node, "stmtsp").iter();
    let tests = tests.filter(|of| kind(of) == "LOOPTEST");
    let mut left: Vec<_> = tests.collect();
    let mut found = Vec::new();
    while let Some(of) = left.pop() {
        if kind(of) == "VARREF" {
            found.push(text(of, "varp"));
        }
        left.extend(children(of));
    }
    found
}

/// Where a statement is.
struct At {
    clocked: bool,
    scope: u32,
    /// What decides whether it is made, the outermost first.
    conditions: Vec<Condition>,
    /// The line in which the block begins, before its first statement.
    block: Option<u32>,
    /// The first assignment of all, by number in the module.
    first: usize,
}

impl At {
    /// The begin of a block, by its name from the module on.
    fn new(clocked: bool, block: &str, out: &Module) -> Self {
        Self {
            clocked,
            scope: out.scope(block),
            first: out.drivers.len(),
            conditions: Vec::new(),
            block: None,
        }
    }
}

impl Module {
    /// Adds a block, by its name from the module on.
    fn block(&mut self, name: &str, around: Option<&str>) {
        let next = self.scopes.len() as u32;
        if self.blocks.contains_key(name) {
            return;
        }
        self.blocks.insert(name.to_owned(), next);
        self.scopes.push(Scope {
            around: around.and_then(|around| self.blocks.get(around).copied()),
            signals: HashMap::new(),
        });
    }

    /// Adds that a step is what another is, where nothing sets it.
    fn hand_on(&mut self, from: u32, to: &Step, scope: u32) {
        let width = self.widths[from as usize];
        let span = Span::whole(from);
        self.drivers.push(Driver {
            target: Span::whole(to.signal),
            value: Expression::Bits { span, width },
            conditions: Vec::new(),
            place: to.place,
            block: to.block,
            clocked: false,
            node: NO_NODE,
            scope,
            steps: Vec::new(),
            is_lost: false,
        });
    }

    /// The number of a block.
    fn scope(&self, name: &str) -> u32 {
        self.blocks.get(name).copied().unwrap_or(0)
    }
}
