/** What an `Operator` refuses about its props and the kinds that it is given, by code. */
export const OPERATOR_CODES: Readonly<Record<string, string>> = {
  kinds: 'An operator runs at least one kind.',
  'kind-twice': 'Every kind is listed once: two definitions of one name would overwrite each other.',
  'name-collision':
    'Kinds of one group share no name: no kind, list kind, plural, singular or short name. An API server serves only the first that took a name (condition `NamesAccepted`).',
  grants:
    'A kind that owns roles or bindings needs the right to hand them out, by name: `bind` for what its bindings refer to, `escalate` for roles that it makes.',
  image: 'The Deployment runs an image. There is no default, because the name of your registry is unknown.',
  'dns-label': 'Names of the operator, of its namespace and of the namespaces that it works in are DNS labels.',
  namespace: 'The bundle makes a namespace of its own; those of the cluster exist already and belong to others.',
  namespaces: 'An operator for some namespaces names them, each once, and runs no kind that reaches beyond them.',
  memory: 'The heap of Node.js is sized after the memory limit; below 128 MiB the process does not come up.',
  monitoring:
    'Labels are labels as an API server takes them, kube-state-metrics is in a namespace, and an alert waits for minutes.',
  network: 'The network policy opens addresses with a prefix, and ports from 1 to 65535.',
  'effect-hosts':
    'Effects go to hosts that are named: `host`, `host:port` or `*.domain`, never to whole top-level domains.',
  'prometheus-url':
    'The server that metrics ask is a URL without credentials, one that effects may go to, and one that a kind of the operator asks.',
  'certificate-authority':
    'Certificates that the process trusts come from one key of one ConfigMap or Secret of its namespace.',
  'log-level': 'The process knows five levels of its log: `debug`, `info`, `warn`, `error`, `silent`.',
  events: 'The process writes `all` events, `warnings` alone, or none: `off`.',
  tuning: 'Numbers of the process are whole and within their range, as the process itself demands at its start.',
  'pod-guard': "The pod guard is `true`, `'warn'` or `false`, and `true` has something to guard.",
  'released-source': 'What the definitions are compared with can be read: a file, a folder, or `git:<ref>:<path>`.',
  'cluster-child':
    'A namespaced kind owns no cluster-scoped objects: the garbage collector would delete them for want of an owner, and a tenant must not reach them.',
  'kind-named-twice': 'A definition names every kind once in `owns`, and once in `reads`.',
  'owned-kind': 'A function makes children only of kinds in `owns`, which become watches, rights and an allow-list.',
  'cel-compile': 'Rules compile and have types that fit, as in an API server.',
  'cel-unseen': 'A rule stands where it can see something: on a value whose type is declared.',
  'cel-cost':
    'Rules stay within what an API server lets them cost: 10,000,000 for each, times how often its value may be there, and 100,000,000 for all. Only bounds lower the estimate. The estimate here is a lower one; a server may find more.',
  'default-rule':
    'A default keeps the rules of its own schema; otherwise no object could be created without the field. The status of every kind has one, without any field of the kind: it is what an object reads as before the operator has written a status.',
  'lint-exception':
    'An exception names a convention that may be excepted, gives a reason in one line, and is needed. Errors have none.',
};
