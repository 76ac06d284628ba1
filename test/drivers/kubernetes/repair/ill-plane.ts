import { expect } from 'vitest'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { objectLabels } from '../../../../src/manifests/object-names.ts'
import { createPlane } from '../../../../src/drivers/kubernetes/lifecycle/create-plane.ts'
import type { MemoryRequest } from '../../../support/api/memory-host-api.ts'
import { FakeCluster, requestFor } from '../fake-cluster.ts'
import { fakeEtcd } from './fake-etcd.ts'

/** Where `illPlane` is. */
export const PLACE = { name: 'dev', namespace: 'team-a' }

/** The path of the pod of a member. */
export const POD = (ordinal: number) => `/api/v1/namespaces/team-a/pods/vplane-dev-etcd-${ordinal}`

/** The log of etcd without data that has no other member to copy it from. */
export const NO_DATA =
  '{"level":"fatal","msg":"discovery failed","error":"cannot fetch cluster info from peer urls: could not retrieve cluster information from the given URLs"}\n'

export interface IllPlaneOptions {
  /** More of its spec. @default nothing */
  more?: UserSpec
  /** Refuses a request to the host by throwing. @default nothing */
  onRequest?: (request: MemoryRequest) => void
}

/** A plane that runs on a host, with an etcd of some members that can be made ill. */
export async function illPlane(
  count: 1 | 3 | 5,
  { more = {}, onRequest = () => {} }: IllPlaneOptions = {},
) {
  const cluster: FakeCluster = new FakeCluster({
    onRequest,
    // A StatefulSet makes a claim before the pod.
    onChange: ({ object, path, type }) => {
      const [, ordinal] = /\/pods\/vplane-dev-etcd-(\d)$/.exec(path) ?? []
      if (ordinal !== undefined && type === 'ADDED' && more.ephemeral !== true) {
        putClaim(cluster, Number(ordinal), object.metadata.labels)
      }
    },
  })
  const userSpec: UserSpec = { ...more, etcd: { replicas: count } }
  const context = () => cluster.driverContext()
  const request = requestFor('dev', { userSpec })
  const stored = await createPlane(context(), request, cluster.operation())
  const ends = new Map<number, string | undefined>()
  const isUp = (ordinal: number) => {
    const uid = cluster.api.objects.get(POD(ordinal))?.metadata.uid
    return uid !== undefined && ends.get(ordinal) !== uid
  }
  const etcd = await fakeEtcd(cluster, PLACE, { count, isUp })
  cluster.forward = etcd.forward
  const end = (ordinal: number, status: object) => {
    const pod = cluster.api.objects.get(POD(ordinal))
    expect.assert(pod !== undefined)
    ends.set(ordinal, pod.metadata.uid)
    cluster.api.put(POD(ordinal), { ...pod, status })
  }
  return {
    cluster,
    context,
    etcd,
    stored,
    /** The member of a pod does not answer, and the host says this of the pod. */
    end,
    /** The member of a pod has ended with a log, until it is another pod. */
    ill: (ordinal: number, log: string) => {
      end(ordinal, {
        conditions: [{ type: 'Ready', status: 'False' }],
        containerStatuses: [
          { name: 'etcd', restartCount: 3, state: { terminated: { exitCode: 1 } } },
        ],
      })
      cluster.api.texts.set(`${POD(ordinal)}/log`, log)
    },
  }
}

/** The path of the volume claim of a member. */
export const CLAIM = (ordinal: number) =>
  `/api/v1/namespaces/team-a/persistentvolumeclaims/data-vplane-dev-etcd-${ordinal}`

/** Makes the claim of a member, unless it exists. */
export function putClaim(
  { api }: FakeCluster,
  ordinal: number,
  labels = objectLabels(PLACE.name, 'etcd'),
): void {
  const { namespace } = PLACE
  const metadata = { name: `data-vplane-dev-etcd-${ordinal}`, namespace, labels }
  if (!api.objects.has(CLAIM(ordinal))) {
    api.put(CLAIM(ordinal), { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata })
  }
}

/** Of how many members each member would be told if it had no data. */
export function told(cluster: FakeCluster): number[] {
  const path = '/api/v1/namespaces/team-a/configmaps/vplane-dev-etcd'
  const files = Object.values(Object(cluster.api.objects.get(path)?.['data']))
  return files.map((file) => JSON.parse(String(file))['initial-cluster'].split(',').length)
}

/** Of how many members each one was told whenever a pod was taken away. */
export function toldAtRemovals(cluster: FakeCluster): number[][] {
  const seen: number[][] = []
  cluster.api.hooks.onRequest = ({ path, verb }) => {
    if (verb === 'delete' && path.includes('/pods/')) {
      seen.push(told(cluster))
    }
  }
  return seen
}
