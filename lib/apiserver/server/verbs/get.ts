import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { isEvents } from '#lib/apiserver/machinery/resources.ts';
import { notFound } from '#lib/apiserver/machinery/status.ts';
import { badReadVersion, badVersion, parseResourceVersion, tooLargeResourceVersion } from '../errors.ts';
import type { Call } from '../target.ts';
import { present } from '../versions.ts';

/**
 * Returns the object that a request names, in the version of the request.
 *
 * @throws {StatusError} 404
 */
export const liveObject = ({ target }: Call): ServerObject => {
  const object = target.collection.table.get(target.namespace, target.name);
  if (object === undefined) throw notFound(target.subject);
  return present(object, target);
};

/** Handles a get request. @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/get.go (`GetResource`) */
export const handleGet = (call: Call): ServerResponse => {
  const { resourceVersion = '' } = call.options;
  const { version } = call.server.store;
  // The real server reads events from its storage and not from a cache. For this reason, the error of a malformed version is not
  // the same as for other kinds.
  const problem = isEvents(call.target.kind) ? badVersion(resourceVersion) : badReadVersion(resourceVersion);
  const minimum = parseResourceVersion(resourceVersion, problem);
  if (minimum > version) throw tooLargeResourceVersion(minimum, version);
  return { code: 200, body: liveObject(call) };
};
