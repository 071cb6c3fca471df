import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ResourceName, ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { startControlPlane } from '#test/control-plane/control-plane.ts';
import type { Chapter } from './chapters.ts';
import { comparedPlurals, outcomeOf } from './outcome.ts';
import { stories } from './stories.ts';
import { resourceOf } from './story-requests.ts';

// Runs the story on the real control plane and records the outcome: run it with Node, or the tests with RECORD_STORY=1.
// RECORD_STORY=recorded-sets records one story.

const methods: Partial<Record<ServerRequest['verb'], string>> = { create: 'POST', patch: 'PATCH', delete: 'DELETE' };

const pathOf = ({ group, version, plural }: ResourceName, namespace?: string, name?: string): string =>
  [
    group === '' ? `/api/${version}` : `/apis/${group}/${version}`,
    ...(namespace === undefined ? [] : ['namespaces', namespace]),
    plural,
    ...(name === undefined ? [] : [name]),
  ].join('/');

/** A stage of kwok for the pods with an annotation. */
const stage = (name: string, annotation: string, next: object, delayMs = 0): object => ({
  apiVersion: 'kwok.x-k8s.io/v1alpha1',
  kind: 'Stage',
  metadata: { name },
  spec: {
    resourceRef: { apiGroup: 'v1', kind: 'Pod' },
    weight: 100,
    delay: { durationMilliseconds: delayMs },
    selector: {
      matchAnnotations: { [annotation]: '1' },
      matchExpressions: [
        { key: '.metadata.deletionTimestamp', operator: 'DoesNotExist' },
        { key: '.status.phase', operator: 'In', values: ['Running'] },
      ],
    },
    next,
  },
});

const failed = `
{{ $now := Now }}
containerStatuses:
{{ range .spec.containers }}
- image: {{ .image | Quote }}
  name: {{ .name | Quote }}
  ready: false
  restartCount: 0
  state:
    terminated:
      exitCode: 1
      finishedAt: {{ $now | Quote }}
      reason: Error
      startedAt: {{ $now | Quote }}
{{ end }}
phase: Failed
`;

await using plane = await startControlPlane({
  stages: [
    stage('pod-fail', 'kubelet.sim/exit-code', { statusTemplate: failed }),
    stage('pod-stay', 'story/stays', {}, 3_600_000),
  ],
});

const send = async ({ verb, resource, namespace, name, body }: ServerRequest): Promise<void> => {
  const contentType = verb === 'patch' ? { contentType: 'application/merge-patch+json' } : {};
  for (let attempt = 0; ; attempt += 1) {
    const answer = await plane.request(methods[verb]!, pathOf(resource, namespace, name), body, contentType);
    if (answer.status < 300) return;
    // The service account of a new namespace is created a moment later.
    if (attempt === 20) throw new Error(`${verb} ${resource.plural}: ${JSON.stringify(answer.body)}`);
    await sleep(200);
  }
};

const tell = async ({ namespace, seconds = 4, requests }: Chapter): Promise<unknown> => {
  const lists = new Map<string, readonly ServerObject[]>();
  const read = async (): Promise<void> => {
    for (const plural of ['namespaces', ...comparedPlurals]) {
      const { body } = await plane.request<{ kind: string; apiVersion: string; items: ServerObject[] }>(
        'GET',
        pathOf(resourceOf(plural)),
      );
      const kind = body.kind.replace(/List$/, '');
      lists.set(
        plural,
        body.items.map((item) => ({ ...item, apiVersion: body.apiVersion, kind })),
      );
    }
  };
  const find = (plural: string, of?: string): readonly ServerObject[] =>
    (lists.get(plural) ?? []).filter(({ metadata }) => of === undefined || metadata.namespace === of);
  await read();
  for (const request of requests(find)) await send(request);
  await sleep(seconds * 1000);
  await read();
  return outcomeOf(find, namespace);
};

const asked = process.env['RECORD_STORY'];
for (const [file, chapters] of Object.entries(stories)) {
  if (asked !== undefined && asked !== '1' && asked !== file) continue;
  const outcomes: Record<string, unknown> = {};
  for (const chapter of chapters) outcomes[chapter.name] = await tell(chapter);
  await writeFile(new URL(`${file}.json`, import.meta.url), `${JSON.stringify(outcomes, null, 1)}\n`);
}
