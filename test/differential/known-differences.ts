import type { ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { isPlainObject } from '#lib/json.ts';
import type { Difference, Mismatch } from './compare.ts';
import { group } from './definitions.ts';
import { isWatch, type Step } from './step.ts';

/** A permanent difference from the real server, listed in docs/virtual-cluster.md under its id. */
export interface KnownDifference {
  readonly id: string;
  readonly reason: string;
  /** Whether a difference is an instance of this known difference. */
  readonly covers: (difference: Difference, mismatch: Mismatch) => boolean;
  /** The two servers hold different objects afterwards, so the rest is not compared. */
  readonly endsSequence?: boolean;
}

const virtualBody = ({ actual }: Mismatch): Readonly<Record<string, unknown>> => {
  const answer = 'answer' in actual ? actual.answer : actual.watched.refusal;
  return isPlainObject(answer?.body) ? answer.body : {};
};

/** Lines in which the real server prints a diff of its own structures. */
const goDiff = /(?<=previously negative\)\n)(?:(?:@@|[ +-]).*\n)+/g;

/** The template of a Job in a message, in the form of the API or of Go. */
const template = /\{(?=.*"[Cc]ontainers":).*(?=: field is immutable)/g;

const goType = /(?<= of type )\S+/g;

const jsonProblem = /(?<="<secret contents redacted>": )[^,\]]+(?:, "[^"]*"[^,\]]*)?/g;

const letters = (text: string): string => text.split('').toSorted().join('');

/** Whether two messages are the same after a function removed parts of them. */
const isSameBut =
  (simplify: (message: string) => string): KnownDifference['covers'] =>
  ({ expected, actual }) =>
    typeof expected === 'string' && typeof actual === 'string' && simplify(expected) === simplify(actual);

const requestOf = ({ step }: Mismatch): ServerRequest | undefined => ('request' in step ? step.request : undefined);

const pluralOf = ({ step }: Mismatch): string => (isWatch(step) ? step.watch : step.request).resource.plural;

const emptyMetadata = /"(?:labels|annotations|finalizers|ownerReferences)":(?:\{\}|\[\]|null)/;

const decodeError = /json: cannot unmarshal|parsing time|quantities must match|illegal base64 data/;

const hasExternalPolicy = (steps: readonly Step[]): boolean => {
  const text = JSON.stringify(steps);
  return text.includes('"internalTrafficPolicy":"Local"') && text.includes('"type":"ExternalName"');
};

const saysImmutable = ({ expected }: Mismatch): boolean =>
  'answer' in expected &&
  JSON.stringify(expected.answer.body).includes('field is immutable","field":"data"') &&
  expected.answer.code === 422;

/** All known differences: as few as possible, with the aim of none. */
export const knownDifferences: readonly KnownDifference[] = [
  {
    id: 'not-implemented',
    reason:
      'requests for missing features get the status 501 with the name of the feature; the real server supports them',
    covers: (_, mismatch) => virtualBody(mismatch)['reason'] === 'NotImplemented',
    endsSequence: true,
  },
  {
    id: 'job-labels',
    reason:
      'a Job without labels gets the labels of its template; the real server stores them only with the next write. This next write changes the resource version, even if it changes no field. The virtual server stores the labels immediately',
    covers: ({ path }, mismatch) =>
      pluralOf(mismatch) === 'jobs' &&
      path.endsWith('.resourceVersion') &&
      mismatch.differences.every((difference) => difference.path.endsWith('.resourceVersion')),
    endsSequence: true,
  },
  {
    id: 'job-template',
    reason:
      'the message about a forbidden change of the template of a Job contains the template as JSON of the API; the message of the real server contains the Go structure',
    covers: isSameBut((message) => message.replaceAll(template, '')),
  },
  {
    id: 'pod-update-diff',
    reason:
      'the message about a forbidden change of a pod lacks the comparison of Go structures that the real server adds at its end',
    covers: isSameBut((message) => message.replaceAll(goDiff, '')),
  },
  {
    id: 'go-type-names',
    reason:
      'if a JSON value has the wrong type, the message of the real server names the Go type of the field (such as v1.FinalizerName); the message of the virtual server names the basic type (string)',
    covers: isSameBut((message) => message.replaceAll(goType, '')),
  },
  {
    id: 'json-syntax',
    reason:
      'if JSON in a Secret has a syntax error, the message of the virtual server comes from the JavaScript engine, and its text differs from the text of the real server',
    covers: isSameBut((message) => message.replaceAll(jsonProblem, '')),
  },
  {
    id: 'raw-data-order',
    reason:
      'the virtual server compares the data of a ControllerRevision as JSON, and returns it with sorted members; the real server compares and returns its bytes',
    covers: (difference, mismatch) =>
      pluralOf(mismatch) === 'controllerrevisions' &&
      (isSameBut(letters)(difference, mismatch) || saysImmutable(mismatch)),
    endsSequence: true,
  },
  {
    id: 'service-status-create',
    reason:
      'if a client writes the status of a Service that does not exist, the real server creates the Service; the virtual server answers 404',
    covers: (_, mismatch) => {
      const request = requestOf(mismatch);
      return (
        request?.resource.plural === 'services' &&
        request.subresource === 'status' &&
        virtualBody(mismatch)['reason'] === 'NotFound'
      );
    },
    endsSequence: true,
  },
  {
    id: 'cel-syntax',
    reason:
      'the virtual server has its own parser for CEL; its messages about syntax errors differ from the messages of the real server',
    covers: ({ expected }, mismatch) =>
      pluralOf(mismatch) === 'customresourcedefinitions' &&
      typeof expected === 'string' &&
      expected.includes('compilation failed: ERROR: <input>:') &&
      expected.includes('Syntax error:'),
  },
  {
    id: 'empty-metadata',
    reason:
      'if a client applies empty labels, annotations, finalizers or owner references ({}, [] or null) to a custom resource, the real server stores the empty value until the next write. This next write changes the resource version, even if it changes no field. The virtual server drops the empty value immediately',
    covers: ({ path }, mismatch) =>
      path.endsWith('.resourceVersion') &&
      mismatch.differences.every((difference) => difference.path.endsWith('.resourceVersion')) &&
      (isWatch(mismatch.step) ? mismatch.step.watch : mismatch.step.request).resource.group === group &&
      [...mismatch.earlier, mismatch.step].some((step) => emptyMetadata.test(JSON.stringify(step))),
    endsSequence: true,
  },
  {
    id: 'cel-cost',
    reason:
      'the real server estimates the cost of CEL rules, and refuses a definition with a rule that is too expensive; the virtual server accepts the definition',
    covers: (_, { expected }) =>
      'answer' in expected && JSON.stringify(expected.answer.body).includes('cost exceeds budget'),
  },
  {
    id: 'first-decode-error',
    reason: 'if a body has several values of a wrong type, the messages of the two servers may name different values',
    covers: ({ expected, actual }) =>
      typeof expected === 'string' &&
      typeof actual === 'string' &&
      decodeError.test(expected) &&
      decodeError.test(actual),
  },
  {
    id: 'empty-or-absent',
    reason: 'a message shows an empty map as null; the real server shows {}',
    covers: isSameBut((message) => message.replaceAll('Invalid value: {}:', 'Invalid value: null:')),
  },
  {
    id: 'quota-status',
    reason:
      'admission on the real server increases status.used of a ResourceQuota; in the virtual server, only the quota controller writes the field',
    covers: (_, mismatch) =>
      pluralOf(mismatch) === 'resourcequotas' &&
      JSON.stringify(mismatch.differences.map(({ expected }) => expected ?? '')).includes('"manager":"kube-apiserver"'),
    endsSequence: true,
  },
  {
    id: 'external-name-policy',
    reason:
      'the virtual server drops internalTrafficPolicy of an ExternalName Service; the real server keeps the field, omits it in responses to reads, and returns it in the response to the deletion',
    covers: ({ path }, mismatch) =>
      pluralOf(mismatch) === 'services' &&
      (path.endsWith('internalTrafficPolicy') || hasExternalPolicy([...mismatch.earlier, mismatch.step])),
    endsSequence: true,
  },
];
