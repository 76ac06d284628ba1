import { componentSelector, planeSelector } from '../../drivers/kubernetes/context/object-names.ts'
import { isRolled } from '../../drivers/kubernetes/observed/is-rolled.ts'
import { wantedReplicas, workloadPath } from '../../drivers/kubernetes/observed/workloads.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { COMPONENT_NAMES, type ComponentName } from '../../control-plane/plane/plane.ts'
import { objectName, secretNames } from '../../manifests/object-names.ts'
import { fieldAt, type Json, numberAt, recordAt, textAt } from '../../shared/json-fields.ts'
import { collectionPath, objectPath } from '../../shared/kube/collections.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import type { NestedPlace } from './nested-control-plane.ts'
import type { NestedParts } from './nested-parts.ts'
import { KUBECONFIGS } from './to-control-plane.ts'

type Reader = Pick<KubeClient, 'get' | 'list'>

export interface ObservedParts {
  /** The status of each part. */
  statuses: Record<keyof NestedParts, Json & { ready: boolean }>
  controlPlane: KubeObject | undefined
  /** The Deployment of kube-apiserver. */
  apiServer: KubeObject | undefined
  /** The kubeconfig for controllers. */
  kubeconfig: string | undefined
}

const ETCD_PORT = 2379

/** Observes the workloads of a nested control plane, and what their pods need. */
export async function observeParts(
  host: Reader,
  place: NestedPlace,
  signal: AbortSignal,
): Promise<ObservedParts> {
  const get = (path: string) => host.get(path, { signal })
  const [workloads, others, members, secrets, kubeconfig, user] = await Promise.all([
    Promise.all(COMPONENT_NAMES.map((component) => get(workloadPath(place, component)))),
    Promise.all([
      get(objectPath('controlplanes', place)),
      get(objectPath('services', { ...place, name: objectName(place.name, 'api') })),
      get(objectPath('configmaps', kcmPlace(place))),
    ]),
    addresses(host, place, signal),
    certificateSecrets(host, place, signal),
    kubeconfigIn(host, { place, name: KUBECONFIGS.controllers }, signal),
    kubeconfigIn(host, { place, name: KUBECONFIGS.user }, signal),
  ])
  const [etcd, apiServer, controllerManager] = workloads
  const [controlPlane, service, settings] = others
  const missing = [
    ...secretNames(place.name, COMPONENT_NAMES).filter((name) => !secrets.includes(name)),
    ...(user === undefined || kubeconfig === undefined ? Object.values(KUBECONFIGS) : []),
    ...(settings === undefined ? [kcmPlace(place).name] : []),
  ]
  return {
    statuses: {
      pki: pkiStatus(place, missing),
      etcd: { ...workloadStatus('etcd', etcd), addresses: members },
      kas: omitUndefined({
        ...workloadStatus('kube-apiserver', apiServer),
        kasService: service && shown(service),
      }),
      kcm: workloadStatus('kube-controller-manager', controllerManager),
    },
    controlPlane,
    apiServer,
    kubeconfig,
  }
}

function kcmPlace({ name, namespace }: NestedPlace): NestedPlace {
  return { name: objectName(name, 'kube-controller-manager'), namespace }
}

function pkiStatus(place: NestedPlace, missing: readonly string[]): Json & { ready: boolean } {
  return {
    ready: missing.length === 0,
    ...(missing.length === 0 ? {} : { reason: `missing: ${missing.join(', ')}` }),
    certificates: secretNames(place.name, COMPONENT_NAMES).filter(
      (name) => !missing.includes(name),
    ),
    kubeconfigs: { user: KUBECONFIGS.user, controllerManager: kcmPlace(place).name },
  }
}

/** Ready is a workload all of whose pods are current and ready, and that has some. */
function workloadStatus(
  component: ComponentName,
  workload: KubeObject | undefined,
): Json & { ready: boolean } {
  if (workload === undefined) {
    return { ready: false, reason: `${component} was not created yet` }
  }
  const ready = isRolled(workload)
  const [wanted, some = 0] = [
    wantedReplicas(workload),
    numberAt(workload, 'status', 'readyReplicas'),
  ]
  return ready
    ? { ready }
    : { ready, reason: `${some} of ${wanted} pods of ${component} are ready` }
}

async function addresses(
  host: Reader,
  { name, namespace }: NestedPlace,
  signal: AbortSignal,
): Promise<Json[]> {
  const { items } = await host.list(collectionPath('pods', namespace), {
    labelSelector: componentSelector(name, 'etcd'),
    signal,
  })
  const domain = `${objectName(name, 'etcd-peers')}.${namespace}.svc`
  return items.map((pod) =>
    omitUndefined({
      ip: textAt(pod, 'status', 'podIP'),
      hostname: `${pod.metadata.name}.${domain}`,
      port: ETCD_PORT,
    }),
  )
}

/** The names of the Secrets of the plane; its pods may have many others. */
async function certificateSecrets(
  host: Reader,
  { name, namespace }: NestedPlace,
  signal: AbortSignal,
): Promise<string[]> {
  const options = { labelSelector: planeSelector(name), metadataOnly: true, signal }
  const { items } = await host.list(collectionPath('secrets', namespace), options)
  return items.flatMap(({ metadata }) => metadata.name ?? [])
}

async function kubeconfigIn(
  host: Reader,
  { name, place: { namespace } }: { place: NestedPlace; name: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  const secret = await host.get(objectPath('secrets', { name, namespace }), { signal })
  const value = textAt(secret, 'data', 'value')
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString()
}

/** What a client of the Service needs to know. */
function shown(service: KubeObject): Json {
  const { name, namespace } = service.metadata
  return omitUndefined({
    metadata: { name, namespace },
    spec: omitUndefined({
      type: fieldAt(service, 'spec', 'type'),
      clusterIP: fieldAt(service, 'spec', 'clusterIP'),
      ports: fieldAt(service, 'spec', 'ports'),
    }),
    status: recordAt(service, 'status'),
  })
}
