//! Writes recordings of Java, so that tests can hold what no recorder at hand writes.

/// A string as recordings encode it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Text<'a> {
    Null,
    Empty,
    Constant(u64),
    Utf8(&'a str),
    Chars(&'a str),
    Latin1(&'a str),
}

/// Values of a chunk, written in the chunk's way.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bytes {
    pub(crate) bytes: Vec<u8>,
    plain: bool,
}

impl Bytes {
    pub(crate) fn new(compressed: bool) -> Self {
        Self { bytes: Vec::new(), plain: !compressed }
    }

    fn number(mut self, value: u64, width: usize) -> Self {
        if self.plain {
            self.bytes.extend(&value.to_be_bytes()[8 - width..]);
            return self;
        }
        let mut left = value;
        for _ in 0..8 {
            if left < 0x80 {
                break;
            }
            self.bytes.push(left as u8 | 0x80);
            left >>= 7;
        }
        self.bytes.push(left as u8);
        self
    }

    pub(crate) fn long(self, value: u64) -> Self {
        self.number(value, 8)
    }

    pub(crate) fn int(self, value: u64) -> Self {
        self.number(value, 4)
    }

    pub(crate) fn byte(mut self, value: u8) -> Self {
        self.bytes.push(value);
        self
    }

    pub(crate) fn text(self, text: Text<'_>) -> Self {
        match text {
            Text::Null => self.byte(0),
            Text::Empty => self.byte(1),
            Text::Constant(key) => self.byte(2).long(key),
            Text::Utf8(text) => {
                let mut out = self.byte(3).int(text.len() as u64);
                out.bytes.extend(text.as_bytes());
                out
            }
            Text::Chars(text) => {
                let out = self.byte(4).int(text.encode_utf16().count() as u64);
                text.encode_utf16().fold(out, |out, unit| out.number(u64::from(unit), 2))
            }
            Text::Latin1(text) => {
                let mut out = self.byte(5).int(text.chars().count() as u64);
                out.bytes.extend(text.chars().map(|c| c as u8));
                out
            }
        }
    }

    pub(crate) fn then(mut self, other: &Self) -> Self {
        self.bytes.extend(&other.bytes);
        self
    }
}

/// A type: number, name, and its fields as (name, type, how). `how` may hold `constant`, `array` and `ticks`.
pub(crate) type Class = (u64, &'static str, &'static [(&'static str, u64, &'static str)]);

/// The types that every test needs. Numbers below 10 are those of Java's own.
pub(crate) const CLASSES: [Class; 13] = [
    (4, "int", &[]),
    (5, "long", &[]),
    (6, "boolean", &[]),
    (7, "java.lang.String", &[]),
    (10, "java.lang.Class", &[("loader", 5, ""), ("name", 11, "constant")]),
    (11, "jdk.types.Symbol", &[("string", 7, "")]),
    (
        12,
        "jdk.types.Method",
        &[
            ("type", 10, "constant"),
            ("name", 11, "constant"),
            ("descriptor", 11, "constant"),
            ("hidden", 6, ""),
        ],
    ),
    (13, "jdk.types.FrameType", &[("description", 7, "")]),
    (
        14,
        "jdk.types.StackFrame",
        &[("method", 12, "constant"), ("lineNumber", 4, ""), ("type", 13, "constant")],
    ),
    (15, "jdk.types.StackTrace", &[("truncated", 6, ""), ("frames", 14, "array")]),
    (16, "java.lang.Thread", &[("osName", 7, ""), ("javaName", 7, "")]),
    (17, "jdk.types.ThreadState", &[("name", 7, "")]),
    (
        20,
        "jdk.ExecutionSample",
        &[
            ("startTime", 5, "ticks"),
            ("sampledThread", 16, "constant"),
            ("stackTrace", 15, "constant"),
            ("state", 17, "constant"),
        ],
    ),
];

struct Element {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    children: Vec<Element>,
}

impl Element {
    fn write(&self, out: Bytes, strings: &mut Vec<String>) -> Bytes {
        let mut index = |text: &str| {
            let known = strings.iter().position(|string| string == text);
            known.unwrap_or_else(|| {
                strings.push(text.to_owned());
                strings.len() - 1
            }) as u64
        };
        let mut out = out.int(index(self.name)).int(self.attributes.len() as u64);
        for (key, value) in &self.attributes {
            out = out.int(index(key)).int(index(value));
        }
        out = out.int(self.children.len() as u64);
        self.children.iter().fold(out, |out, child| child.write(out, strings))
    }
}

fn metadata(classes: &[Class], compressed: bool) -> Bytes {
    let field = |(name, class, how): &(&'static str, u64, &str)| {
        let mut attributes = vec![("name", (*name).to_owned()), ("class", class.to_string())];
        attributes.extend(how.contains("constant").then(|| ("constantPool", "true".to_owned())));
        attributes.extend(how.contains("array").then(|| ("dimension", "1".to_owned())));
        let ticks =
            Element { name: "annotation", attributes: vec![("value", "TICKS".to_owned())], children: vec![] };
        let children = how.contains("ticks").then_some(ticks).into_iter().collect();
        Element { name: "field", attributes, children }
    };
    let class = |(id, name, fields): &Class| Element {
        name: "class",
        attributes: vec![("id", id.to_string()), ("name", (*name).to_owned())],
        children: fields.iter().map(field).collect(),
    };
    let children = classes.iter().map(class).collect();
    let root = Element {
        name: "root",
        attributes: vec![],
        children: vec![Element { name: "metadata", attributes: vec![], children }],
    };
    let mut strings = Vec::new();
    let tree = root.write(Bytes::new(compressed), &mut strings);
    let out = Bytes::new(compressed).long(0).long(0).long(1).int(strings.len() as u64);
    let out = strings.iter().fold(out, |out, string| out.text(Text::Utf8(string)));
    event(0, &out.then(&tree), compressed)
}

/// An event: its size, its type, its fields.
pub(crate) fn event(class: u64, fields: &Bytes, compressed: bool) -> Bytes {
    let rest = Bytes::new(compressed).long(class).then(fields);
    let mut size = rest.bytes.len() + 4;
    if compressed {
        size =
            (1..10).find(|n| Bytes::new(true).int((rest.bytes.len() + n) as u64).bytes.len() == *n).unwrap()
                + rest.bytes.len();
    }
    Bytes::new(compressed).int(size as u64).then(&rest)
}

/// A checkpoint of constants: for each type its keys and values.
pub(crate) fn checkpoint(pools: &[(u64, Vec<(u64, Bytes)>)], compressed: bool) -> Bytes {
    let mut out = Bytes::new(compressed).long(0).long(0).long(0).byte(1).int(pools.len() as u64);
    for (class, constants) in pools {
        out = out.long(*class).int(constants.len() as u64);
        for (key, value) in constants {
            out = out.long(*key).then(value);
        }
    }
    event(1, &out, compressed)
}

/// A chunk of events, with a microsecond a tick.
pub(crate) fn chunk(classes: &[Class], events: &[Bytes], compressed: bool) -> Vec<u8> {
    let metadata = metadata(classes, compressed);
    let mut body = metadata.bytes.clone();
    let constants = 68 + body.len() as u64;
    for event in events {
        body.extend(&event.bytes);
    }
    let mut out = b"FLR\0\0\x02\0\x01".to_vec();
    for number in [68 + body.len() as u64, constants, 68, 0, 2_000_000_000, 0, 1_000_000] {
        out.extend(number.to_be_bytes());
    }
    out.extend([0, 0, 0, u8::from(compressed)]);
    out.extend(body);
    out
}
