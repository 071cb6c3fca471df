import { validateHeaderValue } from 'node:http';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '#lib/errors.ts';
import { createKubeClient } from '#lib/kube/client/client.ts';
import type { Credentials } from '#lib/kube/credentials/authentication.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import { runs } from '#test/properties.ts';
import { at, put } from '#test/unit/kube/credentials-fixture.ts';
import { failure } from '#test/unit/kube/failure.ts';
import { certificate } from '#test/unit/kube/http-server.ts';
import { damagedTexts } from './damaged-text.ts';
import { mutated } from './mutated-json.ts';

const SECRET = 'secret-token';

const valid = {
  apiVersion: 'v1',
  kind: 'Config',
  preferences: {},
  'current-context': 'main',
  clusters: [
    {
      name: 'c',
      cluster: {
        server: 'https://127.0.0.1:1/prefix',
        'certificate-authority-data': Buffer.from(certificate).toString('base64'),
        'tls-server-name': 'inner',
        'insecure-skip-tls-verify': false,
        'proxy-url': '',
      },
    },
  ],
  users: [
    {
      name: 'u',
      user: {
        token: SECRET,
        username: 'ada',
        password: SECRET,
        as: 'grace',
        'as-uid': '7',
        'as-groups': ['a', 'b'],
        'client-certificate-data': Buffer.from(certificate).toString('base64'),
        'client-key-data': Buffer.from('key').toString('base64'),
      },
    },
  ],
  contexts: [{ name: 'main', context: { cluster: 'c', user: 'u', namespace: 'default' } }],
};

const texts = fc.oneof(
  mutated(valid).map((value) => JSON.stringify(value)),
  damagedTexts(JSON.stringify(valid, null, 2)),
  damagedTexts(
    `apiVersion: v1\ncurrent-context: main\ncontexts:\n- name: main\n  context: {cluster: c, user: u}\nclusters:\n- &c\n  name: c\n  cluster: {server: "https://127.0.0.1:1"}\nusers:\n- name: u\n  user:\n    token: ${SECRET}\n`,
  ),
);

const pods = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' } as const;

/** Sends a request to a port on which no server listens. Certificates that cannot be read are a reason, too. */
const expectClearRefusal = async (credentials: Credentials): Promise<void> => {
  const client = createKubeClient(credentials);
  const { message } = await failure(client.get(pods, { namespace: 'default', name: 'a' }));
  expect(message).toMatch(/^Cannot get pods? .{10,500}$/);
  expect(message).not.toMatch(JAVASCRIPT);
  expect(message).not.toContain(SECRET);
  await client.close();
};

/** Words of errors that are defects of a program. */
const JAVASCRIPT = /\bundefined\b|\[object|Cannot (?:read|convert) |is not a function/;

const loaded = async (path: string): Promise<Credentials | ConfigurationError> => {
  try {
    return await loadCredentials({ env: { KUBECONFIG: path }, homeDir: '/nowhere' });
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
};

const expectClear = ({ message, cause }: ConfigurationError, path: string): void => {
  expect(message).toContain(path);
  expect(message).not.toMatch(/\n/);
  expect(message).not.toMatch(JAVASCRIPT);
  expect(`${message} ${String(cause)}`).not.toContain(SECRET);
};

const expectUsable = async (credentials: Credentials): Promise<void> => {
  const { headers } = await credentials.authenticate();
  for (const [name, value] of Object.entries(headers)) for (const one of [value].flat()) validateHeaderValue(name, one);
  if (new URL(credentials.server).hostname === '127.0.0.1') await expectClearRefusal(credentials);
};

describe('loadCredentials()', () => {
  it('loadCredentials() gives usable credentials or one line that names the file, and no secrets, for any kubeconfig', async () => {
    const tally = { loaded: 0, refused: 0 };
    const path = at('config');
    const property = fc.asyncProperty(texts, async (content) => {
      await put('config', content);
      const result = await loaded(path);
      tally[result instanceof ConfigurationError ? 'refused' : 'loaded'] += 1;
      await (result instanceof ConfigurationError ? expectClear(result, path) : expectUsable(result));
    });
    const text = JSON.stringify(valid);
    const corpus = [text.replaceAll(SECRET, `${SECRET}\\n`), text.replace('["a","b"]', '[{"toString":""}]')];
    await fc.assert(property, { numRuns: runs(60), examples: corpus.map((content) => [content]) });
    expect(Math.min(tally.loaded, tally.refused)).toBeGreaterThan(5);
  });
});
