import { podSetPath } from '../ground/pod-sets.ts';
import type { BareClient } from './bare-client.ts';
import { type CreatedPodSet, fill, type Templates } from './templates.ts';

const FIELD_MANAGER = 'cdk8s-reconcile%2Fpodsets.app.example.com';

/** What the writes of an operator need besides the PodSet. */
export interface Writing {
  readonly bare: Pick<BareClient, 'send'>;
  readonly templates: Templates;
  /** Token of the operator. */
  readonly token: string;
}

/** Sends the writes of the operator for a new PodSet, one after the other: its pods, then its status. */
export const writeAsOperator = async ({ bare, templates, token }: Writing, podSet: CreatedPodSet): Promise<void> => {
  const { namespace, name } = podSet;
  const pods = `/api/v1/namespaces/${namespace}/pods?fieldManager=${FIELD_MANAGER}&fieldValidation=Strict`;
  for (const pod of templates.pods) {
    await bare.send({ method: 'POST', path: pods, body: fill(pod, podSet), token });
  }
  const path = `${podSetPath(namespace, name)}/status?fieldManager=${FIELD_MANAGER}`;
  const contentType = 'application/merge-patch+json';
  await bare.send({ method: 'PATCH', path, body: fill(templates.status, podSet), token, contentType });
};
