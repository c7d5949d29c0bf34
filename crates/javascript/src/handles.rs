//! Handles: values that JavaScript names by number.

/// Values by handle. A value can be taken out while it works, so that nothing is borrowed when JavaScript is called.
pub struct Handles<T>(Vec<Place<T>>);

enum Place<T> {
    Free,
    /// The value is at work and comes back.
    Taken,
    Held(Box<T>),
}

impl<T> Handles<T> {
    pub const fn new() -> Handles<T> {
        Handles(Vec::new())
    }

    /// Keeps the value that is made for a handle; returns the handle.
    pub fn insert(&mut self, make: impl FnOnce(u32) -> T) -> u32 {
        let free = self.0.iter().position(|place| matches!(place, Place::Free));
        let handle = free.unwrap_or_else(|| {
            self.0.push(Place::Free);
            self.0.len() - 1
        });
        self.0[handle] = Place::Held(Box::new(make(handle as u32)));
        handle as u32
    }

    /// The value, unless it is at work or gone.
    pub fn get(&self, handle: u32) -> Option<&T> {
        match self.0.get(handle as usize)? {
            Place::Held(value) => Some(value),
            Place::Taken | Place::Free => None,
        }
    }

    /// Takes a value out to work with it; `None` if it is at work already or gone.
    pub fn take(&mut self, handle: u32) -> Option<Box<T>> {
        self.replace(handle, Place::Taken)
    }

    /// Puts a value back that was taken out.
    pub fn put_back(&mut self, handle: u32, value: Box<T>) {
        if let Some(place @ Place::Taken) = self.0.get_mut(handle as usize) {
            *place = Place::Held(value);
        }
    }

    /// Drops a value, unless it is at work.
    pub fn remove(&mut self, handle: u32) {
        drop(self.replace(handle, Place::Free));
    }

    fn replace(&mut self, handle: u32, new: Place<T>) -> Option<Box<T>> {
        match self.0.get_mut(handle as usize)? {
            place @ Place::Held(_) => match std::mem::replace(place, new) {
                Place::Held(value) => Some(value),
                Place::Taken | Place::Free => None,
            },
            Place::Taken | Place::Free => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_free_only_after_removal() {
        let mut handles = Handles::new();
        let first = handles.insert(|handle| handle + 10);
        let value = handles.take(first).expect("it is there");
        assert!(handles.take(first).is_none());
        assert_ne!(handles.insert(|_| 20), first, "the place of a value at work is not free");
        handles.remove(first);
        handles.put_back(first, value);
        assert_eq!(handles.get(first), Some(&10));
        handles.remove(first);
        assert_eq!(handles.get(first), None);
        assert_eq!(handles.insert(|_| 30), first);
        assert!(handles.take(99).is_none());
    }
}
