import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, copyFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Credential, type StaticUser, toTokensCsv } from './users.ts';

/**
 * The contents of an audit entry: metadata, or request and response as well. `Writes`: metadata, and the bodies of
 * write requests; the cheapest level with bodies.
 */
export type AuditLevel = 'Metadata' | 'Request' | 'RequestResponse' | 'Writes';

/** Files that are written into the data folder before any component starts. */
export interface DataFiles {
  readonly users: readonly StaticUser[];
  readonly credentials: readonly Credential[];
  readonly auditLevel: AuditLevel | undefined;
  /** The stages of kwok's own sources; undefined without kwok. */
  readonly stageFile: string | undefined;
  readonly stages: readonly object[];
}

/** The parent of data folders: in memory when possible, because etcd waits for every write. */
export function dataParent(isDurable: boolean): string {
  return !isDurable && existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
}

/** Writes a new key for the tokens of ServiceAccounts. */
export async function writeSigningKey(folder: string): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  await writeFile(join(folder, 'sa.key'), privateKey, { mode: 0o600 });
  await writeFile(join(folder, 'sa.pub'), publicKey);
}

/** Writes everything but the kubeconfigs, which need the port. */
export async function writeDataFiles(folder: string, files: DataFiles): Promise<void> {
  const { users, credentials, auditLevel } = files;
  await writeSigningKey(folder);
  await writeFile(join(folder, 'tokens.csv'), toTokensCsv(users, credentials), { mode: 0o600 });
  if (auditLevel !== undefined) await writeFile(join(folder, 'audit-policy.json'), toAuditPolicy(auditLevel));
  await writeStages(join(folder, 'kwok.yaml'), files);
}

/**
 * The stage RequestReceived is left out: every request gets a later entry too, and the answer is not known yet at this stage.
 */
function toAuditPolicy(level: AuditLevel): string {
  const bodies = { level: 'Request', verbs: ['create', 'update', 'patch', 'delete'] };
  const rules = level === 'Writes' ? [bodies, { level: 'Metadata' }] : [{ level }];
  return JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived'], rules });
}

async function writeStages(path: string, { stageFile, stages }: DataFiles): Promise<void> {
  if (stageFile === undefined) return;
  await copyFile(stageFile, path);
  for (const stage of stages) await appendFile(path, `\n---\n${JSON.stringify(stage)}\n`);
}
