import { describe, expect, it } from 'vitest';
import { releaseNotes } from '#apps/release-notes.ts';

const changelog = `# Changelog

## 0.2.0 (2027-01-31)

The second one.

### Changes

- More.

## 0.1.0 (2026-12-01)

The first one.

## 0.1

Not a version.
`;

describe('releaseNotes()', () => {
  it('takes the chapter of the version, without its heading', () => {
    expect(releaseNotes('v0.2.0', { changelog, version: '0.2.0' })).toBe('The second one.\n\n### Changes\n\n- More.\n');
    expect(releaseNotes('v0.1.0', { changelog, version: '0.1.0' })).toBe('The first one.\n');
  });

  it('refuses a tag that is not the version of package.json', () => {
    expect(() => releaseNotes('v0.1.0', { changelog, version: '0.2.0' })).toThrow(
      'The tag "v0.1.0" is not the version of package.json: expected "v0.2.0".',
    );
  });

  it('refuses a version without a chapter, and one that is called unreleased', () => {
    expect(() => releaseNotes('v0.3.0', { changelog, version: '0.3.0' })).toThrow('no notes for 0.3.0');
    const early = changelog.replace('(2027-01-31)', '(unreleased)');
    expect(() => releaseNotes('v0.2.0', { changelog: early, version: '0.2.0' })).toThrow('calls 0.2.0 unreleased');
  });
});
