//! The names of faces: the values of `faces=`.

/// A face, or an extra that extends one.
pub(crate) struct Face {
    /// The name in `faces=`.
    pub name: &'static str,
    /// The faces that an extra needs.
    pub requires: &'static [&'static str],
    /// Whether it encodes messages that were read: these must have all their fields.
    pub encodes: bool,
}

const fn face(name: &'static str, requires: &'static [&'static str], encodes: bool) -> Face {
    Face { name, requires, encodes }
}

/// All faces of this version; the first is the default.
pub(crate) static FACES: &[Face] = &[
    face("pool", &[], false),
    face("builder", &["pool"], true),
    face("visitor", &["pool"], false),
    face("writer", &[], false),
    face("view", &[], false),
    face("codec", &[], false),
];

/// The value of `faces=` when it is not given.
pub(crate) const DEFAULT_FACE: &str = FACES[0].name;

/// Returns the faces in a value of `faces=`, in the order of the registry; otherwise the error.
pub(crate) fn select(value: &str) -> Result<Vec<&'static str>, String> {
    let mut wanted = Vec::new();
    for name in value.split('+') {
        if !FACES.iter().any(|f| f.name == name) {
            let existing: Vec<_> = FACES.iter().map(|f| f.name).collect();
            return Err(format!(
                "the face {name:?} is not in this version of the Rust generator; it has {}",
                existing.join(", ")
            ));
        }
        if wanted.contains(&name) {
            return Err(format!("{name} is named twice"));
        }
        wanted.push(name);
    }
    let faces: Vec<_> = FACES.iter().filter(|f| wanted.contains(&f.name)).collect();
    for face in &faces {
        if !face.requires.iter().all(|required| wanted.contains(required)) {
            let required = face.requires.join("+");
            return Err(format!("{0} needs {required}: write faces={required}+{0}", face.name));
        }
    }
    Ok(faces.iter().map(|f| f.name).collect())
}
