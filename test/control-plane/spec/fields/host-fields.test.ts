import { expect, test } from 'vitest'
import { parseSpec } from '../../../../src/control-plane/spec/parse-spec.ts'
import { thrownBy } from '../../../support/thrown-by.ts'

/** The spec in a file with this text. */
const inFile = (text: string) => parseSpec({ file: { path: 'plane.yaml', text } })

test('reads every field about the host namespace', () => {
  const spec = {
    preset: 'ha',
    storage: { className: 'fast', size: '20Gi' },
    expose: {
      type: 'ingress',
      host: 'dev.example.com',
      ingressClassName: 'nginx',
      annotations: { 'example.com/a': 'b' },
    },
    images: {
      registry: 'registry.example.com:5000/mirror/k8s',
      pullSecrets: ['mirror'],
      pullPolicy: 'Never',
    },
    pods: {
      nodeSelector: { pool: 'planes' },
      tolerations: [{ key: 'planes', operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
      priorityClassName: 'system-cluster-critical',
      labels: { 'example.com/team': 'a', empty: '' },
      annotations: { note: 'anything at all' },
    },
    audit: { policy: { rules: [{ level: 'None' }] } },
    encryption: { secrets: false },
    etcd: { replicas: 3, resources: { requests: { cpu: '1' }, limits: { memory: '1Gi' } } },
    apiServer: { replicas: 2, resources: { limits: { 'hugepages-2Mi': '4Mi' } } },
    controllerManager: { replicas: 1 },
  }

  expect(inFile(JSON.stringify(spec))).toEqual(spec)
})

test.for([
  ['storage.size=5Gi', { storage: { size: '5Gi' } }],
  ['storage.className=fast', { storage: { className: 'fast' } }],
  ['expose.type=load-balancer', { expose: { type: 'load-balancer' } }],
  ['expose.host=192.0.2.10', { expose: { host: '192.0.2.10' } }],
  ['expose.host=2001:db8::10', { expose: { host: '2001:db8::10' } }],
  ['etcd.replicas=3', { etcd: { replicas: 3 } }],
  ['etcd.resources.limits.memory=1Gi', { etcd: { resources: { limits: { memory: '1Gi' } } } }],
  ['apiServer.resources.requests.cpu=1', { apiServer: { resources: { requests: { cpu: '1' } } } }],
  ['pods.labels.on=true', { pods: { labels: { on: 'true' } } }],
  ['images.pullSecrets=[a, b]', { images: { pullSecrets: ['a', 'b'] } }],
  ['encryption.secrets=false', { encryption: { secrets: false } }],
  ['sync.storageClasses=[fast]', { sync: { storageClasses: ['fast'] } }],
  ['sync.priorityClasses.urgent=high', { sync: { priorityClasses: { urgent: 'high' } } }],
  ['audit.policy={rules: []}', { audit: { policy: { rules: [] } } }],
] as const)('sets %s', ([pair, spec]) => {
  expect(parseSpec({ set: [pair] })).toEqual(spec)
})

test.for([
  ['preset: huge', 'preset: must be one of "nano", "small", "ha"'],
  ['storage: {size: 5}', 'storage.size: must be a string: put it in quotes'],
  ['storage: {size: "five"}', 'storage.size: is not a quantity such as'],
  ['storage: {size: 512Mi}', 'storage.size: is less than "1Gi"'],
  ['storage: {className: Fast}', 'storage.className: is not a valid object name'],
  ['expose: {type: tunnel}', 'expose.type: must be one of "none", '],
  ['expose: {type: ingress}', 'expose: an ingress needs a host: expose.host'],
  ['expose: {host: "*.example.com"}', 'expose.host: is neither a host name nor an IP address'],
  ['expose: {host: "fe80::1%eth0"}', 'expose.host: is neither a host name nor an IP address'],
  [
    'expose: {type: ingress, host: 192.0.2.10}',
    'expose: an ingress selects planes by host name: expose.host is an IP address',
  ],
  ['expose: {ingressClassName: nginx}', 'ingressClassName is only for type "ingress"'],
  ['expose: {nodePort: 30443}', 'nodePort is only for the types "node-port" and "load-balancer"'],
  ['expose: {type: node-port, nodePort: 70000}', 'expose.nodePort: must be at most 65535'],
  ['images: {registry: "https://registry.example.com"}', 'images.registry: is not a registry'],
  ['images: {registry: registry.example.com/}', 'images.registry: is not a registry'],
  ['images: {pullPolicy: Sometimes}', 'images.pullPolicy: must be one of "IfNotPresent", '],
  ['pods: {labels: {vplane.dev/name: x}}', 'pods.labels.vplane.dev/name: is reserved for vplane'],
  ['pods: {labels: {app.kubernetes.io/managed-by: x}}', 'is reserved for vplane'],
  ['pods: {labels: {"a b": x}}', 'is not a valid label name'],
  ['pods: {labels: {a: "x y"}}', 'pods.labels.a: is not a valid label value'],
  ['pods: {tolerations: {}}', 'pods.tolerations: must be a list, not fields'],
  ['pods: {hostNetwork: true}', 'unknown field "pods.hostNetwork"'],
  ['etcd: {replicas: 2}', 'etcd.replicas: must be one of 1, 3, 5'],
  ['apiServer: {replicas: 0}', 'apiServer.replicas: must be at least 1'],
  ['apiServer: {resources: {limits: {memory: 1}}}', 'limits.memory: must be a string'],
  ['apiServer: {resources: {limits: {memory: 1mi}}}', 'limits.memory: is not a quantity'],
  ['apiServer: {resources: {limits: {Memory: 1Mi}}}', 'is not the name of a resource'],
  ['audit: {}', 'audit.policy: must be set'],
  ['encryption: {}', 'encryption.secrets: must be set'],
  [
    'encryption: {secrets: true, provider: kms}',
    'encryption.provider: must be one of "secretbox", ',
  ],
  ['etcd: {prefix: registry}', 'etcd.prefix: is not a path such as "/registry"'],
  ['serviceAccountIssuer: http://x', 'serviceAccountIssuer: is not an https URL'],
  ['serviceAccountIssuer: https://x?a', 'serviceAccountIssuer: is not an https URL'],
  ['encryption: {configMaps: true}', 'unknown field "encryption.configMaps"'],
] as const)('refuses %s and says why', ([text, reason]) => {
  const error = thrownBy(() => inFile(text))

  expect(error.code).toBe('INVALID_SPEC')
  expect(error.message).toContain(reason)
})
