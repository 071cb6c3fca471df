import { type CelFunc, CelScalar, celFunc, celList, celMethod, listType } from '@bufbuild/cel';
import { notImplemented } from '#lib/apiserver/machinery/status.ts';
import { compilePattern } from '#lib/kind/json-schema/regular-expression.ts';
import { patternOf } from '../pattern.ts';

const { STRING, INT, BOOL } = CelScalar;
const STRINGS = listType(STRING);

/** CEL counts positions in strings in code points. */
const characters = (text: string): string[] => Array.from(text);

const outOfRange = (index: bigint): Error => new Error(`index out of range: ${index}`);

const charAt = (text: string, index: bigint): string => {
  const all = characters(text);
  if (index < 0n || index > BigInt(all.length)) throw outOfRange(index);
  return all[Number(index)] ?? '';
};

const find = (text: readonly string[], part: readonly string[], places: readonly number[]): bigint => {
  const at = places.find((place) => part.every((c, index) => text[place + index] === c));
  return BigInt(at ?? -1);
};

const places = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);

const indexOf = (text: string, part: string, from = 0n): bigint => {
  const [all, wanted] = [characters(text), characters(part)];
  if (part === '') return from;
  if (from < 0n) throw outOfRange(from);
  return find(all, wanted, places(Number(from), all.length - wanted.length));
};

const lastIndexOf = (text: string, part: string, from?: bigint): bigint => {
  const [all, wanted] = [characters(text), characters(part)];
  if (part === '') return from ?? BigInt(all.length);
  if (from !== undefined && (from < 0n || from >= BigInt(all.length))) throw outOfRange(from);
  const last = Math.min(Number(from ?? all.length), all.length - wanted.length);
  return find(all, wanted, places(0, last).toReversed());
};

const substring = (text: string, start: bigint, end?: bigint): string => {
  const all = characters(text);
  const last = end ?? BigInt(all.length);
  if (start < 0n || start > BigInt(all.length)) throw outOfRange(start);
  if (last < 0n || last > BigInt(all.length)) throw outOfRange(last);
  if (start > last) throw new Error(`invalid substring range. start: ${start}, end: ${last}`);
  return all.slice(Number(start), Number(last)).join('');
};

const replace = (text: string, old: string, next: string, limit = -1n): string => {
  const parts = old === '' ? ['', ...characters(text), ''] : text.split(old);
  const count = limit < 0n ? parts.length : Number(limit);
  return parts.reduce(
    (joined, part, index) => (index === 0 ? part : joined + (index <= count ? next : old) + part),
    '',
  );
};

const split = (text: string, separator: string, limit = -1n): string[] => {
  if (limit === 0n) return [];
  const parts = separator === '' ? characters(text) : text.split(separator);
  if (limit < 0n || BigInt(parts.length) <= limit) return parts;
  const kept = Number(limit) - 1;
  return [...parts.slice(0, kept), parts.slice(kept).join(separator)];
};

/** Unicode's White_Space, which differs from the set that `String.prototype.trim` removes. */
const SPACE = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const TRIMMED = new RegExp(`^${SPACE}+|${SPACE}+$`, 'gu');

const found = (text: string, pattern: string, limit = -1n): string[] => {
  patternOf(pattern);
  const compiled = compilePattern(pattern);
  if ('refusal' in compiled) throw notImplemented(`find with this pattern: ${compiled.refusal}`);
  const all = [...text.matchAll(new RegExp(compiled.regExp, 'gu'))].map(([match]) => match);
  return limit < 0n ? all : all.slice(0, Number(limit));
};

const matches = (text: string, pattern: string): boolean => patternOf(pattern).test(text);

const ascii = (text: string, range: RegExp, shift: number): string =>
  text.replace(range, (c) => String.fromCharCode(c.charCodeAt(0) + shift));

/**
 * The functions of strings.
 *
 * @see github.com/google/cel-go v0.26.0 ext/strings.go and k8s.io/apiserver v0.36.4 pkg/cel/library/regex.go
 */
export const stringFunctions: readonly CelFunc[] = [
  celMethod('charAt', STRING, [INT], STRING, function (index) {
    return charAt(this, index);
  }),
  celMethod('indexOf', STRING, [STRING], INT, function (part) {
    return indexOf(this, part);
  }),
  celMethod('indexOf', STRING, [STRING, INT], INT, function (part, from) {
    return indexOf(this, part, from);
  }),
  celMethod('lastIndexOf', STRING, [STRING], INT, function (part) {
    return lastIndexOf(this, part);
  }),
  celMethod('lastIndexOf', STRING, [STRING, INT], INT, function (part, from) {
    return lastIndexOf(this, part, from);
  }),
  celMethod('substring', STRING, [INT], STRING, function (start) {
    return substring(this, start);
  }),
  celMethod('substring', STRING, [INT, INT], STRING, function (start, end) {
    return substring(this, start, end);
  }),
  celMethod('replace', STRING, [STRING, STRING], STRING, function (old, next) {
    return replace(this, old, next);
  }),
  celMethod('replace', STRING, [STRING, STRING, INT], STRING, function (...args) {
    return replace(this, ...args);
  }),
  celMethod('split', STRING, [STRING], STRINGS, function (separator) {
    return celList(split(this, separator));
  }),
  celMethod('split', STRING, [STRING, INT], STRINGS, function (separator, limit) {
    return celList(split(this, separator, limit));
  }),
  celMethod('trim', STRING, [], STRING, function () {
    return this.replace(TRIMMED, '');
  }),
  celMethod('lowerAscii', STRING, [], STRING, function () {
    return ascii(this, /[A-Z]/g, 32);
  }),
  celMethod('upperAscii', STRING, [], STRING, function () {
    return ascii(this, /[a-z]/g, -32);
  }),
  celMethod('find', STRING, [STRING], STRING, function (pattern) {
    return found(this, pattern)[0] ?? '';
  }),
  celMethod('findAll', STRING, [STRING], STRINGS, function (pattern) {
    return celList(found(this, pattern));
  }),
  celMethod('findAll', STRING, [STRING, INT], STRINGS, function (pattern, limit) {
    return celList(found(this, pattern, limit));
  }),
  celMethod('matches', STRING, [STRING], BOOL, function (pattern) {
    return matches(this, pattern);
  }),
  celFunc('matches', [STRING, STRING], BOOL, matches),
];
