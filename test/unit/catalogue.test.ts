import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '#test/architecture/repository.ts';
import { CHAPTERS, catalogueText } from '#test/catalogue/catalogue.ts';
import { servedKindsText } from '#test/catalogue/served-kinds.ts';

const entries = CHAPTERS.flatMap((chapter) => chapter.entries);

describe('docs/served-kinds.md', () => {
  it('is what npm run errors writes', () => {
    const text = servedKindsText();
    expect(text).toMatch(/\| `pods` v1 \| Pod \| yes \| yes \|\n/);
    expect(readFileSync(join(repository, 'docs/served-kinds.md'), 'utf8')).toBe(text);
  });
});

describe('docs/errors.md', () => {
  it('is what npm run errors writes', () => {
    expect(readFileSync(join(repository, 'docs/errors.md'), 'utf8')).toBe(catalogueText());
  });

  it.each(entries)('$code means something, and its example is refused with it', ({ code, meaning, issues }) => {
    expect(meaning.length).toBeGreaterThan(20);
    expect(issues[0]).toMatchObject({ rule: code, message: expect.any(String) as string });
  });

  it('has every code that an Operator or a release is refused with', () => {
    const folders = ['lib/kind/evolution', 'constructs/operator'].flatMap((folder) =>
      readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => join(repository, folder, file)),
    );
    const given = folders.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/\brule: '([a-z-]+)'/g)]);
    const known = new Set(entries.map(({ code }) => code));
    expect(given.length).toBeGreaterThan(25);
    expect(given.map(([, code = '']) => code).filter((code) => !known.has(code))).toEqual([]);
  });

  it('has every code once', () => {
    const codes = entries.map(({ code }) => code);
    expect(codes.length).toBeGreaterThan(90);
    expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([]);
  });
});
