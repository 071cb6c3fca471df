import { readFile } from 'node:fs/promises';
import {
  type ConversionServer,
  type ServerCertificate,
  startConversionServer,
} from '#lib/conversion/webhook/server.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { namesOf } from '#lib/kind/names.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import { systemTimers, type Timers } from '#lib/kube/interface/timers.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import { type Converter, type Entry, startConverter } from './converter.ts';
import { certificatesIn } from './secret.ts';
import type { ConversionSettings } from './settings.ts';
import { type ServiceName, trustIn } from './trust.ts';

/** The dependencies of the conversion server. */
export interface ConversionOptions {
  readonly kinds: readonly AnyKindDefinition[];
  readonly settings: ConversionSettings;
  /** A client that does not check the lease, because every replica serves the webhook and needs a certificate. */
  readonly api: KubeApi;
  readonly log: Logger;
  /** See {@link startConverter}. */
  readonly entry: Entry | undefined;
  /** The clock and the timers. @default the timers of the process */
  readonly timers?: Timers;
}

/**
 * The interval of checks of the certificate, in milliseconds. A new CA certificate is published a day before its use, so a
 * long interval is sufficient.
 */
const LOOK_MS = 600_000;
/**
 * The interval at which a mounted certificate is read, in milliseconds. The CRD may trust only the new CA certificate as soon
 * as the new certificate is mounted.
 */
const MOUNTED_LOOK_MS = 30_000;
/**
 * The time for which the port stays open after `close`, in milliseconds. API servers may still send requests to the pod,
 * because the change of the Service reaches them later.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination
 */
const LINGER_MS = 2000;
/** The delay after a failure, such as a missing right, in milliseconds. */
const RETRY_MS = 5000;

interface Serving {
  readonly server: ConversionServer;
  readonly converter: Converter;
}

/** The private key is also the key of {@link Converter.useKey}, because all replicas have it. */
const use = ({ server, converter }: Serving, certificate: ServerCertificate): void => {
  server.use(certificate);
  converter.useKey(certificate.key);
};

const takeMounted = async (dir: string, serving: Serving): Promise<void> => {
  const [cert, key] = await Promise.all(['tls.crt', 'tls.key'].map(async (name) => readFile(`${dir}/${name}`, 'utf8')));
  use(serving, { cert: cert ?? '', key: key ?? '' });
};

/** By the name of a CRD: the other Service that its webhook settings name. */
type Elsewhere = ReadonlyMap<string, ServiceName>;

const takeOwn = async (
  { api, kinds, settings }: ConversionOptions,
  serving: Serving,
  now: number,
): Promise<Elsewhere> => {
  const { service } = settings;
  const hosts = [`${service.name}.${service.namespace}.svc`];
  const certificates = await certificatesIn(api, service, { now: new Date(now), hosts });
  use(serving, { cert: certificates['tls.crt'], key: certificates['tls.key'] });
  const trust = { service, bundle: certificates['ca.crt'] };
  const names = kinds.map((kind) => namesOf(kind).crdName);
  const outcomes = await Promise.all(names.map(async (name) => [name, await trustIn(api, name, trust)] as const));
  return new Map(outcomes.flatMap(([name, outcome]) => (outcome.isOurs ? [] : [[name, outcome.found] as const])));
};

const shown = ({ name, namespace }: ServiceName): string => (name === '' ? 'none' : `${namespace}/${name}`);

/** A CRD is logged again only after a change. */
const elsewhereLog = ({ log, settings }: ConversionOptions): ((elsewhere: Elsewhere) => void) => {
  let said: Elsewhere = new Map();
  return (elsewhere) => {
    for (const [crd, found] of elsewhere) {
      const before = said.get(crd);
      if (before && shown(before) === shown(found)) continue;
      const fix = 'apply the CRD of this release; until then its objects are not converted by this operator';
      const fields = { crd, found: shown(found), expected: shown(settings.service), fix };
      log.warn(fields, 'the CRD names another Service for its conversion webhook');
    }
    said = elsewhere;
  };
};

/**
 * Serves conversion reviews, with a certificate that is renewed in time.
 *
 * Flow: with `certificateDir`, the server reads the certificate every 30 s. Otherwise, every ten minutes, the server renews
 * the certificate when necessary, and writes the CA bundle into the CRDs. After a failure, or if a CRD names another Service,
 * the next attempt follows after five seconds.
 *
 * @returns after the first attempt, successful or not
 * @throws {ConfigurationError} when the process cannot listen on the port
 */
export const startConversion = async (options: ConversionOptions): Promise<ConversionServer> => {
  const { settings, log, entry, timers = systemTimers } = options;
  const { port, certificateDir } = settings;
  const converter = startConverter(options.kinds, { log, entry });
  const server = await startConversionServer({ port, convert: converter.convert, log }).catch(
    async (error: unknown) => {
      await converter.close();
      throw error;
    },
  );
  const serving: Serving = { server, converter };
  const sayElsewhere = elsewhereLog(options);
  let cancel: (() => void) | undefined;
  let isClosed = false;
  const take = async (): Promise<number> => {
    if (certificateDir !== undefined) {
      await takeMounted(certificateDir, serving);
      return MOUNTED_LOOK_MS;
    }
    const elsewhere = await takeOwn(options, serving, timers.now());
    sayElsewhere(elsewhere);
    return elsewhere.size === 0 ? LOOK_MS : RETRY_MS;
  };
  const look = async (): Promise<void> => {
    let next = RETRY_MS;
    try {
      next = await take();
    } catch (error) {
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
      await new Promise<void>((over) => void timers.setTimer(LINGER_MS, over));
      await server.close();
      await converter.close();
    },
  };
};
