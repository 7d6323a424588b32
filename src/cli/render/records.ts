import { shownRecordJson, type ShownRecord } from '../../line/tail.js';
import { column, type Paint } from './page.js';
import { safeCut, safeText } from './safe-text.js';
import { instant } from './trail-parts.js';

/** How much of a value a person is shown on its line; --json has it whole. */
const SHOWN = 400;

/** A record on one line: when, where, key, and the beginning of what it says. */
export function renderRecord(shown: ShownRecord, paint: Paint): string {
  const { record, error } = shown;
  const place = `${record.partition}@${record.offset}`;
  const key = record.key === null ? '(no key)' : safeCut(record.key.toString('utf8'), 64);
  const head = [
    paint('faint', instant(record.timestamp)),
    column(place, 9),
    paint('strong', column(key, 20)),
  ];
  if (error !== null) return `${head.join('  ')}  ${paint('bad', error.code)} ${safeText(error.message)}`;
  return `${head.join('  ')}  ${valueOf(shown)}`;
}

function valueOf(shown: ShownRecord): string {
  if (shown.message === null) return '(tombstone)';
  return safeCut(JSON.stringify(shownRecordJson(shown)['value']), SHOWN);
}
