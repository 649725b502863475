//! Which data points were refused, and why.

use super::map::Place;
use rows::{Problems, Report};
use std::collections::BTreeMap;

/// The points that a request lost.
#[derive(Debug, Default)]
pub struct Refusals {
    /// The first series of each point that has series, in ascending order; `None` is for series that are no point's.
    places: Vec<(u32, Option<Place>)>,
    points: u64,
    first: Vec<String>,
    reasons: BTreeMap<&'static str, u64>,
    warnings: Vec<String>,
    /// Points whose reasons are not known any more.
    earlier: bool,
}

impl Refusals {
    /// Says whose the series from this one on are.
    pub(super) fn begin(&mut self, series: u32, place: Option<Place>) {
        self.places.push((series, place));
    }

    /// Counts points that never became series.
    pub(super) fn refuse(&mut self, points: u64, place: Place, reason: &'static str) {
        if points == 0 {
            return;
        }
        self.points += points;
        *self.reasons.entry(reason).or_default() += points;
        self.say(|| format!("{reason}: {place}"));
    }

    /// Says what happened to something that is not a point.
    pub(super) fn warn(&mut self, text: impl FnOnce() -> String) {
        if self.warnings.len() < Problems::KEPT {
            self.warnings.push(text());
        }
    }

    fn say(&mut self, text: impl FnOnce() -> String) {
        if self.first.len() < Problems::KEPT {
            self.first.push(text());
        }
    }

    fn place_of(&self, series: u32) -> Option<&Place> {
        let at = self.places.partition_point(|&(first, _)| first <= series);
        self.places.get(at.checked_sub(1)?)?.1.as_ref()
    }

    /// Counts the points whose series were refused: one refused series refuses its point.
    pub(super) fn end(&mut self, report: &Report, refused: Option<&[u32]>) {
        let mut last = None;
        for &series in refused.unwrap_or(&report.refused) {
            let place = self.place_of(series).copied();
            if place.is_some() && place != last {
                self.points += 1;
                self.earlier |= refused.is_some();
                last = place;
            }
        }
        for problem in report.problems.first() {
            let detail = if problem.detail.is_empty() { String::new() } else { format!(": {}", problem.detail) };
            match self.place_of(problem.index).copied() {
                Some(place) => self.say(|| format!("{}: {place}{detail}", problem.reason.text())),
                None => self.warn(|| format!("{}: target_info{detail}", problem.reason.text())),
            }
        }
        if report.bad_exemplars > 0 {
            self.warn(|| format!("{} exemplars have no time", report.bad_exemplars));
        }
        self.places = Vec::new();
    }

    /// Returns the number of points that were refused.
    pub fn points(&self) -> u64 {
        self.points
    }

    /// Returns the reasons of points that never became series, and how many there are of each.
    pub fn reasons(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.reasons.iter().map(|(&reason, &points)| (reason, points))
    }

    /// Returns what the sender should know; empty if everything was accepted.
    pub fn text(&self) -> String {
        let mut lines = Vec::new();
        if self.points > 0 {
            let when = if self.earlier { " when this request first came" } else { ", the others were written" };
            lines.push(format!("{} data points were refused{when}", self.points));
        }
        lines.extend_from_slice(&self.first);
        lines.extend_from_slice(&self.warnings);
        lines.join("\n  ")
    }
}
