import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { createKubeClient, type KubeClient } from '#lib/kube/client/client.ts';
import type { Credentials } from '#lib/kube/credentials/authentication.ts';
import type { TransportOptions } from '#lib/kube/transport/request.ts';
import { fixedCredentials } from './fixed-credentials.ts';
import { type HttpServer, type HttpServerOptions, type Received, startHttpServer } from './http-server.ts';

export const pods = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' } as const;
export const podSets = {
  apiVersion: 'app.example.com/v1alpha1',
  kind: 'PodSet',
  plural: 'podsets',
  scope: 'Namespaced',
} as const;
export const target = { namespace: 'default', name: 'web' };

export const object = (more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...target, uid: 'u', resourceVersion: '5', ...more },
});

export const list = (...items: object[]) => ({
  kind: 'PodList',
  apiVersion: 'v1',
  metadata: { resourceVersion: '9' },
  items,
});

export type Answer = (request: Received, response: ServerResponse) => void;

/** A server that is closed at the end of the test. */
export const serve = async (answer: Answer, options: HttpServerOptions = {}): Promise<HttpServer> => {
  const server = await startHttpServer(answer, options);
  onTestFinished(() => server.close());
  return server;
};

/** A client that is closed at the end of the test. */
export const connect = (credentials: Credentials, options: TransportOptions = {}): KubeClient => {
  const client = createKubeClient(credentials, options);
  onTestFinished(() => client.close());
  return client;
};

/** A server, and a client of it whose token is `secret-token`. */
export const setUp = async (answer: Answer, options: TransportOptions = {}) => {
  const server = await serve(answer);
  return { server, client: connect(fixedCredentials(server.url, 'secret-token'), options) };
};
