//! What colours mean, in light and in dark.
//!
//! Every colour of a picture has a [`Role`]. A theme gives each role a colour of its own, so a page can re-map
//! a role by an attribute selector (`svg.pf [fill="#F28E3C"]`), which CSS ranks above presentation attributes.
//! [`reserved`] lists the colours to re-map and [`dark_css`] prints the rules.
//!
//! More and less are orange and blue: told apart under every common colour blindness (Machado 2009, severity
//! 1.0: ΔE at least 85), unlike red and green. A sign or word always stands beside them.

use std::fmt::Write as _;

use model::Category;

/// A colour. `Display` prints the six-digit form in capitals, which is what plotters writes into SVG, so that
/// attribute selectors match all pictures alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rgb(
    /// Red.
    pub u8,
    /// Green.
    pub u8,
    /// Blue.
    pub u8,
);

impl std::fmt::Display for Rgb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{:02X}{:02X}{:02X}", self.0, self.1, self.2)
    }
}

impl Rgb {
    const fn hex(rgb: u32) -> Self {
        Self((rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8)
    }

    /// `part` of `other` (0 to 1) in the rest of `self`, in sRGB.
    fn mix(self, other: Self, part: f64) -> Self {
        let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * part).round() as u8;
        Self(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }

    /// The same hue, a little more colourful, at a relative luminance.
    fn darkened(self, luminance: f64) -> Self {
        let mean = (f64::from(self.0) + f64::from(self.1) + f64::from(self.2)) / 3.0;
        let vivid = |channel: u8| (mean + (f64::from(channel) - mean) * 1.3).round().clamp(0.0, 255.0) as u8;
        let vivid = Self(vivid(self.0), vivid(self.1), vivid(self.2));
        let factor = luminance / vivid.luminance().max(1e-6);
        let scaled = |channel: u8| {
            let c = (linear(channel) * factor).min(1.0);
            let encoded = if c <= 0.003_130_8 { c * 12.92 } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
            (encoded * 255.0).round() as u8
        };
        Self(scaled(vivid.0), scaled(vivid.1), scaled(vivid.2))
    }

    /// Contrast ratio of WCAG 2.2 (1 to 21).
    pub fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance() + 0.05, other.luminance() + 0.05);
        a.max(b) / a.min(b)
    }

    /// Relative luminance of WCAG 2.2.
    fn luminance(self) -> f64 {
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }
}

/// A channel of sRGB as linear light, 0 to 1 (IEC 61966-2-1).
fn linear(channel: u8) -> f64 {
    let c = f64::from(channel) / 255.0;
    if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

/// Which colours a picture is printed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Theme {
    /// For files on a light ground, which the picture paints itself.
    Light,
    /// For files on a dark ground, which the picture paints itself.
    Dark,
    /// For a page: the light colours without a ground; the page's stylesheet re-maps them in the dark.
    Page,
    /// For images that cannot see a page's stylesheet (comments): the light colours with a ground, and a
    /// `<style>` element that re-maps them where the reader prefers the dark. Not for inlining into a page.
    Auto,
}

/// Number of steps of colour on either side of no change.
pub const STEPS: u8 = 5;

/// What a colour stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Role {
    /// The ground.
    Ground,
    /// Titles, names and numbers.
    Text,
    /// Axis labels and notes.
    Muted,
    /// Grid lines.
    Grid,
    /// Axis and zero lines, outlines.
    Axis,
    /// The band of changes below the floor.
    Band,
    /// The baseline's marks.
    Base,
    /// The candidate's marks, and a history's line.
    Head,
    /// The candidate's interval and a history's whiskers.
    Interval,
    /// Marks and words of what got worse.
    Worse,
    /// Marks and words of what got better.
    Better,
    /// Boxes and cells without a change that counts.
    Neutral,
    /// Frames that only the candidate has.
    New,
    /// Frames that only the baseline has.
    Gone,
    /// Cost grew, step 1 (least) to [`STEPS`].
    More(u8),
    /// Cost shrank, step 1 (least) to [`STEPS`].
    Less(u8),
    /// The box of all stacks, and callers of a focused frame.
    Root,
    /// Frames summed because they are too many or too small.
    Rest,
    /// A frame that a search matched.
    Match,
    /// Lettering on boxes, cells and category bars.
    OnFill,
    /// What a frame is for. Categories of the same family share a hue; user-defined ones have one together.
    Kind(Category),
}

const LIGHT_GROUND: Rgb = Rgb::hex(0x00FF_FFFF);
const DARK_GROUND: Rgb = Rgb::hex(0x000D_1117);
/// As light as a box may be in the dark for its light lettering to have a contrast of 4.5.
const DARK_KIND_LUMINANCE: f64 = 0.155;

impl Role {
    /// Every role once; user-defined categories stand as one.
    pub fn all() -> Vec<Self> {
        let mut all = vec![
            Self::Ground,
            Self::Text,
            Self::Muted,
            Self::Grid,
            Self::Axis,
            Self::Band,
            Self::Base,
            Self::Head,
            Self::Interval,
            Self::Worse,
            Self::Better,
            Self::Neutral,
            Self::New,
            Self::Gone,
            Self::Root,
            Self::Rest,
            Self::Match,
            Self::OnFill,
        ];
        all.extend((1..=STEPS).map(Self::More));
        all.extend((1..=STEPS).map(Self::Less));
        all.extend(Category::BUILT_IN.into_iter().map(Self::Kind));
        all.push(Self::Kind(Category::User(String::new())));
        all
    }

    /// The name in [`reserved`], fit for a CSS custom property: `more-3`, `kind-gc`.
    pub fn name(&self) -> String {
        match self {
            Self::More(step) => format!("more-{step}"),
            Self::Less(step) => format!("less-{step}"),
            Self::Kind(Category::User(_)) => "kind-user".to_owned(),
            Self::Kind(category) => format!("kind-{}", category.name()),
            Self::OnFill => "on-fill".to_owned(),
            other => format!("{other:?}").to_ascii_lowercase(),
        }
    }

    /// Light and dark.
    fn colours(&self) -> (Rgb, Rgb) {
        let pair = |light, dark| (Rgb::hex(light), Rgb::hex(dark));
        match self {
            Self::Ground => (LIGHT_GROUND, DARK_GROUND),
            Self::Text => pair(0x001F_2328, 0x00E6_EDF3),
            Self::Muted => pair(0x0059_636E, 0x0095_A0AC),
            Self::Grid => pair(0x00E3_E6EA, 0x0026_2C34),
            Self::Axis => pair(0x008C_959F, 0x0060_6A76),
            Self::Band => pair(0x00EE_F1F4, 0x001C_222A),
            Self::Base => pair(0x008A_94A3, 0x0088_93A2),
            Self::Head => pair(0x000F_7B86, 0x004C_C2C9),
            Self::Interval => pair(0x00A5_CDD1, 0x0024_626A),
            Self::Worse => pair(0x00B4_510A, 0x00FF_A657),
            Self::Better => pair(0x0025_67B0, 0x0079_B8FF),
            Self::Neutral => pair(0x00E8_E8E8, 0x0033_3840),
            Self::New => pair(0x00C9_A7EB, 0x006B_4A91),
            Self::Gone => pair(0x00FA_FAFB, 0x0014_191F),
            Self::Root => pair(0x00DD_E2E8, 0x003A_424C),
            Self::Rest => pair(0x00EC_EEF1, 0x0022_2932),
            Self::Match => pair(0x00FF_8AD8, 0x00B8_1A88),
            Self::OnFill => pair(0x0014_171A, 0x00F3_F6F9),
            Self::More(step) => step_colours(*step, (Rgb::hex(0x00F2_8E3C), Rgb::hex(0x00AC_5510))),
            Self::Less(step) => step_colours(*step, (Rgb::hex(0x007F_B0E6), Rgb::hex(0x0036_71B3))),
            Self::Kind(category) => {
                let light = kind_colour(category);
                let luminance = match category {
                    Category::Idle => 0.06,
                    Category::Other => 0.1,
                    _ => DARK_KIND_LUMINANCE,
                };
                (light, light.darkened(luminance))
            }
        }
    }
}

/// A step between neutral and the end of its side. The first step is far enough from neutral to be seen.
fn step_colours(step: u8, end: (Rgb, Rgb)) -> (Rgb, Rgb) {
    let (light, dark) = Role::Neutral.colours();
    let part = 0.1 + 0.9 * f64::from(step.clamp(1, STEPS)) / f64::from(STEPS);
    (light.mix(end.0, part), dark.mix(end.1, part))
}

/// Nine hues and one for user-defined categories; paler and deeper shades within a family; greys for the rest.
fn kind_colour(category: &Category) -> Rgb {
    Rgb::hex(match category {
        Category::Logging => 0x00EB_C764,
        Category::Copy => 0x00F2_A18A,
        Category::Allocation => 0x00EC_98B4,
        Category::Gc => 0x00F5_C1D2,
        Category::Lock => 0x00CB_A486,
        Category::Scheduler => 0x00DF_C8B4,
        Category::Serialization => 0x009E_CC88,
        Category::Formatting => 0x00C5_E2B8,
        Category::Compression => 0x0083_CDBD,
        Category::Checksum => 0x00B0_DFD5,
        Category::Crypto => 0x0069_B8B0,
        Category::Io => 0x008F_C4EA,
        Category::Reflection => 0x00AF_A9EA,
        Category::Exceptions => 0x00CC_C8F4,
        Category::Jit => 0x009A_93DB,
        Category::Regex => 0x00C9_D277,
        Category::Hashing => 0x00DF_E5A6,
        Category::User(_) => 0x00D9_9FE2,
        Category::Idle => 0x00EA_ECEF,
        Category::Other => 0x00D3_D9DF,
    })
}

impl Theme {
    /// The colour of a role.
    pub fn colour(self, role: &Role) -> Rgb {
        let (light, dark) = role.colours();
        if self == Self::Dark { dark } else { light }
    }
}

/// A colour that [`Theme::Page`] prints and a page re-maps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reserved {
    /// What it stands for; see [`Role::name`].
    pub name: String,
    /// What pictures hold, in `fill` or `stroke`.
    pub light: Rgb,
    /// What to show in the dark.
    pub dark: Rgb,
}

/// Every reserved colour. No two roles share one.
pub fn reserved() -> Vec<Reserved> {
    let entry = |role: Role| {
        let (light, dark) = role.colours();
        Reserved { name: role.name(), light, dark }
    };
    Role::all().into_iter().map(entry).collect()
}

/// The rules that turn pictures under `scope` (`svg.pf`) dark, without the media query around them.
pub fn dark_css(scope: &str) -> String {
    let mut css = String::new();
    for Reserved { light, dark, .. } in reserved() {
        // Writing to a string cannot fail.
        let _ = writeln!(
            css,
            "{scope} [fill=\"{light}\"]{{fill:{dark}}}{scope} [stroke=\"{light}\"]{{stroke:{dark}}}"
        );
    }
    css
}

/// The step of a change's colour, 0 for none: a change counts from `threshold` on, and each step is √10 times
/// the one before. Symmetric in sign.
pub fn step(change: f64, threshold: f64) -> u8 {
    let size = change.abs();
    if size.is_nan() || size == 0.0 || size < threshold {
        return 0;
    }
    if threshold <= 0.0 || size.is_infinite() {
        return STEPS;
    }
    // The tiny excess keeps a change that is exactly on a step's edge on it.
    ((size / threshold).log10() * 2.0 + 1e-9).floor().clamp(0.0, f64::from(STEPS - 1)) as u8 + 1
}

/// The smallest change of a step (1 to [`STEPS`]), the printed scale.
pub fn step_start(step: u8, threshold: f64) -> f64 {
    threshold * 10_f64.powf(f64::from(step.saturating_sub(1)) / 2.0)
}

/// The role of a signed change.
pub fn change_role(change: f64, threshold: f64) -> Role {
    match step(change, threshold) {
        0 => Role::Neutral,
        step if change > 0.0 => Role::More(step),
        step => Role::Less(step),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_roles_share_a_colour_in_light_or_in_dark() {
        let all = reserved();
        let light: BTreeSet<_> = all.iter().map(|r| r.light).collect();
        let dark: BTreeSet<_> = all.iter().map(|r| r.dark).collect();
        let names: BTreeSet<_> = all.iter().map(|r| &r.name).collect();
        assert_eq!((light.len(), dark.len(), names.len()), (all.len(), all.len(), all.len()));
    }

    #[test]
    fn lettering_can_be_read_on_every_fill_and_on_the_ground() {
        for theme in [Theme::Light, Theme::Dark] {
            let on_fill = theme.colour(&Role::OnFill);
            for role in Role::all() {
                let colour = theme.colour(&role);
                let is_fill = matches!(
                    role,
                    Role::Kind(_) | Role::More(_) | Role::Less(_) | Role::New | Role::Neutral | Role::Match
                );
                if is_fill || matches!(role, Role::Root | Role::Rest | Role::Gone) {
                    assert!(
                        on_fill.contrast(colour) >= 4.5,
                        "{theme:?} {role:?} {}",
                        on_fill.contrast(colour)
                    );
                }
                if matches!(role, Role::Text | Role::Muted | Role::Worse | Role::Better) {
                    let ground = theme.colour(&Role::Ground);
                    assert!(ground.contrast(colour) >= 4.5, "{theme:?} {role:?} {}", ground.contrast(colour));
                }
            }
        }
    }

    #[test]
    fn the_ends_of_the_scale_are_the_reserved_orange_and_blue() {
        assert_eq!(Theme::Light.colour(&Role::More(STEPS)).to_string(), "#F28E3C");
        assert_eq!(Theme::Light.colour(&Role::Less(STEPS)).to_string(), "#7FB0E6");
        assert_eq!(Theme::Light.colour(&Role::Neutral).to_string(), "#E8E8E8");
        assert_eq!(Theme::Light.colour(&Role::New).to_string(), "#C9A7EB");
    }

    #[test]
    fn steps_are_logarithmic_and_symmetric() {
        for (change, expected) in [
            (0.0, 0),
            (0.0049, 0),
            (0.005, 1),
            (0.015, 1),
            (0.016, 2),
            (0.05, 3),
            (0.16, 4),
            (0.5, 5),
            (9.0, 5),
        ] {
            assert_eq!(step(change, 0.005), expected, "{change}");
            assert_eq!(step(-change, 0.005), expected, "{change}");
        }
        assert_eq!((step(f64::NAN, 0.005), step(f64::INFINITY, 0.005), step(0.1, 0.0)), (0, 5, 5));
        assert_eq!(change_role(-0.2, 0.005), Role::Less(4));
    }

    #[test]
    fn the_dark_rules_name_every_reserved_colour() {
        let css = dark_css("svg.pf");
        for colour in reserved() {
            assert!(css.contains(&format!("[fill=\"{}\"]{{fill:{}}}", colour.light, colour.dark)));
        }
    }
}
