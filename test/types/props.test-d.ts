import type { Chart } from 'cdk8s';
import { apply, defineKind, Pod, ready, s } from 'cdk8s-reconcile';
import { CustomResource, ImmortalContainer, Operator, PodSet, podSet } from 'cdk8s-reconcile/constructs';

// Also compiled as a user's file, against the published package.

declare const chart: Chart;

export const web = new PodSet(chart, 'web', { metadata: { name: 'web' }, spec: { replicas: 3 } });
export const apiVersion: string = web.apiVersion;
export const nothing = new PodSet(chart, 'nothing', { spec: {} });

export const refused = [
  // @ts-expect-error a string for a number
  new PodSet(chart, 'a', { spec: { replicas: '3' } }),
  // @ts-expect-error an unknown field
  new PodSet(chart, 'b', { spec: { size: 3 } }),
  // @ts-expect-error an unknown field of a field
  new PodSet(chart, 'c', { spec: { updateStrategy: { type: 'RollingUpdate', surge: 1 } } }),
  // @ts-expect-error a value outside of the enum
  new PodSet(chart, 'd', { spec: { updateStrategy: { type: 'Recreate' } } }),
  // @ts-expect-error a resource has a spec
  new PodSet(chart, 'e', {}),
  // @ts-expect-error the API server fills in the status
  new PodSet(chart, 'f', { spec: {}, status: {} }),
  // @ts-expect-error the required field image is missing
  new ImmortalContainer(chart, 'g', { spec: {} }),
  // @ts-expect-error a template has containers
  new PodSet(chart, 'h', { spec: { template: { spec: {} } } }),
  // @ts-expect-error an operator has an image
  new Operator(chart, 'i', { kinds: [podSet] }),
  // @ts-expect-error the name of a kind is no kind
  new Operator(chart, 'j', { kinds: ['PodSet'], image: 'operator:1' }),
];

const note = defineKind({
  group: 'notes.example.com',
  version: 'v1',
  kind: 'Note',
  spec: s.object({ text: s.string({ maxLength: 80 }), copies: s.int32({ minimum: 0, maximum: 9, default: 1 }) }),
  status: s.object({ copies: s.int32({ minimum: 0 }) }),
  owns: [Pod],
  desired: ({ resource }) => {
    const { copies } = resource.spec;
    const exact: number = copies;
    // @ts-expect-error a field that the schema does not have
    const unknown: unknown = resource.spec.copys;
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: `${exact}-${String(unknown)}` } };
    return { children: [apply(pod)], status: { copies }, state: ready('Copied', 'the note was copied') };
  },
});

export class Note extends CustomResource(note) {}
export const short = new Note(chart, 'short', { spec: { text: 'hello' } });
// @ts-expect-error text is required, and has no default
export const empty = new Note(chart, 'empty', { spec: { copies: 2 } });
