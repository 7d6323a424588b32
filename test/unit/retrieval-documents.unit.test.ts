import { describe, expect, it } from 'vitest';
import { cutChunks } from '../../src/retrieval/local/chunk.js';
import { readFrontMatter } from '../../src/retrieval/local/front-matter.js';
import { indexLimits } from '../../src/retrieval/local/limits.js';
import { parseHtml } from '../../src/retrieval/local/parse-html.js';
import { parseMarkdown } from '../../src/retrieval/local/parse-markdown.js';
import { parsePlainText } from '../../src/retrieval/local/parse-text.js';
import { slugOf } from '../../src/retrieval/local/slug.js';

/** What a document is cut into when every section is a chunk. */
const sections = (document: ReturnType<typeof parseMarkdown>) =>
  cutChunks(document, { ...indexLimits, joinChars: 0 });

describe('the title of a Markdown document', () => {
  it.each([
    ['---\ntitle: From the header\n---\n# Heading', 'From the header', true],
    ['---\ntitle: "Quoted: with colon" # note\n---\n# Heading', 'Quoted: with colon', true],
    ["+++\ntitle = 'From TOML'\n+++\n# Heading", 'From TOML', true],
    ['---\ntags: [a]\n---\n# Heading', 'Heading', true],
    ['---\ntitle: >\n  folded\n---\n# Heading', 'Heading', true],
    ['---\ntitle: ""\n---\n# Heading', 'Heading', true],
    ['## The `code` of [a link](https://x.y) **bold** {#anchor} ##', 'The code of a link bold', true],
    ['Underlined\n=====\n', 'Underlined', true],
    ['just text', 'file-name', false],
    ['#hashtag is no heading', 'file-name', false],
    ['```\n# a comment\n```', 'file-name', false],
  ])('%j', (text, title, titled) => {
    expect(parseMarkdown(text, 'file-name')).toMatchObject({ title, titled });
  });
});

describe('the header of settings', () => {
  it('is no text of the document', () => {
    const [chunk] = sections(parseMarkdown('---\ntitle: T\nsecret: x\n---\n\n# H\n\ntext', 'f'));
    expect(chunk?.content).toBe('# H\n\ntext');
  });

  it.each(['---\nnever closed', 'text\n---\na: b\n---', '---- \na\n---', '--- x\n---'])(
    'is none where it is not whole: %j',
    (text) => {
      expect(readFrontMatter(text)).toEqual({ end: 0, title: null });
    },
  );
});

describe('the sections of a Markdown document', () => {
  const text = [
    'Before any heading.',
    '# Guide',
    'Intro.',
    '## Setup',
    'Do this.',
    '```sh',
    '# not a heading',
    '',
    'run',
    '```',
    '### Details',
    'More.',
    '## Use',
    'Use it.',
  ].join('\n');

  it('begin at headings and are named by the way down to them', () => {
    expect(sections(parseMarkdown(text, 'f')).map((c) => [c.breadcrumb, c.sectionTitle])).toEqual([
      ['Guide', null],
      ['Guide', 'Guide'],
      ['Guide > Setup', 'Setup'],
      ['Guide > Setup > Details', 'Details'],
      ['Guide > Use', 'Use'],
    ]);
  });

  it('are slices of the text', () => {
    const contents = sections(parseMarkdown(text, 'f')).map((chunk) => chunk.content);
    expect(contents[2]).toBe('## Setup\nDo this.\n```sh\n# not a heading\n\nrun\n```');
    for (const content of contents) expect(text).toContain(content);
  });

  it('name the title once, also where the first heading spells it without spaces', () => {
    const repeated = parseMarkdown(
      '---\ntitle: Node Clock Skew\n---\n# NodeClockSkew\n\n## Impact\n\nx',
      'f',
    );
    expect(sections(repeated).map((chunk) => chunk.breadcrumb)).toEqual([
      'Node Clock Skew',
      'Node Clock Skew > Impact',
    ]);
  });

  it('may be underlined, but not below a list, a table or a rule', () => {
    const headings = (markdown: string) =>
      parseMarkdown(markdown, 'f').blocks.filter((block) => block.kind === 'heading').length;
    expect(headings('Title\n---\ntext')).toBe(1);
    expect(headings('| a |\n|---|\n')).toBe(0);
    expect(headings('- item\n---\n')).toBe(0);
    expect(headings('two\nlines\n---\n')).toBe(0);
    expect(headings('text\n\n---\n\ntext')).toBe(0);
  });
});

describe('joining and cutting', () => {
  const long = (n: number, word = 'word') => `${word} `.repeat(Math.ceil(n / (word.length + 1))).slice(0, n);

  it('short sections are one chunk, named by the first', () => {
    const chunks = cutChunks(parseMarkdown('# T\n\n## A\n\nshort\n\n## B\n\nshort too', 'f'));
    expect(chunks).toHaveLength(1);
    expect(chunks[0]).toMatchObject({ breadcrumb: 'T', sectionTitle: 'T' });
  });

  it('a section is not joined to one that lies deeper', () => {
    const chunks = cutChunks(
      parseMarkdown(`## A\n\n${long(700)}\n\n### A1\n\n${long(300)}\n\n## B\n\nb`, 'f'),
    );
    expect(chunks.map((chunk) => chunk.sectionTitle)).toEqual(['A', 'A1', 'B']);
  });

  it('sections that are long enough stay alone', () => {
    const chunks = cutChunks(parseMarkdown(`# A\n\n${long(500)}\n\n# B\n\n${long(500)}`, 'f'));
    expect(chunks.map((chunk) => chunk.sectionTitle)).toEqual(['A', 'B']);
  });

  it('a fence is kept together where it fits', () => {
    const code = `\`\`\`\n${'line of code\n\n'.repeat(40)}\`\`\``;
    const chunks = cutChunks(parseMarkdown(`# A\n\n${long(900)}\n\n${code}\n`, 'f'));
    expect(chunks.map((chunk) => chunk.content.includes('```'))).toEqual([false, true]);
    expect(chunks[1]?.content).toBe(code);
  });

  it('a fence that does not fit is cut between lines', () => {
    const code = `\`\`\`\n${'a line of code\n'.repeat(200)}\`\`\``;
    const chunks = cutChunks(parseMarkdown(code, 'f'));
    expect(chunks.length).toBeGreaterThan(2);
    for (const chunk of chunks) expect(chunk.content).toMatch(/^(```|a line of code)[^]*(of code|```)$/);
  });

  it('a long paragraph is cut after a sentence', () => {
    const chunks = cutChunks(parseMarkdown('这是一个关于网关超时的句子。'.repeat(300), 'f'));
    for (const chunk of chunks) expect(chunk.content).toMatch(/。$/);
  });
});

describe('HTML', () => {
  it('is what its reader sees', () => {
    const document = parseHtml(
      `<!doctype html><head><title>Site</title><style>b{}</style><body><nav>Menu</nav><h1>The &lt;Guide&gt;</h1>
       <p>One<br>line &amp; <b>more</b>&nbsp;here.<script>evil()</script><h2>Code</h2><pre>\n a = 1\n\n b\n</pre>
       <!-- hidden --><table><tr><td>x<td>y</table><noscript>no</noscript><svg><title>icon</title></svg></body>`,
      'f',
    );
    expect(document).toMatchObject({ title: 'The <Guide>', titled: true });
    expect(document.text).toBe(
      'Menu\n\nThe <Guide>\n\nOne line & more here.\n\nCode\n\n a = 1\n\n b\n\nx y\n\n',
    );
    expect(sections(document).map((chunk) => chunk.breadcrumb)).toEqual([
      'The <Guide>',
      'The <Guide>',
      'The <Guide> > Code',
    ]);
  });

  it('takes the page title where there is no heading, and the file name where there is neither', () => {
    expect(parseHtml('<title>Page &amp; title</title><p>x', 'f').title).toBe('Page & title');
    expect(parseHtml('<p>x', 'f')).toMatchObject({ title: 'f', titled: false });
  });

  it('may leave out what HTML lets it leave out', () => {
    expect(parseHtml('<title>T</title><h1>A<p>one<p>two<li>three', 'f').text).toBe(
      'A\n\none\n\ntwo\n\nthree\n\n',
    );
  });
});

describe('plain text', () => {
  it('has paragraphs and no headings', () => {
    const document = parsePlainText('# not a heading\n\n```\ntext', 'notes');
    expect(document).toMatchObject({ title: 'notes', titled: false });
    expect(document.blocks.map((block) => block.kind)).toEqual(['text', 'text']);
  });
});

describe('the id of a document', () => {
  it('is readable, of safe characters, and another for every path', () => {
    expect(slugOf('etcd/etcdNoLeader.md')).toBe('etcd-etcdNoLeader-md-7940e748');
    expect(slugOf('a/b.md')).not.toBe(slugOf('a-b.md'));
    expect(slugOf('网关/超时.md')).toMatch(/^md-[0-9a-f]{16}$/);
    expect(slugOf('😀')).toMatch(/^doc-[0-9a-f]{16}$/);
    expect(slugOf('x'.repeat(5000)).length).toBeLessThan(100);
  });
});
