import { builtinKinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import { definitionKind } from '#lib/apiserver/crd/definition-kind.ts';
import type { ServerEvent, ServerRequest, WatchRequest } from '#lib/apiserver/machinery/request.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { StatusError } from '#lib/apiserver/machinery/status.ts';
import { createApiServer } from '#lib/apiserver/server/server.ts';
import { definitions } from '#test/differential/definitions.ts';
import type { Side } from '#test/differential/suite.ts';
import type { RunningWatch, Target } from '#test/differential/target.ts';

/** The server's time: later than all times in request bodies, so that the server's own times are recognizable. */
const NOW = Date.UTC(2026, 0, 1);

const namespace = 'virtual';

const core = (plural: string): ServerRequest['resource'] => ({ group: '', version: 'v1', plural });

const create = (server: ApiServer, request: Omit<ServerRequest, 'verb'>): void => {
  const { code, body } = server.handle({ verb: 'create', ...request });
  if (code !== 201) throw new Error(`Cannot create ${request.resource.plural}: ${code} ${JSON.stringify(body)}`);
};

const openWatch = (server: ApiServer, request: WatchRequest): RunningWatch => {
  const events: ServerEvent[] = [];
  try {
    const open = server.watch(request, (event) => events.push(event));
    return {
      finish: async () => {
        open.close();
        return { events };
      },
    };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { status } = error;
    return { finish: async () => ({ events, refusal: { code: status.code ?? 500, body: status } }) };
  }
};

const createTarget = (): Target => {
  let now = NOW;
  const server = createApiServer({ kinds: [...builtinKinds, definitionKind], now: () => now });
  for (const body of definitions) {
    const resource = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
    create(server, { resource, body });
  }
  create(server, { resource: core('namespaces'), body: { metadata: { name: namespace } } });
  return {
    namespace,
    now: () => NOW,
    request: async (request) => {
      now += 100;
      return server.handle(request);
    },
    watch: async (request) => openWatch(server, request),
  };
};

/** The virtual API server: a new one for each sequence. */
export const virtualSide: Side = { name: 'virtual', createTarget: async () => createTarget() };
