import { BAD, GOOD } from '#test/company/monitoring/servers/web.ts';
import { documentedStep } from './documented.ts';

/** How a rollout ends. */
export type Ending = 'Healthy' | 'Degraded' | 'Paused';

/** A rollout with one step that queries Prometheus. */
export interface Trial {
  readonly name: string;
  readonly replicas: number;
  readonly image: string;
  readonly step: object;
  readonly ends: Ending;
  /** Parts of messages and reasons that the status of the rollout must show before the rollout ends. */
  readonly messages: readonly string[];
}

/** Addresses of metrics. */
export interface Servers {
  /** URL of the server with a certificate of a private CA. */
  readonly secure: string;
  readonly login: string;
}

/** Ends after the second failed sample. */
const quick = { intervalSeconds: 5, errorLimit: 1, inconclusiveLimit: 1, max: 0 };

const trial = (name: string, metric: object, rest: Partial<Trial>): Trial => ({
  name,
  replicas: 2,
  image: GOOD,
  step: { percent: 50, sleep: 60, metrics: [{ name: 'm', ...metric }] },
  ends: 'Paused',
  messages: [],
  ...rest,
});

const ofCanary = 'http_requests_total{pod=~"{{canaryPods}}"}';

/** The check on docs/checks.md, unchanged. */
const documented = async (): Promise<readonly Trial[]> => {
  const step = await documentedStep();
  return [
    { name: 'good', replicas: 10, image: GOOD, step, ends: 'Healthy', messages: ['0, should be at most 0.01'] },
    { name: 'bad', replicas: 10, image: BAD, step, ends: 'Degraded', messages: ['MetricFailed'] },
  ];
};

const data: readonly Trial[] = [
  trial(
    'resumes',
    { query: `sum(rate(${ofCanary}[1m]))`, min: '0.1' },
    {
      ends: 'Healthy',
      messages: ['the query found no series'],
    },
  ),
  trial(
    'no-series',
    { query: 'sum(rate(http_requests_total{pod=~"{{canaryPods}}",code=~"5.."}[1m]))', max: 0, intervalSeconds: 5 },
    {
      messages: ['the query found no series', 'MetricInconclusive'],
    },
  ),
  trial('no-number', { ...quick, query: 'vector(0) / 0' }, { messages: ['the value is NaN'] }),
  trial(
    'many-series',
    { ...quick, query: 'http_requests_total' },
    { messages: [' series, and which of them counts is not said'] },
  ),
  trial('too-long', { ...quick, query: '{__name__=~".+"}' }, { messages: ['the answer is longer than 64 KiB'] }),
];

const LEADER = 'max(leader_election_master_status{job="cdk8s-reconcile-metrics"})';

const servers = ({ secure, login }: Servers): readonly Trial[] => {
  const trusted = { query: LEADER, min: 1, intervalSeconds: 10, address: `https://${secure}` };
  const untrusted = { ...quick, query: LEADER, address: `https://${secure}` };
  return [
    trial(
      'from-configmap',
      { ...trusted, certificateAuthority: { configMapName: 'private-ca' } },
      {
        ends: 'Healthy',
        messages: ['1, should be at least 1'],
      },
    ),
    trial(
      'from-secret',
      { ...trusted, certificateAuthority: { secretName: 'private-ca', key: 'authority.pem' } },
      {
        ends: 'Healthy',
        messages: ['1, should be at least 1'],
      },
    ),
    trial('untrusted', untrusted, { messages: ['no answer: UntrustedCertificate'] }),
    trial(
      'other-authority',
      { ...untrusted, certificateAuthority: { configMapName: 'kube-root-ca.crt' } },
      {
        messages: ['no answer: UntrustedCertificate'],
      },
    ),
    trial(
      'redirected',
      { ...quick, query: 'vector(0)', address: `http://${login}` },
      {
        messages: ['the server answered 302, a redirect'],
      },
    ),
    trial(
      'login-page',
      { ...quick, query: 'vector(0)', address: `http://${login}/page` },
      {
        messages: ['the answer is not that of a Prometheus server'],
      },
    ),
    trial(
      'not-listed',
      { ...quick, query: 'vector(0)', address: 'http://elsewhere.example.com:9090' },
      {
        messages: ['no answer: HostNotAllowed'],
      },
    ),
  ];
};

/** All trials, which run concurrently. */
export const trialsOf = async (where: Servers): Promise<readonly Trial[]> => [
  ...(await documented()),
  ...data,
  ...servers(where),
];
