import { describe, expect, it } from 'vitest';
import { compilePattern } from '#lib/kind/json-schema/regular-expression.ts';

const sourceOf = (pattern: string): string | undefined => {
  const compiled = compilePattern(pattern);
  return 'refusal' in compiled ? undefined : compiled.regExp.source;
};
const matches = (pattern: string, text: string): boolean => {
  const compiled = compilePattern(pattern);
  return 'refusal' in compiled ? false : compiled.regExp.test(text);
};

describe('compilePattern()', () => {
  it.each([
    { pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', reason: 'a DNS label' },
    { pattern: '^[0-9]+%$', reason: 'a percentage' },
    { pattern: '^(?:a|b)+?$', reason: 'groups and lazy repeats' },
    { pattern: '[\\^\\-\\]]', reason: 'escapes in a class' },
    { pattern: '\\p{Lu}\\x41\\t', reason: 'categories and characters' },
    { pattern: '[(?:]', reason: 'a class with the characters of a group' },
    { pattern: '(?:a{50}){20}(b{50}){20}', reason: 'counts beside each other' },
    { pattern: '(?<year>\\d{4})', reason: 'a named group' },
  ])('compilePattern() takes $pattern as it is: $reason', ({ pattern }) => {
    expect(sourceOf(pattern)).toBe(pattern);
  });

  it.each([
    { pattern: '^a.b$', text: 'a\rb', is: true, reason: 'a dot is anything but a line feed' },
    { pattern: '^a.b$', text: 'a\nb', is: false, reason: 'a dot is no line feed' },
    { pattern: '^\\s$', text: '\u00A0', is: false, reason: 'white space is ASCII' },
    { pattern: '^[\\s]$', text: '\t', is: true, reason: 'white space in a class' },
    { pattern: '^\\S$', text: '\u00A0', is: true, reason: 'other white space is none' },
    { pattern: '\\Aab\\z', text: 'ab', is: true, reason: 'ends of the text' },
    { pattern: '\\Aab\\z', text: 'cab', is: false, reason: 'ends of the text, again' },
    { pattern: '^\\-\\_\\@$', text: '-_@', is: true, reason: 'escaped punctuation' },
    { pattern: '^\\x{1F600}$', text: '\u{1F600}', is: true, reason: 'a long character' },
    { pattern: '^.$', text: '\u{1F600}', is: true, reason: 'characters are code points' },
    { pattern: '^\\101$', text: 'A', is: true, reason: 'an octal character' },
    { pattern: '^(?P<a>b)$', text: 'b', is: true, reason: 'a group named as in Python' },
    { pattern: '^[.]$', text: 'a', is: false, reason: 'a dot in a class is a dot' },
  ])('compilePattern() reads $pattern as RE2 does: $reason', ({ pattern, text, is }) => {
    expect(matches(pattern, text)).toBe(is);
  });

  it.each([
    { pattern: '(?=a)', says: 'look-around', reason: 'look-ahead' },
    { pattern: '(?!a)', says: 'look-around', reason: 'negative look-ahead' },
    { pattern: '(?<=a)', says: 'look-around', reason: 'look-behind' },
    { pattern: '(?<!a)', says: 'look-around', reason: 'negative look-behind' },
    { pattern: '(a)\\1', says: 'back-reference', reason: 'a numbered reference' },
    { pattern: '(?<a>b)\\k<a>', says: 'back-reference', reason: 'a named reference' },
    { pattern: '\\u0041', says: '\\u', reason: 'an escape of JavaScript' },
    { pattern: '\\cA', says: '\\c', reason: 'a control escape of JavaScript' },
    { pattern: '\\Z', says: '\\Z', reason: 'an escape of Perl' },
    { pattern: '\\Qa.b\\E', says: '\\Q', reason: 'a quotation' },
    { pattern: '(?i)a', says: '(?i', reason: 'a flag' },
    { pattern: '(?>a)', says: '(?>', reason: 'an atomic group' },
    { pattern: '[[:alpha:]]', says: 'bracket', reason: 'a class by name' },
    { pattern: '[]a]', says: '[]', reason: 'a bracket first in a class' },
    { pattern: '\\p{Script=Greek}', says: '\\p', reason: 'a property of JavaScript' },
    { pattern: 'a{1001}', says: '1000', reason: 'a repeat count out of bounds' },
    { pattern: '(?:(a{50}b){3}c){10}', says: '1000', reason: 'nested counts out of bounds' },
    { pattern: 'a**', says: 'Nothing to repeat', reason: 'a repeat of a repeat' },
    { pattern: '(a', says: 'Unterminated', reason: 'an open group' },
    { pattern: 'a\\', says: 'at end', reason: 'an open escape' },
    { pattern: '[b-a]', says: 'range', reason: 'a class out of order' },
  ])('compilePattern() refuses $pattern: $reason', ({ pattern, says }) => {
    const compiled = compilePattern(pattern);
    expect('refusal' in compiled && compiled.refusal.toLowerCase()).toContain(says.toLowerCase());
  });
});
