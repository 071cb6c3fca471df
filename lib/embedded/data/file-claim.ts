import { randomBytes } from 'node:crypto';
import { existsSync, utimes } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorText } from '#lib/apiserver/machinery/text/error-text.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { type ProcessLife, stateOfLife, thisLife } from '#lib/process/process-life.ts';

/** The exclusive right to use a file. */
export interface FileClaim {
  /** Whether this process still has the right. Another process may have considered this process dead, and removed the claim. */
  isHeld(): boolean;
  /** Gives up the claim. */
  release(): Promise<void>;
}

/**
 * Interval at which a process updates the time of its claim, in milliseconds. Processes in another container or on another
 * machine see only this time. They do not see whether the claiming process runs.
 */
const HEARTBEAT_MS = 5_000;
/** If the state of a process cannot be seen, the process counts as dead this long after its last update, in milliseconds. */
const SILENCE_MS = 30_000;
/** Interval at which a process checks for other claims, in milliseconds. */
const LOOK_MS = 20;
/**
 * Time after which a process stops waiting for the end of other claims, in milliseconds. If several processes claim a file at
 * the same time, one of them gets the file within this time.
 */
const PATIENCE_MS = 5_000;

const HELD = 'held';

/**
 * A claim: a file in the same folder as the claimed file. Each claim has a unique name, so the removal of an old claim removes no
 * other claim.
 */
interface Claim {
  readonly path: string;
  readonly life: ProcessLife;
}

/** The folder of a file's claims, and the prefix of their names. */
interface ClaimFolder {
  readonly folder: string;
  readonly prefix: string;
}

const claimIn = ({ folder, prefix }: ClaimFolder, name: string): Claim | undefined => {
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

/** Returns the claims of running processes. Removes the claims of dead processes. */
const livingClaims = async (place: ClaimFolder): Promise<readonly Claim[]> => {
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
    `Cannot use the data file ${path}: process ${life.pid}${elsewhere} uses it (${claim}); end that cluster first, or use another file`,
  );
};

const write = async (claim: string): Promise<void> => writeFile(claim, '', { flag: 'wx', mode: 0o600 });

/** Returns the error that users see for an error of the file system. */
const unusable = (path: string, cause: unknown): ConfigurationError => {
  if (cause instanceof ConfigurationError) return cause;
  const folder = dirname(path);
  const why = existsSync(folder)
    ? `${errorText(cause)}; this process must be able to list ${folder}, and to create, change and delete files in it`
    : `the folder ${folder} does not exist; create it first`;
  return new ConfigurationError(`Cannot use the data file ${path}: ${why}`, { cause });
};

/**
 * Waits until there is no other claim.
 *
 * @throws {ConfigurationError} when another process has the file, or another claim stays too long
 */
const win = async (path: string, { own, ...place }: ClaimFolder & { readonly own: string }): Promise<void> => {
  for (let waited = 0; ; waited += LOOK_MS) {
    const others = (await livingClaims(place)).filter((claim) => claim.path !== own);
    const [first] = others;
    if (first === undefined) return;
    for (const other of others) if (await isHeldBy(other)) throw inUse(path, other);
    if (waited >= PATIENCE_MS) throw inUse(path, first);
    // If several processes claim the file at the same time, the claim with the first name stays. The other processes remove
    // their claims, and write them again later.
    const withdraws = others.some((other) => other.path < own);
    if (withdraws) await rm(own, { force: true });
    await delay(LOOK_MS);
    if (withdraws) await write(own);
  }
};

/**
 * Prevents concurrent use of a file.
 *
 * Flow: writes a claim of this process next to the file → looks for claims of other running processes → if there are no such
 * claims, this process may use the file.
 *
 * Guarantees: two processes never use the file at the same time, because the process with the later claim sees the earlier claim.
 * After a process of this container or machine was killed, it does not block the file, even if its process ID is reused. If
 * several processes start at the same time, one of them gets the file.
 *
 * Caveats: for a process in another container or on another machine, the claim shows only the time of its last update. For this
 * reason, such a process blocks the file for up to 30 s after it was killed. If such a process pauses for 30 s, it loses the
 * file, and notices the loss.
 *
 * The package proper-lockfile is no alternative. Its locks always depend on the time of the last update, and its last release was
 * in 2021.
 *
 * @throws {ConfigurationError} when another process uses the file, or the folder does not exist or does not allow the claim
 */
export const claimFile = async (path: string): Promise<FileClaim> => {
  const { pid, start, place } = thisLife();
  const prefix = `${basename(path)}.lock-`;
  const folder = dirname(path);
  const own = join(folder, `${prefix}${pid}-${start}-${place}-${randomBytes(4).toString('hex')}`);
  try {
    await write(own);
    await win(path, { own, folder, prefix });
    // If another process has removed the claim meanwhile, this write fails, because the flag `r+` does not create files.
    await writeFile(own, HELD, { flag: 'r+' });
  } catch (error) {
    // If this fails, too, the claim blocks the file until this process ends.
    await rm(own, { force: true }).catch(() => undefined);
    throw unusable(path, error);
  }
  const heartbeat = setInterval(() => {
    const now = new Date();
    // A failed update needs no handling: `isHeld()` checks before every write of the data file whether the claim still exists.
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
