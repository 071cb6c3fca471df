import { refusedAddress } from '#lib/desired/hosts/refused-address.ts';
import type { RolloutChecks } from './facts.ts';
import { knownWords, queryUrl, unknownWord } from './query.ts';
import type { Hook, Notice, WrittenMetric } from './schema.ts';

/** The maximum length of a URL, and the assumed length of each placeholder's value in an encoded query. */
const URL_LENGTH = 2048;
const WORD_LENGTH = 200;

const longestUrl = (address: string, query: string): number =>
  queryUrl(address, query.replaceAll(/\{\{[^{}]*\}\}/g, 'x'.repeat(WORD_LENGTH))).length;

const addressFault = (path: string, address: string): string[] => {
  const fault = refusedAddress(address);
  return fault === undefined ? [] : [`${path} is ${JSON.stringify(address)}: ${fault}`];
};

const metricFaults = (path: string, { query, address }: WrittenMetric, prometheusUrl: string | undefined): string[] => {
  const word = unknownWord(query);
  const server = address ?? prometheusUrl;
  if (word !== undefined) return [`${path}.query has ${word}, which is not a placeholder; allowed: ${knownWords}`];
  if (server === undefined) {
    return [
      `${path} has no address, and the operator has no PROMETHEUS_URL; set address, or ask the administrator of the operator to set PROMETHEUS_URL`,
    ];
  }
  if (longestUrl(server, query) > URL_LENGTH) {
    return [`${path}.query makes a URL of more than ${URL_LENGTH} characters; shorten it, or use a recording rule`];
  }
  if (address !== undefined && /[?#]/.test(address)) {
    return [
      `${path}.address is ${JSON.stringify(address)}: it must not hold ? or #; name the server and its path alone`,
    ];
  }
  return address === undefined ? [] : addressFault(`${path}.address`, address);
};

const hookFaults = (path: string, hooks: readonly Hook[] = []): string[] =>
  hooks.flatMap(({ name, url }) => addressFault(`${path}[${name}].url`, url));

const noticeFaults = (path: string, notices: readonly Notice[] = []): string[] =>
  notices.flatMap(({ url }, index) => (url === undefined ? [] : addressFault(`${path}[${index}].url`, url)));

/**
 * Finds errors in the checks of a spec, most of which its schema cannot detect. Each error makes the spec invalid.
 *
 * @param prometheusUrl - the Prometheus server for metrics without `address`; `undefined` if the operator has none
 * @returns messages with the paths of the fields, in the order of `webhooks`, `notify` and `steps`; at most one for each metric
 */
export const checkFaults = (
  { webhooks, notify, steps }: RolloutChecks,
  prometheusUrl: string | undefined,
): readonly string[] => [
  ...hookFaults('spec.webhooks', webhooks),
  ...noticeFaults('spec.notify', notify),
  ...steps.flatMap((step, index) => {
    const path = `spec.steps[${index}]`;
    const { metrics = [] } = step;
    return [
      ...metrics.flatMap((metric) => metricFaults(`${path}.metrics[${metric.name}]`, metric, prometheusUrl)),
      ...hookFaults(`${path}.webhooks`, step.webhooks),
      ...noticeFaults(`${path}.notify`, step.notify),
    ];
  }),
];
