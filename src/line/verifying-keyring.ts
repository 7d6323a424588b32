import type { Config } from '../config/config.js';
import { isProoflineError } from '../contracts/errors.js';
import { openKeyring, type Keyring } from '../ledger/keyring.js';
import { dataFolder } from './data-folder.js';

/** The keys that verify, where the configuration says; null where there is none. @throws ProoflineError PL_KEY_INVALID. */
export function verifyingKeyring({ keys, data }: Pick<Config, 'keys' | 'data'>): Keyring | null {
  try {
    return openKeyring(keys ?? dataFolder(data).keys, { create: false, verifyOnly: true });
  } catch (error) {
    if (isProoflineError(error, 'PL_NOT_FOUND')) return null;
    throw error;
  }
}
