import { readFile } from 'node:fs/promises';
import { type ConversionServer, startConversionServer } from '#lib/conversion/server.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { namesOf } from '#lib/kind/names.ts';
import { needsWebhook } from '#lib/kind/versions/webhook.ts';
import type { KubeApi } from '#lib/kube/api.ts';
import { systemTimers, type Timers } from '#lib/kube/timers.ts';
import { runLimited } from '#lib/loop/runaway/run-limited.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import { certificatesIn } from './secret.ts';
import type { ConversionSettings } from './settings.ts';
import { trustIn } from './trust.ts';

/** What serves conversions needs from outside. */
export interface ConversionOptions {
  readonly kinds: readonly AnyKindDefinition[];
  readonly settings: ConversionSettings;
  /** Not bound to the lease: whoever is ready to serve needs a certificate. */
  readonly api: KubeApi;
  readonly log: Logger;
  /** @default those of the process */
  readonly timers?: Timers;
}

/** How often certificates are looked at; an authority is known a day before it is used. */
const LOOK_MS = 600_000;
/** After something went wrong, as when a right is missing. */
const RETRY_MS = 5000;
/** The API server waits 30 s for all objects of a list. */
const CALL_LIMIT_MS = 20_000;

/** Kinds whose versions are converted by calling their functions. */
export const convertedKinds = (kinds: readonly AnyKindDefinition[]): readonly AnyKindDefinition[] =>
  kinds.filter((kind) => needsWebhook(kind));

const takeMounted = async (dir: string, server: ConversionServer): Promise<void> => {
  const [cert, key] = await Promise.all(['tls.crt', 'tls.key'].map(async (name) => readFile(`${dir}/${name}`, 'utf8')));
  server.use({ cert: cert ?? '', key: key ?? '' });
};

const takeOwn = async (
  { api, kinds, settings }: ConversionOptions,
  server: ConversionServer,
  now: number,
): Promise<void> => {
  const { service } = settings;
  const hosts = [`${service.name}.${service.namespace}.svc`];
  const certificates = await certificatesIn(api, service, { now: new Date(now), hosts });
  server.use({ cert: certificates['tls.crt'], key: certificates['tls.key'] });
  const trust = { service, bundle: certificates['ca.crt'] };
  await Promise.all(kinds.map(async (kind) => trustIn(api, namesOf(kind).crdName, trust)));
};

const guard = <R>(call: () => R): R => runLimited(call, CALL_LIMIT_MS);

/**
 * Serves conversions, with a certificate that is renewed when it is time.
 *
 * Flow: server → certificate, from a folder or of our own → authority into the definitions → the same again every ten minutes, or
 * after five seconds when it failed, with a line in the log.
 *
 * Guarantees: what cannot be had is waited for. A function that hangs is ended.
 *
 * @returns once the first attempt is over, whatever came of it
 * @throws {ConfigurationError} when the port is taken
 */
export const startConversion = async (options: ConversionOptions): Promise<ConversionServer> => {
  const { settings, log, timers = systemTimers } = options;
  const { port, certificateDir } = settings;
  const server = await startConversionServer({ port, shapes: options.kinds, log, guard });
  let cancel: (() => void) | undefined;
  let isClosed = false;
  const look = async (): Promise<void> => {
    let next = LOOK_MS;
    try {
      await (certificateDir === undefined
        ? takeOwn(options, server, timers.now())
        : takeMounted(certificateDir, server));
    } catch (error) {
      next = RETRY_MS;
      log.warn({ error }, 'no certificate for the conversion webhook yet');
    }
    if (!isClosed) cancel = timers.setTimer(next, () => void look());
  };
  await look();
  return {
    ...server,
    close: async () => {
      isClosed = true;
      cancel?.();
      await server.close();
    },
  };
};
