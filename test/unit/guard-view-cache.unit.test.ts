import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/contracts/digest.js';
import { writeAgentView } from '../../src/evidence/agent-view.js';
import { cachedViews, plainViews } from '../../src/guard/view-cache.js';
import { view } from '../support/guard.js';

/** A cache, and how many texts it had to digest. */
function counting(capacity?: number) {
  const digested: string[] = [];
  const views = cachedViews((text) => {
    digested.push(text);
    return sha256(text);
  }, capacity);
  return { views, digested };
}

const text = (id: string): string => writeAgentView(view(id, ['d']));
const read = (views: ReturnType<typeof cachedViews>, id: string) =>
  views.readView(text(id), id, sha256(text(id)));

describe('given a cache of agent views', () => {
  it('when a view is asked for again, then it is neither digested nor read again', () => {
    const { views, digested } = counting();
    const first = read(views, 'c1');
    expect(first).toEqual(plainViews(sha256).readView(text('c1'), 'c1', null));
    expect(read(views, 'c1')).toBe(first);
    expect(digested).toHaveLength(1);
  });

  it('when a changed text claims the digest of the true one, then it is digested itself', () => {
    const { views } = counting();
    const stated = sha256(text('c1'));
    const tampered = text('c1').replace('text of d', 'text of e');
    for (const order of [
      [text('c1'), tampered],
      [tampered, text('c1'), tampered],
    ]) {
      for (const candidate of order) {
        expect(views.readView(candidate, 'c1', stated).sha256).toBe(sha256(candidate));
      }
    }
  });

  it('when the same text is asked for as another call, then it is that call’s problem', () => {
    const { views } = counting();
    const stated = sha256(text('c1'));
    expect(views.readView(text('c1'), 'c1', stated).reading).toHaveProperty('view');
    expect(views.readView(text('c1'), 'c2', stated).reading).toHaveProperty('problem');
    expect(views.readView(text('c1'), 'c1', stated).reading).toHaveProperty('view');
  });

  it('when it is full, then the view that was not asked for the longest goes first', () => {
    const { views, digested } = counting(2);
    read(views, 'a');
    read(views, 'b');
    read(views, 'a');
    read(views, 'c');
    expect(digested).toEqual([text('a'), text('b'), text('c')]);
    read(views, 'a');
    expect(digested).toHaveLength(3);
    read(views, 'b');
    expect(digested).toHaveLength(4);
  });

  it('when there is no digest, or the text is far too long, then nothing is remembered', () => {
    const { views, digested } = counting();
    const long = 'x'.repeat(100_000);
    for (let i = 0; i < 2; i++) {
      views.readView(text('c1'), 'c1', null);
      views.readView(long, 'c1', sha256(long));
    }
    expect(digested).toHaveLength(4);
  });
});
