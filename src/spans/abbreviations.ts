/** Abbreviations whose full stop ends no sentence. Lower case, without the last full stop. */

/** Something always follows. */
export const OPEN_ABBREVIATIONS: ReadonlySet<string> = words(
  `mr mrs ms dr prof st gen col sgt capt lt rev hon
  e.g eg i.e ie cf viz vs v approx incl excl resp esp`,
);

/** A number follows: only then it ends no sentence. */
export const NUMBERED_ABBREVIATIONS: ReadonlySet<string> = words(
  `fig figs eq eqs ref refs sec secs ch chap no nos nr vol vols p pp par para art app tab ver
  jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun`,
);

/** A sentence may end with it: it does where the next word begins with a capital letter, or with none of case. */
export const CLOSING_ABBREVIATIONS: ReadonlySet<string> = words(
  `etc al inc ltd co corp llc bros jr sr ph.d phd m.sc b.sc a.m p.m u.s u.k e.u d.c
  min max avg std dept est hr hrs msec`,
);

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}
