/** The meaning of each code of an issue with the props or kinds of an `Operator`, by code. */
export const OPERATOR_CODES: Readonly<Record<string, string>> = {
  kinds: 'An operator runs at least one kind.',
  'kind-twice': 'Every kind is listed once: two definitions of one name would overwrite each other.',
  'name-collision':
    'Kinds of one group have no common name: kind, list kind, plural, singular or short name. An API server serves only the first kind with a name (condition `NamesAccepted`).',
  grants:
    'A kind that owns roles or bindings needs the right to grant them, by name: `bind` for the roles of its bindings, `escalate` for its own roles. Without such a kind, the operator needs no such right.',
  image: 'The Deployment runs an image. There is no default, because the name of your registry is unknown.',
  'dns-label': 'Names of the operator, of its namespace and of its watched namespaces are DNS labels.',
  name: 'An operator has a name of its own: cluster-scoped objects of the bundle have this name, such as a ClusterRole.',
  namespace: 'The bundle creates its own namespace; namespaces of the cluster exist already and have other owners.',
  namespaces: 'An operator for some namespaces lists each of them once, and runs no kind with a wider scope.',
  memory:
    'The memory limit determines the heap of Node.js. The process takes 106 MiB at its start, and 1.6 MiB more for each kind; the least limit is 128 MiB, or what the process takes at its start if that is more.',
  monitoring:
    'Labels are valid for an API server, kube-state-metrics has a namespace, and the delay of an alert is in minutes.',
  network: 'The network policy opens blocks of addresses with a prefix, ports from 1 to 65535, and pods with labels.',
  conversion: 'The operator makes the certificate of the conversion webhook itself, or cert-manager makes it.',
  'effect-hosts':
    'Effects go to listed hosts: `host`, `host:port` or `*.domain`, never to whole top-level domains, metadata services or the pod of the operator.',
  'prometheus-url':
    'The server for metrics is a URL without credentials, its host is in the list for effects, and a kind of the operator uses it.',
  'certificate-authority':
    'Trusted authorities of the process come from one key of one ConfigMap or Secret of its namespace.',
  'log-level': 'The log has five levels: `debug`, `info`, `warn`, `error`, `silent`.',
  events: 'The process writes `all` events, `warnings` alone, or none (`off`).',
  tuning: 'Numbers of the process are whole and within their range; the process itself checks this at its start.',
  'pod-guard': "The pod guard is `true`, `'warn'` or `false`, and `true` needs a kind that runs pods.",
  'released-source': 'The released definitions are readable: a file, a folder, or `git:<ref>:<path>`.',
  'cluster-child':
    'A namespaced kind owns cluster-scoped objects only by `elsewhere()`: the garbage collector never deletes cluster-scoped objects of a namespaced owner, and a tenant must not control them.',
  elsewhere:
    'A handle of `elsewhere()` names namespaces, or `any`, for a namespaced kind, and none for a cluster-scoped kind. Only a namespaced kind has such handles: in `owns` for children, and in `reads` for namespaced objects. With Secrets in `reads`, it names the namespaces.',
  handle:
    'A handle of a built-in kind in `owns` or `reads` has a kind that exists, and the plural and the scope of its kind.',
  'extension-name': 'An extension of an existing kind has a DNS label as its name.',
  'extension-group': 'An extension of an existing kind has the domain of its author as its group.',
  'extension-handle':
    'The handle of an existing kind has its API version, kind, plural and scope, as `kubectl api-resources` shows them.',
  'extension-selection':
    'An extension selects by namespaces only where its kind has them. No list is empty, and labels are valid. In a namespace of Kubernetes itself (`kube-*`), it selects by labels or names as well.',
  'extension-owns-itself': 'An extension does not own the kind that it extends: each child would be a parent again.',
  'extension-circle':
    'The children of an extension lead to no new parents: each parent would cause another one, without end.',
  'extension-condition': 'An extension reports by a condition whose type is a word in CamelCase.',
  'kind-named-twice': 'A definition names every kind once in `owns`, and once in `reads`.',
  'desired-returns':
    'A function returns within 1 s of CPU time: it only decides, and never waits. While a debugger listens there is no limit.',
  'owned-kind': 'A function makes children only of kinds in `owns`, which become watches, rights and an allow-list.',
  'cel-compile': 'Rules compile and have types that fit, as in an API server.',
  'cel-unseen': 'A rule is on a value with a declared type.',
  'cel-cost':
    'Rules stay within the cost limits of an API server: 10,000,000 for each, times the possible number of its values, and 100,000,000 for all. Only bounds lower the estimate. The estimate here is lower; a server may refuse more.',
  'default-rule':
    'A default keeps the rules of its own schema; otherwise no object could be created without the field. The status of every kind has one, without any field of the kind: objects have it before the operator writes a status.',
  'lint-exception':
    'An exception names a convention that permits one, has a reason in one line, and is necessary. Errors have no exceptions.',
};
