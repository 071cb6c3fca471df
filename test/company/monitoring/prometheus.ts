import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnCommand } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';

/** One series of a vector. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

/** A target as Prometheus sees it. */
export interface Target {
  readonly labels: Readonly<Record<string, string>>;
  readonly scrapeUrl: string;
  readonly health: 'up' | 'down' | 'unknown';
  readonly lastError: string;
  readonly scrapeInterval: string;
}

/** A pending or firing alert. */
export interface ActiveAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly state: 'pending' | 'firing';
}

interface RuleGroup {
  readonly rules: readonly { readonly name: string; readonly health: string; readonly lastError?: string }[];
}

/** A running Prometheus. */
export interface Prometheus extends AsyncDisposable {
  readonly query: (expression: string) => Promise<readonly Series[]>;
  readonly targets: () => Promise<readonly Target[]>;
  readonly alerts: () => Promise<readonly ActiveAlert[]>;
  readonly rules: () => Promise<RuleGroup['rules']>;
}

/** Settings of a Prometheus. */
export interface PrometheusOptions {
  readonly program: string;
  /** The folder of this Prometheus; created when missing. */
  readonly folder: string;
  readonly port: number;
  /** In YAML; JSON is YAML. */
  readonly config: string;
  /** Certificate and key in PEM. @default plain HTTP */
  readonly tls?: { readonly certificate: string; readonly key: string };
}

const client =
  (port: number, isSecure: boolean) =>
  async <T>(path: string): Promise<T> => {
    const { get } = isSecure ? await import('node:https') : await import('node:http');
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path: `/api/v1/${path}`, rejectUnauthorized: false };
      get(options, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        answer.on('end', () => {
          if (answer.statusCode !== 200) return reject(new Error(`${path}: ${answer.statusCode}: ${text}`));
          resolve((JSON.parse(text) as { readonly data: T }).data);
        });
      }).on('error', reject);
    });
  };

/** Starts a Prometheus and waits until it answers. */
export const startPrometheus = async ({
  program,
  folder,
  port,
  config,
  tls,
}: PrometheusOptions): Promise<Prometheus> => {
  await mkdir(folder, { recursive: true });
  const files = {
    'prometheus.yml': config,
    ...(tls && {
      'server.crt': tls.certificate,
      'server.key': tls.key,
      'web.yml': JSON.stringify({ tls_server_config: { cert_file: 'server.crt', key_file: 'server.key' } }),
    }),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o600 });
  const process = spawnCommand(
    [
      program,
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.format=json',
      ...(tls ? [`--web.config.file=${join(folder, 'web.yml')}`] : []),
    ],
    { HOME: folder },
  );
  const ask = client(port, tls !== undefined);
  let ended: number | null | undefined;
  void process.exited.then((code) => (ended = code));
  await waitFor(`Prometheus on port ${port}`, async () => {
    if (ended !== undefined) throw new Error(`Prometheus ended with code ${ended}: ${process.errors().slice(-2000)}`);
    return ask('status/buildinfo').then(
      () => true,
      () => false,
    );
  });
  return {
    query: async (expression) =>
      (await ask<{ readonly result: readonly Series[] }>(`query?query=${encodeURIComponent(expression)}`)).result,
    targets: async () => (await ask<{ readonly activeTargets: readonly Target[] }>('targets')).activeTargets,
    alerts: async () => (await ask<{ readonly alerts: readonly ActiveAlert[] }>('alerts')).alerts,
    rules: async () =>
      (await ask<{ readonly groups: readonly RuleGroup[] }>('rules')).groups.flatMap(({ rules }) => rules),
    [Symbol.asyncDispose]: async () => void (await process.stop('SIGKILL')),
  };
};
