import { fileURLToPath } from 'node:url';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import type { Screen } from './screen.ts';

/** Where the lives of the demo are played. */
export interface Stage {
  readonly plane: ControlPlane;
  readonly namespace: string;
  readonly screen: Screen;
}

/** Somebody types a command. */
interface Typed {
  /** Without `kubectl -n <namespace>`. */
  readonly args: readonly string[];
  /** What is shown in place of the arguments. @default the arguments themselves */
  readonly shown?: string;
}

/** Shows a kubectl command and runs it. */
export const kubectl = async ({ plane, namespace, screen }: Stage, { args, shown }: Typed): Promise<string> => {
  screen.command(`kubectl -n ${namespace} ${shown ?? args.join(' ')}`);
  const { code, stdout, stderr } = await plane.kubectl(['-n', namespace, ...args]);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')} failed: ${stderr}`);
  return stdout;
};

/** Shows `kubectl apply` of a manifest of the repository and runs it. */
export const applyManifest = async (stage: Stage, path: string): Promise<void> => {
  const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  await kubectl(stage, { args: ['apply', '-f', file], shown: `apply -f ${path}` });
};

/** Shows what a command prints. */
export const show = async (stage: Stage, ...args: readonly string[]): Promise<void> =>
  stage.screen.text(indented(await kubectl(stage, { args })));

/** Text below the times of a screen. */
export const indented = (text: string): string => text.trimEnd().replace(/^/gm, '            ');

/** An object that the API server has. */
interface Body<S> {
  readonly metadata: { readonly generation: number };
  readonly status?: S & { readonly observedGeneration?: number };
}

/** Which object. */
interface Place {
  /** Group, version and plural, such as `app.example.com/v1alpha1/podsets`. */
  readonly resource: string;
  readonly name: string;
}

/** The status of an object, once the operator has seen its spec; `undefined` before. */
export const statusOf = async <S>({ plane, namespace }: Stage, { resource, name }: Place): Promise<S | undefined> => {
  const [group = '', version = '', plural = ''] = resource.split('/');
  const path = `/apis/${group}/${version}/namespaces/${namespace}/${plural}/${name}`;
  const { metadata, status } = (await plane.request<Body<S>>('GET', path)).body;
  return status?.observedGeneration === metadata.generation ? status : undefined;
};

/** Waits until the operator has reported what is expected. */
export const reported = async <S>(stage: Stage, place: Place, isExpected: (status: S) => boolean): Promise<void> =>
  waitFor(`${place.name} to be as expected`, async () => {
    const status = await statusOf<S>(stage, place);
    return status !== undefined && isExpected(status);
  });
