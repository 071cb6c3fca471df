import { randomBytes } from 'node:crypto';
import { existsSync, utimes } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ConfigurationError } from '#lib/errors.ts';
import { type ProcessLife, stateOfLife, thisLife } from '#lib/process/process-life.ts';
import { errorText } from './error-text.ts';

/** A file that nobody else uses meanwhile. */
export interface FileClaim {
  /** False when somebody took this process for dead, and the file for theirs. */
  isHeld(): boolean;
  /** Lets go of it. */
  release(): Promise<void>;
}

/** How often a claim says that it is alive, to those who cannot see its process; in milliseconds. */
const HEARTBEAT_MS = 5_000;
/** After so long without a sign of life a process that cannot be seen counts as dead, in milliseconds. */
const SILENCE_MS = 30_000;
/** How often who waits looks, in milliseconds, and for how long: others only need to see each other. */
const LOOK_MS = 20;
const PATIENCE_MS = 5_000;

const HELD = 'held';

/** A claim of somebody: a file beside the one that is claimed. Its name is given once, so that removing one that is over hits no other. */
interface Claim {
  readonly path: string;
  readonly life: ProcessLife;
}

/** Where the claims of a file are, and how their names begin. */
interface Place {
  readonly folder: string;
  readonly prefix: string;
}

const claimIn = ({ folder, prefix }: Place, name: string): Claim | undefined => {
  if (!name.startsWith(prefix)) return undefined;
  const [, pid = '', start = '', place = ''] =
    /^(\d+)-(\d+)-([0-9a-f]+)-[0-9a-f]+$/.exec(name.slice(prefix.length)) ?? [];
  return pid === '' ? undefined : { path: join(folder, name), life: { pid: Number(pid), start, place } };
};

const isSilent = async ({ path }: Claim): Promise<boolean> => {
  const found = await stat(path).catch(() => undefined);
  return found === undefined || Date.now() - found.mtimeMs > SILENCE_MS;
};

const isOver = async (claim: Claim): Promise<boolean> => {
  const state = stateOfLife(claim.life);
  return state === 'unknown' ? isSilent(claim) : state === 'over';
};

/** The claims of those who live; those of the dead are removed. */
const livingClaims = async (place: Place): Promise<readonly Claim[]> => {
  const living: Claim[] = [];
  for (const name of await readdir(place.folder)) {
    const claim = claimIn(place, name);
    if (claim === undefined) continue;
    if (await isOver(claim)) await rm(claim.path, { force: true });
    else living.push(claim);
  }
  return living;
};

const isHeldBy = async ({ path }: Claim): Promise<boolean> => (await readFile(path, 'utf8').catch(() => '')) === HELD;

const inUse = (path: string, { path: claim, life }: Claim): ConfigurationError => {
  const elsewhere = life.place === thisLife().place ? '' : ' of another container or machine';
  return new ConfigurationError(
    `Cannot use the data file ${path}: process ${life.pid}${elsewhere} has it (${claim}); end that cluster first, or use another file`,
  );
};

const write = async (path: string, claim: string): Promise<void> => {
  try {
    await writeFile(claim, '', { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    const { code } = cause as { readonly code?: unknown };
    const why = code === 'ENOENT' ? `the folder ${dirname(path)} does not exist; create it first` : errorText(cause);
    throw new ConfigurationError(`Cannot use the data file ${path}: ${why}`, { cause });
  }
};

/** Waits until nobody else has a claim. @throws {ConfigurationError} when somebody holds the file, or does not decide */
const win = async (path: string, { own, ...place }: Place & { readonly own: string }): Promise<void> => {
  for (let waited = 0; ; waited += LOOK_MS) {
    const others = (await livingClaims(place)).filter((claim) => claim.path !== own);
    const [first] = others;
    if (first === undefined) return;
    for (const other of others) if (await isHeldBy(other)) throw inUse(path, other);
    if (waited >= PATIENCE_MS) throw inUse(path, first);
    // Of those who wish for it at the same time the first by name stays; the others come again.
    const withdraws = others.some((other) => other.path < own);
    if (withdraws) await rm(own, { force: true });
    await delay(LOOK_MS);
    if (withdraws) await write(path, own);
  }
};

/**
 * Keeps others from using a file at the same time.
 *
 * Flow: a claim of our own beside the file → whoever lives and has one, too, is seen → without any, the file is ours.
 *
 * Guarantees: never two at a time: of two claims the later one sees the earlier one. Who was killed does not keep it, also when its
 * process number was given again; of several who start at once, one gets it.
 *
 * Caveats: a process in another container, or on another machine, is known by its signs of life alone: it keeps the file for 30 s
 * after it was killed, and loses it after as long a standstill, which it notices.
 *
 * Not proper-lockfile: that judges by signs of life in all cases, and has had no release since 2021.
 *
 * @throws {ConfigurationError} when another process has it, or the folder cannot be written to
 */
export const claimFile = async (path: string): Promise<FileClaim> => {
  const { pid, start, place } = thisLife();
  const prefix = `${basename(path)}.lock-`;
  const folder = dirname(path);
  const own = join(folder, `${prefix}${pid}-${start}-${place}-${randomBytes(4).toString('hex')}`);
  await write(path, own);
  try {
    await win(path, { own, folder, prefix });
    // Not made anew when somebody took it away meanwhile.
    await writeFile(own, HELD, { flag: 'r+' });
  } catch (error) {
    await rm(own, { force: true });
    throw error;
  }
  const heartbeat = setInterval(() => {
    const now = new Date();
    // Whether it is still there is looked at before every write.
    utimes(own, now, now, () => {});
  }, HEARTBEAT_MS).unref();
  return {
    isHeld: () => existsSync(own),
    release: async () => {
      clearInterval(heartbeat);
      await rm(own, { force: true });
    },
  };
};
