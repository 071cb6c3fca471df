import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '#lib/errors.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import { repository } from '#test/architecture/repository.ts';
import { at, inPod, put } from './credentials-fixture.ts';
import { failure } from './failure.ts';
import { certificate } from './http-server.ts';
import { manualTimers } from './manual-timers.ts';

const cluster = (name: string, more: object = {}) => ({ name, cluster: { server: `https://${name}:6443/`, ...more } });
const context = (name: string, more: object = {}) => ({ name, context: { cluster: 'c', user: 'u', ...more } });
const config = (more: object = {}): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'main',
    clusters: [cluster('c')],
    users: [{ name: 'u', user: { token: 'secret-token' } }],
    contexts: [context('main')],
    ...more,
  });
const user = (entry: object): string => config({ users: [{ name: 'u', user: entry }] });

const inline = (text: string): string => Buffer.from(text).toString('base64');

const load = (paths: string, now = () => 0) =>
  loadCredentials({ env: inPod({ KUBECONFIG: paths }), serviceAccountDir: '/nowhere', homeDir: '/nowhere', now });

/** For each kubeconfig in turn whether a fresh process has loaded client-node by then. */
const loadsClientNode = async (paths: readonly string[]): Promise<readonly boolean[]> => {
  const script = `
    import { registerHooks } from 'node:module';
    let has = false;
    registerHooks({ load: (url, context, next) => ((has ||= url.includes('client-node/')), next(url, context)) });
    const { loadCredentials } = await import('#lib/kube/credentials/credentials.ts');
    const answers = [];
    for (const KUBECONFIG of ${JSON.stringify(paths)}) {
      await (await loadCredentials({ env: { KUBECONFIG } })).authenticate();
      answers.push(has);
    }
    console.log(JSON.stringify(answers));`;
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: repository });
  return JSON.parse(stdout) as boolean[];
};

describe('loadCredentials: kubeconfig', () => {
  it('loadCredentials() loads client-node for a credential plugin, and for no other user', async () => {
    await put('ca.pem', certificate);
    await put('my-token', 'one');
    const trusted = { clusters: [cluster('c', { 'certificate-authority': 'ca.pem' })] };
    const plugin = `console.log('{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"t"}}')`;
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args: ['-e', plugin] };
    const paths = [
      await put('token', config(trusted)),
      await put('token-file', user({ tokenFile: 'my-token' })),
      await put('certificate', user({ 'client-certificate': 'ca.pem', 'client-key-data': inline('key') })),
      await put('basic', user({ username: 'ada', password: 'pw', as: 'grace' })),
      await put('nobody', config({ contexts: [context('main', { user: '' })] })),
      await put('plugin', user({ exec })),
    ];
    expect(await loadsClientNode(paths)).toEqual([false, false, false, false, false, true]);
  });

  it('authenticate() verifies no certificates when the cluster says insecure-skip-tls-verify', async () => {
    const insecure = cluster('c', { 'insecure-skip-tls-verify': true });
    const { tls } = await (await load(await put('config', config({ clusters: [insecure] })))).authenticate();
    expect(tls).toEqual({ rejectUnauthorized: false });
  });

  it('authenticate() takes a password of digits as YAML without quotes gives it', async () => {
    const path = await put('config', user({ username: 'ada', password: 12_345 }));
    expect((await (await load(path)).authenticate()).headers).toEqual({
      authorization: `Basic ${inline('ada:12345')}`,
    });
  });

  it('loadCredentials() prefers KUBECONFIG when the process runs in a pod, too', async () => {
    const path = await put('config', config({ contexts: [context('main', { namespace: 'team-b' })] }));
    const credentials = await load(path);
    expect(credentials).toMatchObject({ server: 'https://c:6443', namespace: 'team-b' });
    expect(credentials.source).toContain(`${path} (context "main")`);
    const first = await credentials.authenticate();
    expect(first).toEqual({ headers: { authorization: 'Bearer secret-token' }, tls: {} });
    await credentials.renew();
    expect(await credentials.authenticate()).toBe(first);
  });

  it('loadCredentials() keeps user and password of the URL out of what is logged', async () => {
    const server = 'https://somebody:s3cr3t@c:6443/prefix/';
    const { source, server: shown } = await load(await put('config', config({ clusters: [cluster('c', { server })] })));
    expect(shown).toBe('https://c:6443/prefix');
    expect(source).not.toContain('s3cr3t');
  });

  it('loadCredentials() uses ~/.kube/config when nothing else is there', async () => {
    await mkdir(at('.kube'));
    await put('.kube/config', config());
    expect(await loadCredentials({ env: {}, homeDir: at() })).toMatchObject({
      server: 'https://c:6443',
      namespace: 'default',
    });
    expect(await loadCredentials({ env: { HOME: at() } })).toMatchObject({ server: 'https://c:6443' });
  });

  it('loadCredentials() says where it looked when there is nothing at all', async () => {
    const error = await failure(loadCredentials({ env: {}, homeDir: at() }));
    expect(error).toBeInstanceOf(ConfigurationError);
    for (const place of ['KUBECONFIG', 'KUBERNETES_SERVICE_HOST', at('.kube/config')]) {
      expect(error.message).toContain(place);
    }
  });

  it('loadCredentials() merges as kubectl does when KUBECONFIG is a list', async () => {
    const first = await put(
      'first',
      'apiVersion: v1\nclusters:\n- name: c\n  cluster: {server: "https://first:6443"}\n',
    );
    const second = await put('second', config({ contexts: [context('main'), context('other')] }));
    const third = await put('third', config({ 'current-context': 'other', clusters: [cluster('third')] }));
    const credentials = await load([first, at('missing'), second, third].join(':'));
    expect(credentials.server).toBe('https://first:6443');
    expect(credentials.source).toContain('"main"');
  });

  it('authenticate() gives certificates when they are inline, in files beside the kubeconfig, or both', async () => {
    await put('ca.pem', certificate);
    await put('client.pem', 'certificate');
    const path = await put(
      'config',
      config({
        clusters: [cluster('c', { 'certificate-authority': 'ca.pem', 'tls-server-name': 'inner' })],
        users: [
          {
            name: 'u',
            user: { 'client-certificate': 'client.pem', 'client-key': 'old.pem', 'client-key-data': inline('key') },
          },
        ],
      }),
    );
    const { headers, tls } = await (await load(path)).authenticate();
    expect(headers).toEqual({});
    expect([String(tls.ca), String(tls.cert), String(tls.key), tls.servername]).toEqual([
      certificate,
      'certificate',
      'key',
      'inner',
    ]);
  });

  it.each([
    { reason: 'basic auth', entry: { username: 'ada', password: 'pw' }, headers: { authorization: 'Basic YWRhOnB3' } },
    { reason: 'anonymous', entry: {}, headers: {} },
    {
      reason: 'impersonation',
      entry: { token: 't', as: 'ada', 'as-uid': '7', 'as-groups': ['a', 'b'] },
      headers: {
        authorization: 'Bearer t',
        'impersonate-user': 'ada',
        'impersonate-uid': '7',
        'impersonate-group': ['a', 'b'],
      },
    },
  ])('authenticate() gives the headers when the user is $reason', async ({ entry, headers }) => {
    const credentials = await load(await put('config', user(entry)));
    expect((await credentials.authenticate()).headers).toEqual(headers);
  });

  it('loadCredentials() works without TLS, and without a user, when the context is so', async () => {
    const entries = {
      clusters: [cluster('c', { server: 'http://localhost:8001' })],
      contexts: [context('main', { user: '' })],
    };
    const credentials = await load(await put('config', config(entries)));
    expect(credentials.server).toBe('http://localhost:8001');
    expect((await credentials.authenticate()).headers).toEqual({});
  });

  it('authenticate() follows a token file when it is replaced', async () => {
    await put('my-token', 'one\n');
    const timers = manualTimers();
    const credentials = await load(await put('config', user({ token: 'static', tokenFile: 'my-token' })), () =>
      timers.now(),
    );
    expect((await credentials.authenticate()).headers).toEqual({ authorization: 'Bearer one' });
    await put('my-token', 'two\n');
    await timers.advance(60_000);
    expect((await credentials.authenticate()).headers).toEqual({ authorization: 'Bearer two' });
    await put('my-token', 'three\n');
    await credentials.renew();
    expect((await credentials.authenticate()).headers).toEqual({ authorization: 'Bearer three' });
  });

  it('authenticate() asks a credential plugin once, and again when it is renewed, not at every 401', async () => {
    const counter = await put('counter', '0');
    const plugin = `
      const fs = require('node:fs');
      const count = Number(fs.readFileSync(${JSON.stringify(counter)}, 'utf8')) + 1;
      fs.writeFileSync(${JSON.stringify(counter)}, String(count));
      const { apiVersion, kind } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
      console.log(JSON.stringify({ apiVersion, kind, status: { token: process.env.PREFIX + count } }));`;
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: ['--eval', plugin],
      env: [{ name: 'PREFIX', value: 'token-' }],
    };
    const timers = manualTimers();
    const credentials = await load(await put('config', user({ exec })), () => timers.now());
    const token = async () => (await credentials.authenticate()).headers['authorization'];
    expect(await token()).toBe('Bearer token-1');
    await timers.advance(3_600_000);
    expect(await token()).toBe('Bearer token-1');
    await Promise.all([credentials.renew(), credentials.renew()]);
    expect(await token()).toBe('Bearer token-2');
    await credentials.renew();
    expect(await token()).toBe('Bearer token-2');
  });

  it.each([
    { reason: 'fails', script: 'console.error("no\\nsession"); process.exit(1)', text: 'no session' },
    { reason: 'prints no JSON', script: 'console.log("secret-token")', text: 'not JSON' },
  ])('loadCredentials() says so in one line when a credential plugin $reason', async ({ script, text }) => {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args: ['--eval', script] };
    const error = await failure(load(await put('config', user({ exec }))));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain(text);
    expect(error.message).not.toContain('\n');
    expect(JSON.stringify([error.message, String(error.cause)])).not.toContain('secret');
  });

  it.each([
    { reason: 'there is no such file', content: undefined, text: 'does not exist' },
    {
      reason: 'it is no YAML',
      content: 'a: b\n  token: secret-token\n x:',
      text: 'it is no valid YAML in line 1 (block as implicit key); correct the file, or set KUBECONFIG',
    },
    {
      reason: 'it is no mapping',
      content: '- a',
      text: 'it holds no mapping (apiVersion: v1, kind: Config, …); set KUBECONFIG',
    },
    {
      reason: 'it is empty',
      content: '',
      text: 'it holds no mapping (apiVersion: v1, kind: Config, …); set KUBECONFIG',
    },
    {
      reason: 'it has no contexts',
      content: '{}',
      text: 'it has no contexts; set KUBECONFIG to the path of a kubeconfig',
    },
    { reason: 'no context is current', content: config({ 'current-context': '' }), text: 'known: main' },
    {
      reason: 'the context is unknown',
      content: config({ 'current-context': 'x' }),
      text: 'unknown context "x" (known: main)',
    },
    { reason: 'the cluster is unknown', content: config({ clusters: [] }), text: 'unknown cluster "c" (known: none)' },
    { reason: 'the user is unknown', content: config({ users: [] }), text: 'unknown user "u"' },
    {
      reason: 'a proxy is set',
      content: config({ clusters: [cluster('c', { 'proxy-url': 'http://p' })] }),
      text: 'proxy-url',
    },
    {
      reason: 'the server is no URL',
      content: config({ clusters: [cluster('c', { server: 'c:6443' })] }),
      text: 'server',
    },
    { reason: 'the server is missing', content: config({ clusters: [cluster('c', { server: '' })] }), text: 'server' },
    {
      reason: 'impersonation has extras',
      content: user({ as: 'a', 'as-user-extra': { x: ['y'] } }),
      text: 'as-user-extra',
    },
    { reason: 'a certificate is missing', content: user({ 'client-certificate': 'gone.pem' }), text: 'gone.pem' },
    { reason: 'a token file is missing', content: user({ tokenFile: 'gone' }), text: 'gone' },
  ])('loadCredentials() says what to mend, and no secrets, when $reason', async ({ content, text }) => {
    const path = at('config');
    if (content !== undefined) await put('config', content);
    const error = await failure(load(path));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain(text);
    expect(error.message).toContain(path);
    expect(error.message).not.toContain('\n');
    expect(JSON.stringify([error.message, String(error.cause)])).not.toContain('secret-token');
  });

  it('loadCredentials() says so when a kubeconfig is a folder', async () => {
    expect((await failure(load(at()))).message).toContain(`Cannot read kubeconfig ${at()}`);
  });
});
