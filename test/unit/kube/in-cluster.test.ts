import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '#lib/errors.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import { at, inPod, put } from './credentials-fixture.ts';
import { failure } from './failure.ts';
import { manualTimers } from './manual-timers.ts';

const mount = async (): Promise<void> => {
  await put('token', 'one\n');
  await put('ca.crt', 'authority one\n');
  await put('namespace', 'team-a\n');
};

const load = (env: Record<string, string>, now = () => 0) => loadCredentials({ env, serviceAccountDir: at(), now });

describe('loadCredentials: in a pod', () => {
  it('loadCredentials() uses the service account when the process runs in a pod', async () => {
    await mount();
    const credentials = await load(inPod());
    expect(credentials).toMatchObject({ server: 'https://10.0.0.1:443', namespace: 'team-a', source: 'in-cluster' });
    expect(await credentials.authenticate()).toEqual({
      headers: { authorization: 'Bearer one' },
      tls: { ca: 'authority one' },
    });
  });

  it.each([
    {
      reason: 'IPv6',
      env: inPod({ KUBERNETES_SERVICE_HOST: 'fd00::1' }),
      server: 'https://[fd00::1]:443',
      namespace: 'team-a',
    },
    { reason: 'POD_NAMESPACE', env: inPod({ POD_NAMESPACE: 'b' }), server: 'https://10.0.0.1:443', namespace: 'b' },
  ])('loadCredentials() gives $server and $namespace when there is $reason', async ({ env, server, namespace }) => {
    await mount();
    expect(await load(env)).toMatchObject({ server, namespace });
  });

  it('loadCredentials() means namespace default when none is mounted', async () => {
    await mount();
    await rm(at('namespace'));
    expect(await load(inPod())).toMatchObject({ namespace: 'default' });
  });

  it('authenticate() takes up a token after a minute and an authority after five when they are replaced', async () => {
    await mount();
    const timers = manualTimers();
    const credentials = await load(inPod(), () => timers.now());
    const first = await credentials.authenticate();
    await put('token', 'two');
    await put('ca.crt', 'authority two');
    expect(await credentials.authenticate()).toBe(first);
    await timers.advance(60_000);
    const second = await credentials.authenticate();
    expect(second.headers).toEqual({ authorization: 'Bearer two' });
    expect(second.tls, 'connections still serve').toBe(first.tls);
    await timers.advance(240_000);
    expect((await credentials.authenticate()).tls).toEqual({ ca: 'authority two' });
  });

  it('renew() takes up a token at once, and stays the same when there is no other', async () => {
    await mount();
    const credentials = await load(inPod());
    const first = await credentials.authenticate();
    await credentials.renew();
    expect(await credentials.authenticate()).toBe(first);
    await put('token', 'two');
    await credentials.renew();
    expect((await credentials.authenticate()).headers).toEqual({ authorization: 'Bearer two' });
  });

  it.each(['token', 'ca.crt'])('loadCredentials() names the file when %s is missing', async (name) => {
    await mount();
    await rm(at(name));
    const error = await failure(load(inPod()));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain(at(name));
  });

  it('loadCredentials() never loads client-node when the process runs in a pod', async () => {
    await mount();
    const script = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      const { loadCredentials } = await import('#lib/kube/credentials/credentials.ts');
      await import('#lib/kube/client/client.ts');
      await import('#lib/kube/reflector/reflector.ts');
      await loadCredentials({ env: ${JSON.stringify(inPod())}, serviceAccountDir: ${JSON.stringify(at())} });
      const has = (part) => loaded.some((url) => url.includes(part));
      console.log(JSON.stringify([has('lib/kube/credentials/in-cluster.ts'), has('client-node')]));`;
    const root = fileURLToPath(new URL('../../..', import.meta.url));
    const args = ['--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
    expect(JSON.parse(stdout)).toEqual([true, false]);
  });
});
