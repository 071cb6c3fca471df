import { createHash } from 'node:crypto';
import { isPlainObject } from '#lib/json.ts';

/** Options for {@link fingerprintOf}. */
export interface FingerprintOptions {
  readonly nowMs: number;
  /**
   * Objects with this resource version or an older one are the same in all states, so a fingerprint has only their version.
   * @default '0'
   */
  readonly initialVersion?: string;
  /**
   * How a fingerprint compares resource versions. `rank` compares only their order. `distance` also compares the number of
   * writes between two versions. Use `distance` if the scenario has stale lists, because such a list is a number of writes old.
   */
  readonly versions: 'rank' | 'distance';
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const UID_AT_VERSION = /^([0-9a-z-]+)@(\d+)$/;
const VERSION_FIELDS: ReadonlySet<string> = new Set(['resourceVersion', 'seenThrough']);

/** Marks the place of a resource version in the text. The versions are filled in at the end, when all of them are known. */
const HOLE = '\u0000';

/** The resource version of an object with a uid; `undefined` for any other value. */
const versionOf = ({ metadata }: Readonly<Record<string, unknown>>): number | undefined => {
  if (!isPlainObject(metadata) || typeof metadata['uid'] !== 'string') return undefined;
  return Number(metadata['resourceVersion']);
};

/**
 * Writes a value as text, and leaves the resource versions out. `texts` are the parts between the versions. The rank of a version
 * among all versions is known only at the end.
 */
class Writer {
  readonly #nowMs: number;
  readonly #initial: number;
  readonly texts: string[] = [''];
  readonly versions: number[] = [];

  constructor(nowMs: number, initial: number) {
    this.#nowMs = nowMs;
    this.#initial = initial;
  }

  write(value: unknown, field = ''): void {
    if (typeof value === 'string') this.#string(value, field);
    else if (Array.isArray(value)) this.#array(value);
    else if (isPlainObject(value)) this.#object(value);
    else this.#text(typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'undefined'));
  }

  #text(text: string): void {
    this.texts[this.texts.length - 1] += text;
  }

  #version(version: string): void {
    this.versions.push(Number(version));
    this.texts.push('');
  }

  #string(value: string, field: string): void {
    const [, uid, version] = UID_AT_VERSION.exec(value) ?? [];
    if (VERSION_FIELDS.has(field)) this.#version(value);
    else if (uid !== undefined && version !== undefined) {
      this.#text(`"${uid}@`);
      this.#version(version);
      this.#text('"');
    } else if (TIMESTAMP.test(value)) this.#text(`${Date.parse(value) - this.#nowMs}ms`);
    else this.#text(JSON.stringify(value));
  }

  #array(values: readonly unknown[]): void {
    this.#text('[');
    for (const value of values) {
      this.write(value);
      this.#text(',');
    }
    this.#text(']');
  }

  /** Writes the members in their own order, because objects may be maps whose order is significant. */
  #object(object: Readonly<Record<string, unknown>>): void {
    const version = versionOf(object);
    if (version !== undefined && version <= this.#initial) {
      this.#text(`initial ${version}`);
      return;
    }
    this.#text('{');
    for (const name of Object.keys(object)) {
      this.#text(`${JSON.stringify(name)}:`);
      this.write(object[name], name);
      this.#text(',');
    }
    this.#text('}');
  }
}

const namesOf = (versions: readonly number[], by: FingerprintOptions['versions']): ReadonlyMap<number, string> => {
  const sorted = [...new Set(versions)].toSorted((a, b) => a - b);
  const last = sorted.at(-1) ?? 0;
  return new Map(sorted.map((version, rank) => [version, by === 'rank' ? `#${rank}` : `#${version - last}`]));
};

/**
 * Computes a fingerprint of a state. In a fingerprint, times are relative to `nowMs`, and resource versions later than
 * `initialVersion` are relative to one another. Two states that are equal in this form have the same fingerprint.
 *
 * @param state - JSON with resource versions in fields called `resourceVersion` or as `uid@version`, and with times in RFC 3339
 */
export const fingerprintOf = (
  state: unknown,
  { nowMs, initialVersion = '0', versions }: FingerprintOptions,
): string => {
  const writer = new Writer(nowMs, Number(initialVersion));
  writer.write(state);
  const names = namesOf(writer.versions, versions);
  const hash = createHash('sha1');
  for (const [index, text] of writer.texts.entries()) {
    const version = writer.versions[index];
    hash.update(version === undefined ? text : `${text}${HOLE}${names.get(version)}`);
  }
  return hash.digest('base64');
};
