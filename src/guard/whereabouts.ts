import type { Dropped } from '../contracts/generated.js';
import type { JsonObject } from '../contracts/json.js';
import { isBlank } from '../text/text.js';
import { IdIndex, type Mention } from './coordinates.js';
import type { ReadableLookup, RunLedger } from './ledger.js';
import { shownBy, type Reach } from './reach.js';
import { NearMisses, type PairBudget } from './near-misses.js';
import { shownName } from './violations.js';

/** Why a coordinate was not shown: for the detail of the violation, and in words that end its message. */
export interface Whereabouts {
  readonly detail: JsonObject & { readonly why: string };
  readonly words: string;
}

/** A coordinate that the draft uses: an id in a field, or one that is written in a text. */
export type Cited = { readonly id: string } | { readonly mention: Mention };

/** A place where a retrieved chunk was left out. */
interface Loss {
  readonly toolCallId: string;
  readonly reason: string;
}

/** Cuts that keep an item from being shown; the others shorten what is shown. */
const LOSING_CUTS = new Set(['ITEM_CAP', 'ID_COLLISION', 'BYTE_BUDGET']);

/** Looks for coordinates that were not shown where they are cited. Everything is indexed once, on first use. */
export class WhereaboutsSearch {
  readonly #ledger: RunLedger;
  readonly #budget: PairBudget;
  #shown: IdIndex<string> | undefined;
  #lost: IdIndex<readonly Loss[]> | undefined;
  #elsewhere: IdIndex<string> | undefined;
  #nearMisses: NearMisses | undefined;

  constructor(ledger: RunLedger, budget: PairBudget) {
    this.#ledger = ledger;
    this.#budget = budget;
  }

  /** `reach`: what is cited where the coordinate stands; what that lost or showed is named first. */
  find(cited: Cited, reach: Reach): Whereabouts {
    return (
      this.#otherCall(cited) ??
      this.#dropped(cited, reach) ??
      this.#otherRun(cited) ??
      this.#malformed(cited, reach) ?? {
        detail: { why: 'NEVER_RETRIEVED' },
        words: ', and no lookup of this run retrieved it: do not cite it',
      }
    );
  }

  #shownByRun(): IdIndex<string> {
    return (this.#shown ??= shownBy(this.#ledger.readable()));
  }

  #otherCall(cited: Cited): Whereabouts | undefined {
    const call = lookUp(this.#shownByRun(), cited);
    return call === undefined
      ? undefined
      : {
          detail: { why: 'OTHER_CALL', shown_by: call },
          words: `, but lookup ${shownName(call)} did: cite that lookup too, or leave it out`,
        };
  }

  #dropped(cited: Cited, reach: Reach): Whereabouts | undefined {
    this.#lost ??= lossesById(this.#ledger.readable());
    const losses = lookUp(this.#lost, cited);
    if (losses === undefined) return undefined;
    const loss = losses.find(({ toolCallId }) => reach.calls.has(toolCallId)) ?? losses[0];
    return {
      detail: { why: 'DROPPED', reason: loss?.reason, dropped_by: loss?.toolCallId },
      words: `: it was retrieved but left out (${shownName(loss?.reason ?? '')}), so do not cite it`,
    };
  }

  #otherRun(cited: Cited): Whereabouts | undefined {
    this.#elsewhere ??= shownBy(this.#ledger.foreign());
    return lookUp(this.#elsewhere, cited) === undefined
      ? undefined
      : { detail: { why: 'OTHER_RUN' }, words: ': it was shown in another run, so do not cite it' };
  }

  #malformed(cited: Cited, reach: Reach): Whereabouts | undefined {
    this.#nearMisses ??= new NearMisses([...this.#shownByRun().ids()], this.#budget);
    const near = this.#nearMisses.near('id' in cited ? cited.id : cited.mention.written);
    if (near.length === 0) return undefined;
    const nearest = near.find((id) => reach.shown.has(id)) ?? near[0] ?? '';
    return {
      detail: { why: 'MALFORMED', nearest },
      words: `, but ${shownName(nearest)} was shown: write ids exactly as they were shown`,
    };
  }
}

function lookUp<T>(index: IdIndex<T>, cited: Cited): T | undefined {
  return 'id' in cited ? index.get(cited.id) : index.at(cited.mention);
}

function lossesById(lookups: readonly ReadableLookup[]): IdIndex<Loss[]> {
  const losses = new IdIndex<Loss[]>();
  for (const { toolCallId, entry } of lookups) {
    for (const drop of entry.dropped) note(losses, identityOf(drop), { toolCallId, reason: drop.reason });
    for (const { documentId, code } of entry.cuts) {
      if (documentId !== null && LOSING_CUTS.has(code))
        note(losses, documentId, { toolCallId, reason: code });
    }
  }
  return losses;
}

function note(losses: IdIndex<Loss[]>, id: string, loss: Loss): void {
  const noted = losses.get(id);
  if (noted === undefined) losses.add(id, [loss]);
  else noted.push(loss);
}

/** The identity under which the chunk would have been shown. */
function identityOf({ evidenceKey, documentId }: Dropped): string {
  return isBlank(evidenceKey) ? documentId : evidenceKey;
}
