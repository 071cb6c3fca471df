import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '#test/architecture/repository.ts';
import { CHAPTERS, catalogueText } from '#test/catalogue/catalogue.ts';

const entries = CHAPTERS.flatMap((chapter) => chapter.entries);

describe('docs/errors.md', () => {
  it('is what npm run errors writes', () => {
    expect(readFileSync(join(repository, 'docs/errors.md'), 'utf8')).toBe(catalogueText());
  });

  it.each(entries)('$code means something, and its example is refused with it', ({ code, meaning, issues }) => {
    expect(meaning.length).toBeGreaterThan(20);
    expect(issues[0]).toMatchObject({ rule: code, message: expect.any(String) as string });
  });

  it('has every code once', () => {
    const codes = entries.map(({ code }) => code);
    expect(codes.length).toBeGreaterThan(90);
    expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([]);
  });
});
