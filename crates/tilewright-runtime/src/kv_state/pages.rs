//! Pages of a cache by number: which are free, and how many sequences hold each.

/// The number of a page.
pub(super) type Page = u32;

/// The pages that there are. A page is free, or held by one or more sequences; one that several hold is never written.
pub(super) struct PagePool {
    pages: u32,
    /// Holders of the pages that were taken at any time: the first ones.
    holders: Vec<u32>,
    /// Those of them that are free again; the last one is taken next.
    free: Vec<Page>,
}

impl PagePool {
    pub(super) fn new(pages: u32) -> Self {
        Self { pages, holders: Vec::new(), free: Vec::new() }
    }

    pub(super) fn available(&self) -> usize {
        self.free.len() + self.pages as usize - self.holders.len()
    }

    /// A free page, which then has one holder.
    pub(super) fn take(&mut self) -> Option<Page> {
        if let Some(page) = self.free.pop() {
            self.holders[page as usize] = 1;
            return Some(page);
        }
        let page = u32::try_from(self.holders.len()).ok().filter(|&page| page < self.pages)?;
        self.holders.push(1);
        Some(page)
    }

    /// One more holder of a page that is held.
    pub(super) fn share(&mut self, page: Page) {
        self.holders[page as usize] += 1;
    }

    pub(super) fn holders(&self, page: Page) -> usize {
        self.holders[page as usize] as usize
    }

    pub(super) fn is_shared(&self, page: Page) -> bool {
        self.holders(page) > 1
    }

    /// One holder less; without any the page is free.
    pub(super) fn release(&mut self, page: Page) {
        let holders = &mut self.holders[page as usize];
        *holders -= 1;
        if *holders == 0 {
            self.free.push(page);
        }
    }

    /// Frees everything.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.pages);
    }

    /// Whether the holders of each page are as many as tables have it.
    #[cfg(test)]
    pub(super) fn agrees_with<'a>(&self, tables: impl Iterator<Item = &'a Page>) -> bool {
        let mut counted = vec![0; self.holders.len()];
        tables.for_each(|&page| counted[page as usize] += 1);
        counted == self.holders && self.free.len() == counted.iter().filter(|&&holders| holders == 0).count()
    }
}
