import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { limitedKind } from '#lib/desired/runaway/limited-kind.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { type PastResource, pastResources } from '#lib/foresight/replay/past.ts';
import { type RecordedPass, readRecords } from '#lib/foresight/replay/read-records.ts';
import { type Replayed, replayPass } from '#lib/foresight/replay/replay-pass.ts';
import { loadKinds } from '../../project/config.ts';
import type { CliContext } from '../../shell/context.ts';
import { wholeNumberOf } from '../../shell/option-values.ts';
import type { ConfigOptions } from '../../shell/options.ts';
import { cannotRead, readText } from '../../shell/read-text.ts';
import { UsageError } from '../../shell/report.ts';

/** Options of `replay`. */
export interface ReplayChoice extends ConfigOptions {
  readonly file: string;
  readonly pass?: string | undefined;
  readonly object?: string | undefined;
  readonly truncated?: true | undefined;
  /** The moment to show, RFC 3339. @default none: the passes are replayed */
  readonly at?: string | undefined;
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** The records of a file, and of the older file from the last rotation by the operator, if there is one. */
const recordsIn = async (context: CliContext, { file, truncated }: ReplayChoice): Promise<readonly RecordedPass[]> => {
  const path = resolve(context.cwd, file);
  const older = await readFile(`${path}.1`, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw cannotRead(`${file}.1`, error);
  });
  const newer = await readText(path, file);
  const before = older === undefined ? [] : readRecords(older, { name: `${file}.1` });
  return [...before, ...readRecords(newer, { name: file, allowsTruncated: truncated === true })];
};

const isObject = ({ kind, key }: RecordedPass, wanted: string | undefined): boolean =>
  wanted === undefined || `${kind}/${key}`.toLowerCase() === wanted.toLowerCase();

/** After this time, in milliseconds, the replay lets the event loop run, so that Ctrl-C works. */
const TURN_MS = 50;

const replayAll = async (
  kinds: readonly AnyKindDefinition[],
  records: readonly RecordedPass[],
  signal: AbortSignal,
): Promise<readonly Replayed[]> => {
  const replayed: Replayed[] = [];
  let turnEnds = performance.now() + TURN_MS;
  for (const record of records) {
    if (performance.now() >= turnEnds) {
      await immediate();
      turnEnds = performance.now() + TURN_MS;
    }
    signal.throwIfAborted();
    replayed.push(replayPass(kinds, record));
  }
  return replayed;
};

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Returns each resource as its last recorded pass up to a moment observed it, and all passes up to this moment.
 *
 * @throws {ConfigurationError} for an unreadable file, an invalid time, the option `pass`, and when no pass matches
 * @throws {ForesightError} for a file that is not a record
 */
export const pastIn = async (
  context: CliContext,
  options: ReplayChoice,
): Promise<{ past: readonly PastResource[]; records: readonly RecordedPass[] }> => {
  const { at = '', file } = options;
  const atMs = Date.parse(at);
  if (!TIME.test(at) || Number.isNaN(atMs))
    throw new UsageError(`--at is "${at}": it must be a time such as 2026-11-22T14:38:44Z`);
  if (options.pass !== undefined)
    throw new UsageError('--at and --pass cannot be used together: --pass shows one pass, whatever its time');
  const records = (await recordsIn(context, options)).filter((record) => isObject(record, options.object));
  const past = pastResources(records, atMs);
  if (past.length > 0) return { past, records: records.filter((record) => Date.parse(record.at) <= atMs) };
  const [first] = records.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const why =
    first === undefined ? `it has no pass of ${options.object ?? 'any object'}` : `its first pass is at ${first.at}`;
  throw new ConfigurationError(`${file} shows nothing at ${at}: ${why}`);
};

/**
 * Replays the passes that the options choose. The result has the passes, and their replays in the same order.
 *
 * @throws {ConfigurationError} for an invalid option, an unreadable file or project, and when none of the recorded passes is
 *   chosen
 * @throws {ForesightError} for a file that is not a record
 */
export const replayFile = async (
  context: CliContext,
  options: ReplayChoice,
): Promise<{ records: readonly RecordedPass[]; replayed: readonly Replayed[] }> => {
  const number = options.pass === undefined ? undefined : wholeNumberOf('--pass', options.pass, [1, Infinity]);
  const records = await recordsIn(context, options);
  const wanted = records.filter(
    (record) => (number === undefined || record.pass === number) && isObject(record, options.object),
  );
  if (wanted.length === 0 && records.length > 0) {
    const objects = [...new Set(records.map(({ kind, key }) => `${kind}/${key}`))].toSorted().slice(0, 10);
    const chosen = { pass: options.pass, object: options.object };
    const given = Object.entries(chosen).flatMap(([name, value]) => (value === undefined ? [] : `--${name} ${value}`));
    throw new ConfigurationError(
      `Cannot replay: no pass matches ${given.join(' and ')}; ${options.file} has the passes ${records[0]?.pass} to ${records.at(-1)?.pass} over ${objects.join(', ')}`,
    );
  }
  const { kinds } = await loadKinds(context, options);
  return { records: wanted, replayed: await replayAll(kinds.map(limitedKind), wanted, context.signal) };
};
