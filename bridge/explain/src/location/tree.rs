//! A [`Netlist`] of the tree that Verilator writes of a design (`--json-only`).

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::expression::{Expression, Operator};
use super::netlist::{Condition, Driver, Netlist, Place};
use super::span::Span;

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
        let here = |span: &Span| Span {
            signal: span.signal + base,
            ..*span
        };
        let all = |spans: &[Span]| -> Vec<Span> { spans.iter().map(here).collect() };
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
                uses: driver.uses.clone(),
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
                let (targets, value) = match of.outputs.contains(&pin.port) {
                    true => (all(&pin.targets), whole(port)),
                    false => (vec![port], pin.value.at(base)),
                };
                self.drivers
                    .extend(targets.into_iter().map(|target| Driver {
                        target,
                        value: value.clone(),
                        conditions: Vec::new(),
                        place: pin.place,
                        uses: pin.uses.clone(),
                        clocked: false,
                    }));
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
    targets: Vec<Span>,
    value: Expression,
    uses: Vec<u32>,
    place: u32,
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

fn kind(node: &Value) -> &str {
    text(node, "type")
}

/// All nodes below a node.
fn children(node: &Value) -> impl Iterator<Item = &Value> {
    let fields = node.as_object().into_iter().flatten();
    let lists = fields.filter_map(|(_, value)| value.as_array()).flatten();
    lists.filter(|value| value.is_object())
}

/// A constant, as `12'h540` or `32'sh10`.
fn number(node: &Value) -> Option<u64> {
    if kind(node) != "CONST" {
        return None;
    }
    let digits = text(node, "name").split_once('\'')?.1;
    let digits = digits.trim_start_matches('s').strip_prefix('h')?;
    u64::from_str_radix(digits, 16).ok()
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
    /// What functions consist of.
    functions: HashMap<Address, Vec<u32>>,
    /// Constants with names.
    constants: HashMap<String, u32>,
}

/// What is read beside a value: the functions and constants that are used, and indices of what is set.
#[derive(Default)]
struct Found {
    reads: Vec<Expression>,
    uses: Vec<u32>,
}

impl Reader<'_> {
    fn types(&mut self, tree: &Value) {
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
    fn functions(&mut self, node: &Value) {
        for child in children(node) {
            match kind(child) {
                "FUNC" | "TASK" => {
                    let mut places = Vec::new();
                    self.statements(child, &mut places);
                    self.functions
                        .insert(text(child, "addr").to_owned(), places);
                }
                "VAR" if child.get("isParam").is_some() => {
                    let place = self.place(&[child]);
                    self.constants
                        .entry(text(child, "name").to_owned())
                        .or_insert(place);
                }
                _ => self.functions(child),
            }
        }
    }

    fn statements(&mut self, node: &Value, places: &mut Vec<u32>) {
        for child in children(node) {
            match kind(child) {
                "ASSIGN"
                    if !list(child, "rhsp")
                        .iter()
                        .all(|node| kind(node) == "CRESET") =>
                {
                    places.push(self.place(&[child]));
                }
                "IF" | "CASE" => {
                    for place in ["condp", "exprp"] {
                        let nodes: Vec<_> = list(child, place).iter().collect();
                        if !nodes.is_empty() {
                            places.push(self.place(&nodes));
                        }
                    }
                    self.statements(child, places);
                }
                _ => self.statements(child, places),
            }
        }
    }

    /// The lines of nodes, with all that is below them.
    fn place(&mut self, nodes: &[&Value]) -> u32 {
        let mut lines = None;
        let mut file = "";
        let mut left: Vec<&Value> = nodes.to_vec();
        while let Some(node) = left.pop() {
            let mut parts = text(node, "loc").split([',', ':']);
            if let (Some(of), Some(Ok(line))) = (parts.next(), parts.next().map(str::parse::<u32>))
            {
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
        let (first, last) = lines.unwrap_or_default();
        let name = self.meta.and_then(|meta| meta.get("files")?.get(file));
        let name = name.map_or(file, |name| text(name, "filename"));
        let place = Place {
            file: name.to_owned(),
            first,
            last,
        };
        let next = self.places.len() as u32;
        *self.known.entry(place.clone()).or_insert_with(|| {
            self.places.push(place);
            next
        })
    }

    fn module(&mut self, module: &Value) -> Module {
        let mut out = Module::default();
        self.variables(module, "", &mut out);
        self.items(module, "", &mut out);
        out
    }

    /// Variables come first: an array of generated blocks is read before it is declared.
    fn variables(&mut self, node: &Value, prefix: &str, out: &mut Module) {
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
                    let count = out.signals.len() as u32 - first;
                    let address = text(child, "addr").to_owned();
                    if text(child, "direction") == "OUTPUT" {
                        out.outputs.insert(address.clone());
                    }
                    out.numbers.insert(address, Numbers { first, count });
                }
                "FUNC" | "TASK" => {}
                "GENBLOCK" | "BEGIN" if !text(child, "name").is_empty() => {
                    let prefix = format!("{prefix}{}.", text(child, "name"));
                    self.variables(child, &prefix, out);
                }
                _ => self.variables(child, prefix, out),
            }
        }
    }

    fn items(&mut self, node: &Value, prefix: &str, out: &mut Module) {
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
                        let mut found = Found::default();
                        let mut targets = Vec::new();
                        let expression = list(pin, "exprp").first();
                        if let Some(expression) = expression {
                            self.targets(expression, out, &mut targets, &mut Found::default());
                        }
                        let value = expression.map(|of| self.value(of, out, &mut found));
                        Pin {
                            port: text(pin, "modVarp").to_owned(),
                            targets,
                            value: value.unwrap_or(Expression::Other(Vec::new())),
                            uses: found.uses,
                            place: self.place(&[pin]),
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
                    for statement in list(child, "stmtsp") {
                        self.statement(statement, clocked, &mut Vec::new(), out);
                    }
                }
                "ASSIGNW" => self.statement(child, false, &mut Vec::new(), out),
                _ => {}
            }
        }
    }

    fn statement(
        &mut self,
        node: &Value,
        clocked: bool,
        conditions: &mut Vec<Condition>,
        out: &mut Module,
    ) {
        match kind(node) {
            "ASSIGN" | "ASSIGNW" | "ASSIGNDLY" => {
                let mut found = Found::default();
                let mut targets = Vec::new();
                let right = list(node, "rhsp").first();
                let value = right.map(|right| self.value(right, out, &mut found));
                for left in list(node, "lhsp") {
                    self.targets(left, out, &mut targets, &mut found);
                }
                let value = value.unwrap_or(Expression::Other(Vec::new()));
                let value = match found.reads.is_empty() {
                    true => value,
                    false => Expression::Other([value].into_iter().chain(found.reads).collect()),
                };
                let place = self.place(&[node]);
                out.drivers.extend(targets.into_iter().map(|target| Driver {
                    target,
                    value: value.clone(),
                    conditions: conditions.clone(),
                    place,
                    uses: found.uses.clone(),
                    clocked,
                }));
            }
            "IF" => {
                let of: Vec<_> = list(node, "condp").iter().collect();
                let zero = vec![Expression::Constant(0)];
                let (then, other) = (Vec::new(), zero.clone());
                for (key, is, not) in [("thensp", then, zero), ("elsesp", other, Vec::new())] {
                    conditions.push(self.condition(&of, (is, not), out));
                    for statement in list(node, key) {
                        self.statement(statement, clocked, conditions, out);
                    }
                    conditions.pop();
                }
            }
            "CASE" => {
                let of: Vec<_> = list(node, "exprp").iter().collect();
                let values = |item: &Value, reader: &mut Self| -> Vec<Expression> {
                    let of = list(item, "condsp").iter();
                    of.map(|of| reader.value(of, out, &mut Found::default()))
                        .collect()
                };
                let items: Vec<_> = list(node, "itemsp")
                    .iter()
                    .map(|item| (item, values(item, self)))
                    .collect();
                let all: Vec<_> = items
                    .iter()
                    .flat_map(|(_, values)| values.clone())
                    .collect();
                for (item, is) in items {
                    let not = if is.is_empty() {
                        all.clone()
                    } else {
                        Vec::new()
                    };
                    conditions.push(self.condition(&of, (is, not), out));
                    let own: Vec<_> = list(item, "condsp").iter().collect();
                    if !own.is_empty() {
                        // Its lines alone.
                        let place = self.place(&own);
                        conditions.push(Condition {
                            value: Expression::Constant(0),
                            is: Vec::new(),
                            not: Vec::new(),
                            place,
                        });
                    }
                    for statement in list(item, "stmtsp") {
                        self.statement(statement, clocked, conditions, out);
                    }
                    if !own.is_empty() {
                        conditions.pop();
                    }
                    conditions.pop();
                }
            }
            "VAR" | "LOOPTEST" => {}
            _ => {
                for child in children(node) {
                    self.statement(child, clocked, conditions, out);
                }
            }
        }
    }

    fn condition(
        &mut self,
        of: &[&Value],
        (is, not): (Vec<Expression>, Vec<Expression>),
        out: &Module,
    ) -> Condition {
        let value = of
            .first()
            .map(|of| self.value(of, out, &mut Found::default()));
        Condition {
            value: value.unwrap_or(Expression::Other(Vec::new())),
            is,
            not,
            place: self.place(of),
        }
    }

    /// What an expression on the left sets; its indices are read.
    fn targets(&self, node: &Value, out: &Module, targets: &mut Vec<Span>, found: &mut Found) {
        match kind(node) {
            "CONCAT" | "REPLICATE" => {
                for child in children(node) {
                    self.targets(child, out, targets, found);
                }
            }
            "VARREF" | "VARXREF" | "SEL" | "ARRAYSEL" | "STRUCTSEL" => {
                targets.extend(self.spans(node, out, found));
            }
            _ => {}
        }
    }

    /// The bits of a variable that an expression selects, as far as constants tell; other indices are read.
    fn spans(&self, node: &Value, out: &Module, found: &mut Found) -> Vec<Span> {
        let from = list(node, "fromp").first();
        match (kind(node), from) {
            ("VARREF" | "VARXREF", _) => {
                let numbers = out.numbers.get(text(node, "varp"));
                let numbers =
                    numbers.map_or(0..0, |numbers| numbers.first..numbers.first + numbers.count);
                numbers.map(Span::whole).collect()
            }
            ("SEL", Some(from)) => {
                let low = list(node, "lsbp").first();
                let constant = low.and_then(number);
                if constant.is_none() {
                    let low = low.map(|low| self.value(low, out, &mut Found::default()));
                    found.reads.extend(low);
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
                match at.and_then(number) {
                    Some(at) => spans.into_iter().skip(at as usize).take(1).collect(),
                    None => {
                        let at = at.map(|at| self.value(at, out, &mut Found::default()));
                        found.reads.extend(at);
                        spans
                    }
                }
            }
            (_, Some(from)) => self.spans(from, out, found),
            _ => Vec::new(),
        }
    }

    /// An expression.
    fn value(&self, node: &Value, out: &Module, found: &mut Found) -> Expression {
        let width = self.widths.get(text(node, "dtypep")).copied();
        let width = width.unwrap_or(u32::MAX);
        let one = |key: &str, found: &mut Found| {
            let node = list(node, key).first()?;
            Some(Box::new(self.value(node, out, found)))
        };
        match kind(node) {
            "CONST" => {
                let place = self.constants.get(text(node, "origParamName"));
                found.uses.extend(place);
                match number(node) {
                    Some(value) => Expression::Constant(value),
                    None => Expression::Other(Vec::new()),
                }
            }
            "VARREF" | "VARXREF" => {
                let spans = self.spans(node, out, &mut Found::default());
                let bits = |span| Expression::Bits { span, width };
                match spans.as_slice() {
                    [span] => bits(*span),
                    _ => Expression::Other(spans.into_iter().map(bits).collect()),
                }
            }
            "SEL" => {
                let of = node.get("widthConst").and_then(Value::as_u64);
                match (one("fromp", found), one("lsbp", found), of) {
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
                let elements = list(node, "fromp")
                    .iter()
                    .flat_map(|from| self.spans(from, out, &mut Found::default()));
                let elements = elements.collect();
                match one("bitp", found) {
                    Some(index) => Expression::Element {
                        elements,
                        index,
                        width,
                    },
                    None => Expression::Other(Vec::new()),
                }
            }
            "COND" => match (
                one("condp", found),
                one("thenp", found),
                one("elsep", found),
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
                let low_width = low_width.and_then(|low| self.widths.get(text(low, "dtypep")));
                match (one("lhsp", found), one("rhsp", found), low_width) {
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
            "EXTEND" => one("lhsp", found).map_or(Expression::Other(Vec::new()), |of| *of),
            "FUNCREF" | "TASKREF" => {
                let places = self.functions.get(text(node, "taskp"));
                found.uses.extend(places.into_iter().flatten());
                Expression::Other(self.all(node, out, found))
            }
            other => match Operator::named(other) {
                Some(operator) => {
                    let of = [one("lhsp", found), one("rhsp", found)];
                    let of = of.into_iter().flatten().map(|one| *one).collect();
                    Expression::Operator {
                        operator,
                        of,
                        width,
                    }
                }
                None => Expression::Other(self.all(node, out, found)),
            },
        }
    }

    fn all(&self, node: &Value, out: &Module, found: &mut Found) -> Vec<Expression> {
        let all = children(node).map(|child| self.value(child, out, found));
        all.collect()
    }
}
