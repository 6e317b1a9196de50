//! Little-endian bytes, written and read with bounds.

/// What the reader expected and did not find.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct WireError(pub(crate) String);

pub(crate) type WireResult<T> = Result<T, WireError>;

pub(crate) fn wrong<T>(message: impl Into<String>) -> WireResult<T> {
    Err(WireError(message.into()))
}

#[derive(Default)]
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub(crate) fn u16(&mut self, value: u16) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn u64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn i64(&mut self, value: i64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn count(&mut self, count: usize) {
        self.u32(u32::try_from(count).unwrap_or(u32::MAX));
    }

    pub(crate) fn blob(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn string(&mut self, text: &str) {
        self.blob(text.as_bytes());
    }

    pub(crate) fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.count(items.len());
        for item in items {
            write(self, item);
        }
    }
}

/// Reads what a writer of some format version wrote.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    version: u32,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8], version: u32) -> Self {
        Self { bytes, version }
    }

    /// The format version of what is read: what was written otherwise in an older one is read as it was then.
    pub(crate) fn version(&self) -> u32 {
        self.version
    }

    pub(crate) fn take(&mut self, count: usize) -> WireResult<&'a [u8]> {
        match self.bytes.split_at_checked(count) {
            Some((taken, rest)) => {
                self.bytes = rest;
                Ok(taken)
            }
            None => wrong(format!("{count} more bytes expected, {} left", self.bytes.len())),
        }
    }

    fn array<const N: usize>(&mut self) -> WireResult<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn u8(&mut self) -> WireResult<u8> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(crate) fn u16(&mut self) -> WireResult<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> WireResult<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> WireResult<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(crate) fn i64(&mut self) -> WireResult<i64> {
        Ok(i64::from_le_bytes(self.array()?))
    }

    pub(crate) fn blob(&mut self) -> WireResult<&'a [u8]> {
        let count = self.u32()?;
        self.take(count as usize)
    }

    pub(crate) fn string(&mut self) -> WireResult<String> {
        match std::str::from_utf8(self.blob()?) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => wrong("text that is not UTF-8"),
        }
    }

    /// A list. Grows with what is really there, never with what a count claims; items take a byte or more each.
    pub(crate) fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> WireResult<T>) -> WireResult<Vec<T>> {
        let count = self.u32()? as usize;
        if count > self.bytes.len() {
            return wrong(format!("a list of {count} items in {} bytes", self.bytes.len()));
        }
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(read(self)?);
        }
        Ok(items)
    }

    pub(crate) fn finish(self) -> WireResult<()> {
        if self.bytes.is_empty() { Ok(()) } else { wrong(format!("{} bytes too many", self.bytes.len())) }
    }
}
