import { Buffer } from 'node:buffer';
import { writeFile } from 'node:fs/promises';
import { ControlPlaneError } from './error.ts';

/** etcd's JSON gateway (etcd.io/docs, "gRPC gateway"); numbers of 64 bits are strings there. */
const call = async <Answer>(etcdPort: number, method: string, body: object): Promise<Answer> => {
  const response = await fetch(`http://127.0.0.1:${etcdPort}/v3/${method}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  if (response.ok) return (await response.json()) as Answer;
  throw new ControlPlaneError('REQUEST_FAILED', `Cannot call etcd's ${method}: ${await response.text()}`);
};

/** Saves the contents of etcd, as `etcdctl snapshot save` does. */
export const saveSnapshot = async (etcdPort: number, file: string): Promise<void> => {
  const response = await fetch(`http://127.0.0.1:${etcdPort}/v3/maintenance/snapshot`, { method: 'POST', body: '{}' });
  if (!response.ok) throw new ControlPlaneError('REQUEST_FAILED', `Cannot save a snapshot: ${await response.text()}`);
  const lines = (await response.text()).split('\n').filter(Boolean);
  const pieces = lines.map((line) => (JSON.parse(line) as { result: { blob?: string } }).result.blob ?? '');
  await writeFile(file, Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64'))));
};

/** Compacts all revisions but the latest, and waits for the end. */
export const compactHistory = async (etcdPort: number): Promise<void> => {
  // Any key is sufficient: the header of the answer contains the revision.
  const key = Buffer.from('x').toString('base64');
  const { header } = await call<{ header: { revision: string } }>(etcdPort, 'kv/range', { key });
  await call(etcdPort, 'kv/compaction', { revision: header.revision, physical: true });
};
