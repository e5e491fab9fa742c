//! Documents as trees: one node is changed, removed, doubled or takes the place of another.

/// A value of JSON or TOML.
pub trait Node: Clone + From<bool> + From<i64> + From<String> {
    /// The values in it, if it is a list or a table.
    fn children(&mut self) -> Vec<&mut Self>;
    /// Its number, if it is one.
    fn number(&self) -> Option<i64>;
    /// Its text, if it is text.
    fn text(&self) -> Option<&str>;
    /// Removes a child.
    fn remove(&mut self, child: usize);
    /// Repeats a child, where that can be.
    fn double(&mut self, child: usize);
}

macro_rules! node {
    ($value:ident, $number:ident, $list:ident, $table:ident) => {
        impl Node for $value::Value {
            fn children(&mut self) -> Vec<&mut Self> {
                match self {
                    Self::$list(list) => list.iter_mut().collect(),
                    Self::$table(table) => table.iter_mut().map(|(_, value)| value).collect(),
                    _ => Vec::new(),
                }
            }

            fn number(&self) -> Option<i64> {
                self.$number().map(|number| number as i64)
            }

            fn text(&self) -> Option<&str> {
                self.as_str()
            }

            fn remove(&mut self, child: usize) {
                match self {
                    Self::$list(list) => drop(list.remove(child)),
                    Self::$table(table) => {
                        let key = table.keys().nth(child).cloned();
                        key.map(|key| table.remove(&key));
                    }
                    _ => (),
                }
            }

            fn double(&mut self, child: usize) {
                if let Self::$list(list) = self {
                    list.insert(child, list[child].clone());
                }
            }
        }
    };
}

node!(toml, as_integer, Array, Table);
node!(serde_json, as_u64, Array, Object);

/// Numbers at which something happens.
const NUMBERS: [i64; 16] = [
    0,
    1,
    2,
    3,
    4,
    8,
    15,
    16,
    30,
    31,
    32,
    63,
    64,
    255,
    0xFFFF_FFFF,
    i64::MAX,
];

/// The document with one change, the same for the same seed.
pub fn changed<N: Node>(mut root: N, seed: u32) -> N {
    let mut random = Random(u64::from(seed) | 1 << 40);
    let count = count(&mut root);
    let other = at(&mut root, &mut random.below(count)).cloned();
    let Some(node) = at(&mut root, &mut random.below(count)) else {
        return root;
    };
    let children = node.children().len();
    if children > 0 && random.below(4) != 0 {
        let child = random.below(children);
        match random.below(2) {
            0 => node.remove(child),
            _ => node.double(child),
        }
        return root;
    }
    let number = node.number();
    let text = node.text().map(str::to_owned);
    *node = match (random.below(6), number, text, other) {
        (0, ..) => N::from(random.below(2) == 0),
        (1 | 2, Some(number), ..) => N::from(number ^ 1 << random.below(63)),
        (3, Some(number), ..) => N::from(number.wrapping_add(random.below(5) as i64 - 2)),
        (1..=3, _, Some(text), _) => N::from(changed_text(text, &mut random)),
        (4, _, _, Some(other)) => other,
        _ => N::from(NUMBERS[random.below(NUMBERS.len())]),
    };
    root
}

/// Text with a character more, less, or another; numbers in text stay numbers half of the time.
fn changed_text(mut text: String, random: &mut Random) -> String {
    const CHARACTERS: [char; 16] = [
        '0', '1', '7', 'f', 'x', 'E', '_', '*', '[', ']', ':', ',', '.', '-', ' ', 'é',
    ];
    let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
    let character = CHARACTERS[random.below(CHARACTERS.len())];
    match places.get(random.below(places.len() + 1)) {
        None => text.push(character),
        Some(&place) => match random.below(3) {
            0 => drop(text.remove(place)),
            1 => text.insert(place, character),
            _ => {
                text.remove(place);
                text.insert(place, character);
            }
        },
    }
    text
}

fn count<N: Node>(node: &mut N) -> usize {
    1 + node.children().into_iter().map(count).sum::<usize>()
}

/// The node of that number, in the order of the text.
fn at<'n, N: Node>(node: &'n mut N, number: &mut usize) -> Option<&'n mut N> {
    if *number == 0 {
        return Some(node);
    }
    *number -= 1;
    node.children()
        .into_iter()
        .find_map(|child| at(child, number))
}

/// Numbers that follow from a seed.
struct Random(u64);

impl Random {
    /// A number below `end`, 0 if that is 0.
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 8) as usize % end.max(1)
    }
}
