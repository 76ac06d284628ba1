import { collectionsOf } from '../../src/drivers/kubernetes/namespace/collections-of.ts'
import type { KubeClient } from '../../src/kube/client/client.ts'
import { COMPONENT_LABEL, PLANE_LABEL } from '../../src/manifests/object-names.ts'
import { type Json, recordsAt, textAt, textMapAt } from '../../src/shared/json-fields.ts'
import type { KubeObject } from '../../src/shared/kube/kube-object.ts'
import { internalAddresses } from '../../src/syncer/nodes/virtual-node.ts'
import { API_SERVER_PORT } from '../lab/cluster/state/address-plan.ts'
import type { Lab } from '../lab/lab.ts'
import { createSyncedPlane, type SyncedPlane } from '../support/host/planes/synced-plane.ts'
import { claim, pod, serverContainer, service } from '../support/host/planes/workloads.ts'
import { until } from '../support/until.ts'
import { fieldLeaves } from '../../scripts/fields/field-leaves.ts'
import { DONE, probePod, type ProbeTarget, REACHED } from './probe-pod.ts'

const KUBELET_PORT = 10_250
const METADATA = '169.254.169.254'
/** The one target that pods of the tenant may reach. */
export const OWN_SERVICE = 'own Service'

/** A plane with a pod that answers, and its Service. */
export async function planeWithServer(lab: Lab): Promise<SyncedPlane> {
  await using stack = new AsyncDisposableStack()
  const plane = stack.use(await createSyncedPlane([], { lab }))
  await plane.apply(pod('own', [serverContainer()]), service('own'))
  await plane.ok('wait', 'pod/own', '--for=condition=Ready', '--timeout=120s')
  await until('its report', async () => {
    const text = await plane.cli.ok(['describe', 'dev', ...plane.place, '--json'])
    return JSON.parse(text).networkPolicies === 'enforced'
  })
  stack.move()
  return plane
}

/** A Secret and a volume, which pods use and the host has, too. */
export async function addSecret(plane: SyncedPlane, value: string): Promise<void> {
  await plane.ok('create', 'secret', 'generic', 'other', `--from-literal=a=${value}`)
  const env = [{ name: 'A', valueFrom: { secretKeyRef: { name: 'other', key: 'a' } } }]
  const volumeMounts = [{ name: 'data', mountPath: '/mnt/data' }]
  const spec = { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'other' } }] }
  await plane.apply(claim('other'), pod('user', [serverContainer({ env, volumeMounts })], spec))
  await plane.ok('wait', 'pod/user', '--for=condition=Ready', '--timeout=120s')
}

/**
 * What a tenant may not reach, and one Service that it may. The last node has the address that clouds have for the
 * credentials of nodes.
 */
export async function probeTargets(
  lab: Lab,
  { evil, victim }: Record<'evil' | 'victim', SyncedPlane>,
): Promise<ProbeTarget[]> {
  const list = async (what: string, plane: SyncedPlane): Promise<KubeObject[]> =>
    JSON.parse(await plane.onHost('get', what, '--output', 'json')).items
  const nodes: KubeObject[] = JSON.parse(
    await lab.kubectl(['get', 'nodes', '--output', 'json']),
  ).items
  const addresses = nodes.flatMap(internalAddresses).map((one) => textAt(one, 'address') ?? '')
  const last = lab.nodes.at(-1) ?? ''
  const lastAddress = addresses.at(-1) ?? ''
  await lab.execOnNode(['ip', 'address', 'add', `${METADATA}/32`, 'dev', 'lo'], last)
  for (const node of lab.nodes.slice(0, -1)) {
    await lab.execOnNode(['ip', 'route', 'add', METADATA, 'via', lastAddress], node)
  }
  const podsOf = async (plane: SyncedPlane, pattern: RegExp, ports: number[]) =>
    (await list('pods', plane))
      .filter(({ metadata }) => pattern.test(metadata.name ?? ''))
      .flatMap((one) =>
        ports.map((port) => ({
          name: `${one.metadata.name} of ${plane.place[1]}:${port}`,
          host: textAt(one, 'status', 'podIP') ?? '',
          port,
        })),
      )
  const servicesOf = async (plane: SyncedPlane, pattern: RegExp, port: number) =>
    (await list('services', plane))
      .filter(({ metadata }) => pattern.test(metadata.name ?? ''))
      .map((one) => ({
        name: `Service ${one.metadata.name} of ${plane.place[1]}`,
        host: textAt(one, 'spec', 'clusterIP') ?? '',
        port,
      }))
  const open = [
    { name: 'API of the host', host: '10.96.0.1', port: 443 },
    { name: 'API of the host at its node', host: addresses[0] ?? '', port: API_SERVER_PORT },
    ...addresses.map((host) => ({
      name: `kubelet at ${host}`,
      host,
      port: KUBELET_PORT,
      exceptOn: [host],
    })),
    { name: 'metadata', host: METADATA, port: KUBELET_PORT, exceptOn: [lastAddress] },
    ...(await podsOf(evil, /kube-controller-manager/, [10_257])),
    ...(await servicesOf(victim, /^vplane-dev-api$/, 443)),
  ]
  return [
    ...open.map((one) => ({ ...one, isOpen: true })),
    ...(await podsOf(evil, /etcd/, [2379, 2381])),
    ...(await podsOf(victim, /etcd/, [2379])),
    ...(await podsOf(victim, /^own-x-/, [8080])),
    ...(await servicesOf(victim, /^own-x-/, 8080)),
    ...(await servicesOf(evil, /^own-x-/, 8080)).map((one) => ({ ...one, name: OWN_SERVICE })),
  ]
}

/** Those open targets that a pod on the first node of the host does not reach although no policy applies to it. */
export async function closedTargets(
  lab: Lab,
  namespace: string,
  targets: readonly ProbeTarget[],
): Promise<string[]> {
  const [first = ''] = lab.nodes
  const made = probePod('control', targets)
  const input = JSON.stringify({ ...made, spec: { ...made.spec, nodeName: first } })
  await lab.kubectl(['apply', '--namespace', namespace, '--filename', '-'], input)
  const log = () => lab.kubectl(['logs', 'control', '--namespace', namespace]).catch(() => '')
  await until('the control', async () => (await log()).includes(DONE))
  const host = await lab.kubectl([
    'get',
    'pod/control',
    '--namespace',
    namespace,
    '--output=jsonpath={.status.hostIP}',
  ])
  const reached = reachedIn(await log())
  return targets
    .filter(({ exceptOn = [], isOpen = false }) => isOpen && !exceptOn.includes(host))
    .flatMap(({ name }) => (reached.includes(name) ? [] : [name]))
}

export function reachedIn(log: string): string[] {
  return log
    .split('\n')
    .flatMap((line) => (line.startsWith(REACHED) ? [line.slice(REACHED.length)] : []))
}

/** How often the syncer of a plane has ended and was started again, by its pod. */
export async function restartsOf(plane: SyncedPlane): Promise<Record<string, unknown>> {
  const selector = [`--selector=${PLANE_LABEL}=dev,${COMPONENT_LABEL}=syncer`]
  const { items }: { items: KubeObject[] } = JSON.parse(
    await plane.onHost('get', 'pods', ...selector, '--output', 'json'),
  )
  const restarts = items.map((one) => {
    const containers = recordsAt(one, 'status', 'containerStatuses')
    const syncer = containers.find(({ name }) => name === 'syncer')
    return [one.metadata.name, syncer?.['restartCount']] as const
  })
  return Object.fromEntries(restarts)
}

/** The logs of all pods of a plane. */
export async function logsOf(plane: SyncedPlane): Promise<string[]> {
  const { items }: { items: KubeObject[] } = JSON.parse(
    await plane.ok('get', 'pods', '--all-namespaces', '--output', 'json'),
  )
  const logs = items.map(async ({ metadata: { name = '', namespace = '' } }) => {
    return (await plane.cli.kubectl(['logs', name, '--namespace', namespace])).stdout
  })
  return await Promise.all(logs)
}

/** A volume of the host that waits for a claim of a namespace. */
export async function reserveVolume(lab: Lab, namespace: string): Promise<void> {
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'reserved' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Mi' },
      claimRef: { namespace, name: 'reserved' },
      hostPath: { path: '/var/lib/reserved' },
    },
  }
  await lab.kubectl(['apply', '--filename', '-'], JSON.stringify(volume))
}

/** The names of all volumes of the host. */
export async function volumesOf(lab: Lab): Promise<string[]> {
  const { items }: { items: KubeObject[] } = JSON.parse(
    await lab.kubectl(['get', 'persistentvolumes', '--output', 'json']),
  )
  return items.map(({ metadata }) => metadata.name ?? '')
}

/** The kinds besides those that are synced which a tenant makes, by the names of their schemas. */
const OTHER_KINDS = {
  ...core('LimitRange', 'Namespace', 'Node', 'PersistentVolume', 'ResourceQuota'),
  IngressClass: 'io.k8s.api.networking.v1.IngressClass',
  PriorityClass: 'io.k8s.api.scheduling.v1.PriorityClass',
  RuntimeClass: 'io.k8s.api.node.v1.RuntimeClass',
  StorageClass: 'io.k8s.api.storage.v1.StorageClass',
  VolumeAttributesClass: 'io.k8s.api.storage.v1.VolumeAttributesClass',
}

function core(...kinds: string[]): Record<string, string> {
  return Object.fromEntries(kinds.map((kind) => [kind, `io.k8s.api.core.v1.${kind}`]))
}

/** The fields of all kinds that a tenant makes, as its plane serves them. */
export async function fieldsIn(
  api: Pick<KubeClient, 'get'>,
): Promise<ReturnType<typeof fieldLeaves>> {
  const swagger: Json = { ...(await api.get('/openapi/v2')) }
  return { ...fieldLeaves(swagger), ...fieldLeaves(swagger, OTHER_KINDS) }
}

/** Those targets that kube-apiserver of a plane may not reach; it always reaches its etcd and its node. */
export async function apiServerTargets(
  plane: SyncedPlane,
  targets: readonly ProbeTarget[],
): Promise<ProbeTarget[]> {
  const selector = [`--selector=${PLANE_LABEL}=dev,${COMPONENT_LABEL}=kube-apiserver`]
  const { items }: { items: KubeObject[] } = JSON.parse(
    await plane.onHost('get', 'pods', ...selector, '--output', 'json'),
  )
  const nodes = items.map((one) => textAt(one, 'status', 'hostIP') ?? '')
  const etcd = new RegExp(`etcd.* of ${plane.place[1]}:2379$`)
  return targets.filter(
    ({ exceptOn = [], name }) =>
      name !== OWN_SERVICE && !etcd.test(name) && !exceptOn.some((one) => nodes.includes(one)),
  )
}

/** All objects of a plane, as text. */
export async function everythingIn(api: KubeClient): Promise<string> {
  const collections = await collectionsOf(api, { ask: (asking) => asking.catch(() => undefined) })
  const lists = await Promise.all(
    collections.map(({ resource, root }) => api.list(`${root}/${resource}`)),
  )
  return JSON.stringify(lists)
}

/** The keys of a plane on its host, by the names of their Secrets. */
export async function keysOf(plane: SyncedPlane): Promise<Record<string, string>> {
  const selector = ['--selector', `${PLANE_LABEL}=dev`]
  const { items }: { items: KubeObject[] } = JSON.parse(
    await plane.onHost('get', 'secrets', ...selector, '--output', 'json'),
  )
  const keys = items.flatMap((secret) =>
    Object.entries(textMapAt(secret, 'data'))
      .filter(([name]) => name.endsWith('.key'))
      .map(([name, data]) => [`${secret.metadata.name}/${name}`, atob(data)] as const),
  )
  return Object.fromEntries(keys)
}
