import { ObjectCache } from '../../kube/cache/object-cache.ts'
import { keyOf, type ObjectKey } from '../../kube/cache/object-key.ts'
import { WorkQueue } from '../../kube/cache/work-queue.ts'
import { messageOf } from '../../shared/errors.ts'
import { COMPONENT_NAMES } from '../../control-plane/plane/plane.ts'
import { COMPONENT_LABEL } from '../../manifests/object-names.ts'
import { collectionPath } from '../../shared/kube/collections.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { OWNER_ANNOTATION, OWNER_LABEL } from './nested-control-plane.ts'
import { type NestedDependencies, reconcileNested } from './reconcile-nested.ts'

export interface NestedOptions extends NestedDependencies {
  log: (line: string) => void
  /** How often one is looked at that has not changed, in milliseconds. @default 10_000 */
  checkMs?: number
  /** How often one is looked at that is not ready yet, in milliseconds. @default 1000 */
  startingMs?: number
}

/** Selects the workloads of planes whose state the parts show. */
const COMPONENTS = `${COMPONENT_LABEL} in (${COMPONENT_NAMES.join()})`

/** Makes what NestedControlPlanes of all namespaces say, until the signal fires. */
export async function runNested(options: NestedOptions, signal: AbortSignal): Promise<void> {
  const { checkMs = 10_000, host, log, startingMs = 1000 } = options
  const resources = new ObjectCache(host, collectionPath('nestedcontrolplanes'))
  const templates = new ObjectCache(host, collectionPath('nestedcontrolplanetemplates'), {
    metadataOnly: true,
  })
  const planes = new ObjectCache(host, collectionPath('controlplanes'), {
    labelSelector: OWNER_LABEL,
    metadataOnly: true,
  })
  const workloads = (['statefulsets', 'deployments'] as const).map(
    (resource) =>
      new ObjectCache(host, collectionPath(resource), { labelSelector: COMPONENTS, keep }),
  )
  const queue = new WorkQueue<ObjectKey>({
    work: async (key, stop) => {
      const resource = resources.get(key)
      if (resource !== undefined) {
        const { isSettled } = await reconcileNested(options, resource, stop)
        queue.addIn(key, isSettled ? checkMs : startingMs)
      }
    },
    onError: (key, error) => log(`NestedControlPlane ${key}: ${messageOf(error)}`),
    workers: 4,
    retryMs: startingMs,
    maxRetryMs: checkMs * 3,
  })
  const acted = new Map<ObjectKey, string>()
  resources.onChange((resource, isGone) => {
    const key = keyOf(resource)
    const wanted = wantedOf(resource)
    // What the operator has written itself, such as a status, leads to no other try.
    if (isGone) {
      acted.delete(key)
    } else if (acted.get(key) !== wanted) {
      acted.set(key, wanted)
      queue.add(key)
    }
  })
  templates.onChange(() => {
    for (const resource of resources.values()) {
      queue.add(keyOf(resource))
    }
  })
  const owners = new Map<string, ObjectKey>()
  planes.onChange((plane, isGone) => {
    const { metadata } = plane
    const key = ownerOf(plane)
    if (key !== undefined) {
      queue.add(key)
    }
    if (key === undefined || isGone) {
      owners.delete(metadata.namespace ?? '')
    } else {
      owners.set(metadata.namespace ?? '', key)
    }
  })
  for (const cache of workloads) {
    cache.onChange(({ metadata: { namespace = '' } }) => {
      const key = owners.get(namespace)
      if (key !== undefined) {
        queue.add(key)
      }
    })
  }
  await Promise.all([
    ...[resources, templates, planes, ...workloads].map((cache) => cache.run(signal)),
    queue.run(signal),
  ]).catch((error: unknown) => {
    if (!signal.aborted) {
      throw error
    }
  })
}

/** What of a workload says whether it is ready. */
function keep({ apiVersion, kind, metadata, status }: KubeObject): KubeObject {
  const { generation, name = '', namespace = '' } = metadata
  return { apiVersion, kind, metadata: { name, namespace, generation }, status }
}

/** What of a NestedControlPlane the operator acts on, as a text. */
function wantedOf({ metadata }: KubeObject): string {
  const { annotations, deletionTimestamp, finalizers, generation, ownerReferences, uid } = metadata
  return JSON.stringify([
    uid,
    generation,
    finalizers,
    annotations,
    ownerReferences,
    deletionTimestamp,
  ])
}

function ownerOf({ metadata: { annotations } }: KubeObject): ObjectKey | undefined {
  const [namespace, name] = annotations?.[OWNER_ANNOTATION]?.split('/') ?? []
  return namespace === undefined || name === undefined ? undefined : `${namespace}/${name}`
}
