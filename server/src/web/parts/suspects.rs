//! Two profiles compared: which frame explains how much, what kind of work it is, and who called it.

use std::fmt::Write as _;

use model::verdict::{CategoryCost, Presence};
use model::{Category, ProfileComparison, Share, Suspect};

use crate::web::words::{self, ChangeText, Chip};

/// Suspects shown unfolded; the rest is behind a disclosure.
const SHOWN: usize = 5;

/// Kinds of work named within a suspect.
const PARTS: usize = 4;

/// Suspects listed at all.
const LISTED: usize = 50;

/// One comparison of profiles.
#[derive(Debug, Clone)]
pub(crate) struct ProfileSection {
    /// `cpu of read`.
    pub(crate) heading: String,
    /// How costs were made comparable, and from how much.
    pub(crate) basis: String,
    /// Sizes of both sides, in words.
    pub(crate) sides: String,
    /// Why the comparison is weak.
    pub(crate) quality: Vec<String>,
    /// The first suspects.
    pub(crate) suspects: Vec<SuspectCard>,
    /// Further suspects.
    pub(crate) more: Vec<SuspectCard>,
    /// How many those are, in words.
    pub(crate) more_label: String,
    /// Cost that moved without changing the total.
    pub(crate) moved: Vec<SuspectCard>,
    /// How many those are, in words.
    pub(crate) moved_label: String,
    /// Every category's cost.
    pub(crate) categories: Vec<CategoryRow>,
    /// Category bars, as SVG.
    pub(crate) category_chart: Option<String>,
    /// The differential flame graph, as SVG.
    pub(crate) flame: Option<String>,
}

/// A suspect.
#[derive(Debug, Clone)]
pub(crate) struct SuspectCard {
    /// 1 for the first.
    pub(crate) rank: usize,
    /// Canonical name.
    pub(crate) frame: String,
    /// The category's name.
    pub(crate) category: String,
    /// Suffix of the category's class.
    pub(crate) category_class: String,
    /// "allocation 61 %".
    pub(crate) of_which: Vec<String>,
    /// The nearest caller of the program's own.
    pub(crate) called_from: Option<String>,
    /// Total cost of both sides.
    pub(crate) total: (String, String),
    /// Self cost of both sides.
    pub(crate) own: (String, String),
    /// Share of both profiles.
    pub(crate) share: (String, String),
    /// Change of the total cost.
    pub(crate) change: ChangeText,
    /// The explained share.
    pub(crate) explained: Option<Explained>,
    /// `new` or `gone`.
    pub(crate) presence: Option<Chip>,
    /// How sure that is.
    pub(crate) confidence: Chip,
    /// The probability behind it.
    pub(crate) p: Option<String>,
    /// From the outermost caller to the suspect.
    pub(crate) path: Vec<String>,
}

/// An explained share with its bar.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Explained {
    /// `94 %`.
    pub(crate) text: String,
    /// Length of the bar, 0 to 100.
    pub(crate) width: f64,
}

/// A category's cost on both sides.
#[derive(Debug, Clone)]
pub(crate) struct CategoryRow {
    /// Its name.
    pub(crate) name: String,
    /// Suffix of its class.
    pub(crate) class: String,
    /// Cost of the baseline.
    pub(crate) base: String,
    /// Cost of the candidate.
    pub(crate) head: String,
    /// Shares of both profiles.
    pub(crate) shares: (String, String),
    /// The difference of cost.
    pub(crate) change: ChangeText,
}

/// Drawings of one comparison, made by `render`.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProfileDrawings {
    /// Category bars.
    pub(crate) categories: Option<String>,
    /// The differential flame graph.
    pub(crate) flame: Option<String>,
}

/// Builds the section of one comparison.
pub(crate) fn section(comparison: &ProfileComparison, drawings: ProfileDrawings) -> ProfileSection {
    let mut cards: Vec<SuspectCard> = comparison
        .suspects
        .iter()
        .take(LISTED)
        .enumerate()
        .map(|(i, s)| card(i + 1, s, comparison))
        .collect();
    let more = cards.split_off(cards.len().min(SHOWN));
    let moved: Vec<SuspectCard> =
        comparison.moved.iter().take(LISTED).enumerate().map(|(i, s)| card(i + 1, s, comparison)).collect();
    ProfileSection {
        heading: match &comparison.benchmark {
            Some(benchmark) => format!("{} of {benchmark}", comparison.event),
            None => comparison.event.clone(),
        },
        basis: words::normalisation_sentence(&comparison.normalisation),
        sides: sides_text(comparison),
        quality: comparison.quality.clone(),
        suspects: cards,
        more_label: format!("{} more", words::counted(more.len(), "suspect")),
        more,
        moved_label: format!("{} whose cost only moved", words::counted(moved.len(), "frame")),
        moved,
        categories: comparison.categories.iter().map(|category| category_row(category, comparison)).collect(),
        category_chart: drawings.categories,
        flame: drawings.flame,
    }
}

fn sides_text(comparison: &ProfileComparison) -> String {
    let (base, head) = (&comparison.base, &comparison.head);
    let mut text = format!(
        "Base: {}, {} samples. Head: {}, {} samples.",
        words::counted(base.profiles, "profile"),
        words::whole(base.samples),
        words::counted(head.profiles, "profile"),
        words::whole(head.samples),
    );
    if let Some(visible) = comparison.smallest_visible_share {
        let points = visible * 100.0;
        // Writing to a string cannot fail.
        let _ = write!(text, " Smallest visible change of a 2 % frame: {points:.2} pp.");
    }
    text
}

/// One suspect as a card.
pub(crate) fn card(rank: usize, suspect: &Suspect, comparison: &ProfileComparison) -> SuspectCard {
    let cost = |value| words::cost(value, &comparison.cost_unit, &comparison.normalisation);
    SuspectCard {
        rank,
        frame: suspect.frame.clone(),
        category: suspect.category.to_string(),
        category_class: words::category_class(&suspect.category).to_owned(),
        of_which: of_which(suspect),
        called_from: suspect.called_from.clone(),
        total: (cost(suspect.total_cost.0), cost(suspect.total_cost.1)),
        own: (cost(suspect.self_cost.0), cost(suspect.self_cost.1)),
        share: (Share(suspect.share.0).to_string(), Share(suspect.share.1).to_string()),
        change: words::cost_change(suspect.delta, &comparison.cost_unit, &comparison.normalisation),
        explained: suspect.explained_share.and_then(explained),
        presence: presence_chip(suspect.presence),
        confidence: words::confidence_chip(suspect.confidence),
        p: suspect.p.map(words::probability),
        path: suspect.path.clone(),
    }
}

/// The largest parts by kind of work, without the suspect's own kind, which stands beside it already.
fn of_which(suspect: &Suspect) -> Vec<String> {
    let is_worth_a_word = |(category, part): &&(Category, f64)| {
        *category != suspect.category && *category != Category::Other && part.is_finite() && *part >= 0.005
    };
    let parts = suspect.of_which.iter().filter(is_worth_a_word).take(PARTS);
    parts.map(|(category, part)| format!("{category} {}", words::whole_percent(*part))).collect()
}

fn presence_chip(presence: Presence) -> Option<Chip> {
    match presence {
        Presence::New => Some(Chip {
            tone: "mixed",
            sign: "+",
            label: "new",
            meaning: "Only the candidate's profile has it",
        }),
        Presence::Gone => Some(Chip {
            tone: "unsure",
            sign: "−",
            label: "gone",
            meaning: "Only the baseline's profile has it",
        }),
        Presence::Both => None,
    }
}

/// An explained share; beyond the whole, the bar is full and the number tells.
fn explained(share: f64) -> Option<Explained> {
    share.is_finite().then(|| Explained {
        text: words::whole_percent(share),
        width: ((share * 1000.0).round() / 10.0).clamp(0.0, 100.0),
    })
}

fn category_row(category: &CategoryCost, comparison: &ProfileComparison) -> CategoryRow {
    let cost = |value| words::cost(value, &comparison.cost_unit, &comparison.normalisation);
    CategoryRow {
        name: category.category.to_string(),
        class: words::category_class(&category.category).to_owned(),
        base: cost(category.base),
        head: cost(category.head),
        shares: (Share(category.base_share).to_string(), Share(category.head_share).to_string()),
        change: words::cost_change(
            category.head - category.base,
            &comparison.cost_unit,
            &comparison.normalisation,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::parts::verdict::tests::{comparison, suspect};

    #[test]
    fn an_explained_share_beyond_the_whole_fills_the_bar_and_keeps_its_number() {
        assert_eq!(explained(1.26), Some(Explained { text: "126 %".to_owned(), width: 100.0 }));
        assert_eq!(explained(-0.2), Some(Explained { text: "−20 %".to_owned(), width: 0.0 }));
        assert_eq!(explained(f64::NAN), None);
    }

    #[test]
    fn many_suspects_are_folded_after_the_first_few() {
        let mut comparison = comparison();
        comparison.suspects = vec![suspect("log", Some(0.5)); 9];
        let section = section(&comparison, ProfileDrawings::default());
        assert_eq!((section.suspects.len(), section.more.len(), section.more[0].rank), (SHOWN, 4, 6));
    }

    #[test]
    fn a_suspect_says_its_cost_in_the_unit_of_the_comparison() {
        let comparison = comparison();
        let card = card(1, &suspect("log", Some(0.94)), &comparison);
        assert_eq!(card.total, ("1.000 µs/op".to_owned(), "5.000 µs/op".to_owned()));
        assert_eq!((card.change.number.as_str(), card.change.word), ("+4.000 µs/op", "more"));
        assert_eq!(card.of_which, ["allocation 61 %"]);
    }
}
