import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync, type Stats } from 'node:fs';
import * as z from 'zod';
import { ProoflineError } from '../contracts/errors.js';
import { parseJson } from '../contracts/json.js';
import { globMatcher } from '../retrieval/local/glob.js';

/**
 * Bearer tokens. A token is `plt_ID_SECRET` with a secret of 256 random bits, of which the SHA-256 is kept: nobody can
 * guess 256 bits, so a slow password hash would make every request slow and no token safer. The id is no secret: it
 * finds the row, so that one digest is compared, in constant time.
 */

export const SCOPES = ['lookup', 'submit', 'read', 'review'] as const;
export type Scope = (typeof SCOPES)[number];

/** What a token may do, and for which runs. */
export interface Grant {
  readonly id: string;
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  coversRun(runId: string): boolean;
}

const MAX_TOKENS = 10_000;
const MAX_FILE_BYTES = 16 * 1024 * 1024;

const runPattern = z.string().regex(/^[A-Za-z0-9._:@=+*-]{1,128}$/);

const tokenSchema = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  name: z.string().max(200),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length),
  runs: z.array(runPattern).min(1).max(64),
  created_at: z.iso.datetime(),
});

const fileSchema = z.strictObject({
  format: z.literal(1),
  tokens: z.array(tokenSchema).max(MAX_TOKENS),
});

/** A token as the file keeps it. */
export type TokenRow = z.output<typeof tokenSchema>;

export function isRunPattern(text: string): boolean {
  return runPattern.safeParse(text).success;
}

/** A new token and its row; only the row is kept. */
export function newToken(
  of: Pick<TokenRow, 'name' | 'scopes' | 'runs'>,
  now: number,
): { readonly token: string; readonly row: TokenRow } {
  const id = randomBytes(8).toString('hex');
  const token = `plt_${id}_${randomBytes(32).toString('base64url')}`;
  const created = new Date(now).toISOString();
  return { token, row: { id, ...of, sha256: digestOf(token).toString('hex'), created_at: created } };
}

const TOKEN = /^plt_([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/;

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

/** Reads the rows; none where there is no file yet and it may be missing. @throws ProoflineError PL_TOKENS_UNUSABLE */
export function readTokenFile(file: string, { mayBeMissing = false } = {}): readonly TokenRow[] {
  const unusable = (problem: string, cause?: unknown): ProoflineError =>
    new ProoflineError('PL_TOKENS_UNUSABLE', { file, problem }, { cause });
  const found = statOrNull(file);
  if (found === null) {
    if (mayBeMissing) return [];
    throw unusable('it is not there');
  }
  const problem = problemOf(found);
  if (problem !== null) throw unusable(problem);
  const parsed = fileSchema.safeParse(parseJson(readFileSync(file, 'utf8')));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw unusable(`${issue?.path.join('.') ?? ''} ${issue?.message ?? 'it is no file of tokens'}`.trim());
  }
  return parsed.data.tokens;
}

/** Who may write it may let himself in. Reading it lets nobody in: it has digests only. */
function problemOf(found: Stats): string | null {
  if (!found.isFile()) return 'it is no file';
  if (found.size > MAX_FILE_BYTES) return `it has more than ${MAX_FILE_BYTES} bytes`;
  if (process.getuid === undefined) return null;
  if ((found.mode & 0o022) !== 0) return 'others than its owner may write it';
  return found.uid === process.getuid() || found.uid === 0 ? null : 'it belongs to somebody else';
}

function statOrNull(file: string): Stats | null {
  try {
    return statSync(file);
  } catch {
    return null;
  }
}

/** The tokens of a file, read again when it changes. */
export interface TokenBook {
  /** Who the token says it is; null for a token that is none. @throws ProoflineError PL_TOKENS_UNUSABLE */
  grantOf(token: string): Grant | null;
}

/** How long a look at the file holds, in milliseconds: a token that was revoked is refused after that. */
const LOOK_MS = 500;

type Known = ReadonlyMap<string, { readonly grant: Grant; readonly digest: Buffer }>;

/** @throws ProoflineError PL_TOKENS_UNUSABLE */
export function openTokenBook(file: string, now: () => number = () => performance.now()): TokenBook {
  // Taken before the file is read: what changes in between is read again.
  let stamp = stampOf(file);
  let known: Known | ProoflineError = readKnown(file);
  let looked = now();

  /** A file that cannot be used lets nobody in, who was let in before included. */
  function current(): Known {
    if (now() - looked >= LOOK_MS) {
      looked = now();
      const found = stampOf(file);
      if (found !== stamp) [stamp, known] = [found, readOrError(file)];
    }
    if (known instanceof ProoflineError) throw known;
    return known;
  }

  return {
    grantOf(token) {
      const id = TOKEN.exec(token)?.[1];
      const row = id === undefined ? undefined : current().get(id);
      const digest = digestOf(token);
      const same = timingSafeEqual(digest, row?.digest ?? NOBODY);
      return same && row !== undefined ? row.grant : null;
    },
  };
}

const NOBODY = Buffer.alloc(32);

function stampOf(file: string): string {
  const found = statOrNull(file);
  return found === null ? 'missing' : [found.ino, found.size, found.mtimeMs, found.mode].join(' ');
}

function readOrError(file: string): Known | ProoflineError {
  try {
    return readKnown(file);
  } catch (error) {
    if (error instanceof ProoflineError) return error;
    const problem = 'it cannot be read';
    return new ProoflineError('PL_TOKENS_UNUSABLE', { file, problem }, { cause: error });
  }
}

function readKnown(file: string): Known {
  return new Map(
    readTokenFile(file).map((row) => [
      row.id,
      { grant: grantOf(row), digest: Buffer.from(row.sha256, 'hex') },
    ]),
  );
}

function grantOf({ id, name, scopes, runs }: TokenRow): Grant {
  const matchers = runs.map(globMatcher);
  return {
    id,
    name,
    scopes: new Set(scopes),
    coversRun: (runId) => matchers.some((matches) => matches(runId)),
  };
}
