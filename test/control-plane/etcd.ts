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

/** Compacts everything but the latest revision, and waits until it is done. */
export const compactHistory = async (etcdPort: number): Promise<void> => {
  // Any key will do: the header tells the revision.
  const key = Buffer.from('x').toString('base64');
  const { header } = await call<{ header: { revision: string } }>(etcdPort, 'kv/range', { key });
  await call(etcdPort, 'kv/compaction', { revision: header.revision, physical: true });
};
