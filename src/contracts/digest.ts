import { hash } from 'node:crypto';
import type { Sha256 } from '../text/text.js';

/** SHA-256 of the text's UTF-8 bytes, lower-case hex. */
export const sha256: Sha256 = (text) => hash('sha256', text);
