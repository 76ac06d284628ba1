import type { Driver } from '../../control-plane/driver/driver.ts'
import type { Operation } from '../../control-plane/driver/operation.ts'
import type { RestoreRequest } from '../../control-plane/driver/requests.ts'
import { createMoves } from '../../control-plane/moves/create-moves.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import { storeOf } from '../../control-plane/store/store.ts'
import type { KubernetesContext } from './context/context.ts'
import { readLimit } from './host/host-api.ts'
import { toPlace } from './context/object-names.ts'
import type { PlaneRecord } from './record/plane-record.ts'

/** `onRotated` is called with the record of a plane whose keys have changed. */
export function hostCertificates(
  context: Pick<KubernetesContext, 'diagnose' | 'host' | 'now'>,
  onRotated: (record: PlaneRecord) => void,
): Driver['certificates'] {
  const filesOf = async (plane: Plane) => {
    const { readKeys } = await import('./objects/plane-keys.ts')
    const { api } = await context.host()
    return readKeys(api, toPlace(plane).place, readLimit())
  }
  return {
    list: async (plane) => {
      const { listCertificates } = await import('../../pki/plane/list-certificates.ts')
      return listCertificates(await filesOf(plane))
    },
    renewLeaves: async (plane, operation) => {
      const { renewPlaneLeaves } = await import('./certificates/renew-plane-leaves.ts')
      return renewPlaneLeaves(context, toPlace(plane), operation)
    },
    rotation: async (plane, keys) => {
      const { rotationProgress } = await import('../../pki/rotation/rotations.ts')
      return rotationProgress(await filesOf(plane), keys)
    },
    rotate: async (plane, { untilSafe, untilSettled, ...step }, operation) => {
      const { rotateKeys } = await import('./certificates/rotate-keys.ts')
      await rotateKeys(context, {
        ...toPlace(plane),
        step,
        untilSafe: async () => untilSafe?.(),
        untilSettled: async (record) => {
          onRotated(record)
          await untilSettled?.()
        },
        operation,
      })
    },
    secretsInEtcd: async (plane, signal) => {
      const { secretsInEtcd } = await import('./certificates/secrets-in-etcd.ts')
      const { place } = toPlace(plane)
      return secretsInEtcd(await context.host(), { ...plane, place, signal })
    },
  }
}

/** Deletes planes. What one removal has found out about a namespace, the next one need not. */
export function hostRemoval(
  context: Pick<KubernetesContext, 'databases' | 'host' | 'now'>,
): Driver['remove'] {
  const staying = new Map<string, string>()
  return async (plane, operation, options = { keepData: false }) => {
    const { removePlane } = await import('./remove/remove-plane.ts')
    const placed = { ...toPlace(plane).place, ...('id' in plane ? { id: plane.id } : {}) }
    return removePlane(context, placed, { ...operation, ...options, staying })
  }
}

/** The Secrets of a host cluster with credentials for planes. */
export function hostCredentials({
  host,
}: Pick<KubernetesContext, 'host'>): NonNullable<Driver['credentials']> {
  return {
    state: async (plane, entry, signal) => {
      const { credentialState } = await import('./status/credential-state.ts')
      return credentialState((await host()).api, plane, { entry, signal })
    },
    outdated: async (plane, signal) => {
      const { outdatedCredentials } = await import('./status/credential-state.ts')
      return outdatedCredentials((await host()).api, plane, signal)
    },
    grant: async (plane, secret) => {
      const { credentialGrant } = await import('../../manifests/credentials/credential-grant.ts')
      return credentialGrant(toPlace(plane).place, secret)
    },
  }
}

/** Reads the metrics of planes in a host cluster through port-forwards to their pods. */
export function hostMetrics({ host }: Pick<KubernetesContext, 'host'>): Driver['metrics'] {
  return {
    etcd: async (plane, signal) => {
      const { membersFigures } = await import('./metrics/members-figures.ts')
      return membersFigures(await host(), toPlace(plane), signal)
    },
    ofComponent: async (plane, component, signal) => {
      const { componentMetrics } = await import('./metrics/component-metrics.ts')
      return componentMetrics(await host(), { ...toPlace(plane), component, signal })
    },
  }
}

/** Moves planes of a host cluster out of their namespace. */
export function hostMoves(context: KubernetesContext): Driver['moves'] {
  return createMoves({
    now: context.now,
    fingerprint: async (plane, signal) => {
      const { hostedEtcd } = await import('./etcd/hosted-etcd.ts')
      const { dataFingerprint } = await import('../../etcd/data/data-fingerprint.ts')
      const connection = await hostedEtcd(await context.host(), toPlace(plane).place, signal)
      return dataFingerprint(connection, signal)
    },
    hold: async (plane, options, work) => {
      const { holdToMove } = await import('./move/movable-plane.ts')
      return holdToMove(context, { ...toPlace(plane), ...options }, work)
    },
  })
}

/** Reads the data of planes in a host cluster through port-forwards to the pods of their stores. */
export function hostSnapshot({ host }: Pick<KubernetesContext, 'host'>): Driver['snapshot'] {
  return async (plane, signal, { format, instance } = {}) => {
    const { startedEtcd } = await import('./etcd/wait-for-member.ts')
    const { component } = storeOf(plane.spec)
    const place = { ...toPlace(plane).place, component, instance }
    const connection = await startedEtcd(await host(), place, signal)
    if (component === 'kine' || format === 'logical') {
      const { takeLogicalSnapshot } = await import('../../data/take-logical-snapshot.ts')
      return takeLogicalSnapshot(connection, plane, signal)
    }
    const { readSnapshot } = await import('../../etcd/data/read-snapshot.ts')
    return readSnapshot(connection, signal)
  }
}

/** Replaces the data of a plane in a host cluster. */
export async function restoreHosted(
  context: KubernetesContext,
  plane: Plane,
  work: { request: RestoreRequest; operation: Operation },
): Promise<void> {
  const restored = { ...toPlace(plane), ...work }
  if (storeOf(plane.spec).component === 'kine') {
    const { restoreKine } = await import('./restore/restore-kine.ts')
    await restoreKine(context, restored)
  } else {
    const { restorePlane } = await import('./restore/restore-plane.ts')
    await restorePlane(context, restored)
  }
}

/** Reads and repairs etcd of planes in a host cluster. */
export function hostPlaneEtcd(
  context: Pick<KubernetesContext, 'diagnose' | 'host' | 'now'>,
): Driver['etcd'] {
  return {
    staleObjects: async (plane, lost, signal) => {
      const { openStore } = await import('./shared-etcd/open-store.ts')
      const { readStaleObjects } = await import('../../etcd/data/read-stale-objects.ts')
      const { place } = toPlace(plane)
      await using store = await openStore(await context.host(), { ...plane, place, signal })
      return await readStaleObjects(store.connection, { lost, spec: store.spec, signal })
    },
    canReturnTo: async (plane, version, signal) => {
      const { canReturn } = await import('./etcd/can-return.ts')
      return canReturn(await context.host(), toPlace(plane).place, { version, signal })
    },
    regainMajority: async (plane, operation) => {
      const { regainMajority } = await import('./repair/regain-majority.ts')
      return regainMajority(context, toPlace(plane), operation)
    },
    settle: async (plane, operation) => {
      const { settlePlane } = await import('./lifecycle/settle-plane.ts')
      await settlePlane(context, toPlace(plane), operation)
    },
  }
}

/** The pods that planes run in a host namespace, found by the objects that their syncers created. */
export function hostPods({ host }: Pick<KubernetesContext, 'host'>): Driver['pods'] {
  return {
    volumes: async (plane) => {
      const { podVolumes } = await import('./synced/synced-objects.ts')
      const { api } = await host()
      return podVolumes(api, toPlace(plane).place, readLimit())
    },
    addresses: async (plane) => {
      if (!runsPods(plane)) {
        return []
      }
      const { serviceAddresses } = await import('./synced/synced-objects.ts')
      const { api } = await host()
      return serviceAddresses(api, toPlace(plane).place, readLimit())
    },
    outlook: async (addresses, namespace, signal) => {
      const { addressOutlook } = await import('./synced/address-outlook.ts')
      const { api } = await host()
      return addressOutlook(api, { addresses, namespace, signal })
    },
  }
}

function runsPods({ spec }: Plane): boolean {
  return spec.host?.sync !== undefined
}
