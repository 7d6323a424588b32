import { join } from 'node:path';
import { listKeys } from '../ledger/keyring.js';
import { failure, ok, warning, type Check } from './check.js';

/**
 * The keys of a folder: each usable, its file closed to others, and one of them to sign with. Only the line of a data
 * folder makes a key where there is none.
 */
export function checkKeys(
  folder: string,
  { madeByLine }: { readonly madeByLine: boolean },
): readonly Check[] {
  const keys = listKeys(folder);
  const broken = keys.filter(({ problem }) => problem !== null);
  if (broken.length > 0)
    return broken.map(({ file, problem }) =>
      failure(
        'keys',
        `${join(folder, file)}: ${problem ?? ''}`,
        'Mend or remove the file; `proofline keys list` shows all.',
      ),
    );
  const signing = keys.filter(({ kind }) => kind === 'private');
  const [signer, second] = signing;
  if (signer === undefined) {
    const finding = `there is no key to sign with in ${folder}`;
    return madeByLine
      ? [warning('keys', finding, 'The line makes one when it starts.')]
      : [
          failure(
            'keys',
            finding,
            'Make one with `proofline keys new`, or set PROOFLINE_KEYS to the folder that has it.',
          ),
        ];
  }
  if (second !== undefined)
    return [
      failure(
        'keys',
        `there are ${signing.length} private keys in ${folder}`,
        '`proofline keys rotate` leaves one.',
      ),
    ];
  const others = new Set(keys.map(({ keyId }) => keyId)).size - 1;
  const more = others === 0 ? '' : `; ${others} more to verify with`;
  return [ok('keys', `signs with ${signer.keyId}, whose file is closed to others${more}`)];
}
