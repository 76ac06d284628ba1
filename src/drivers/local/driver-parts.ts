import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ENCRYPTION_FILE } from '../../control-plane/components/encryption-configuration.ts'
import type { Driver } from '../../control-plane/driver/driver.ts'
import { createMoves } from '../../control-plane/moves/create-moves.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import { ownStoreOf } from '../../control-plane/store/store.ts'
import { refuseDuring } from '../../control-plane/operations/answer.ts'
import { VplaneError } from '../../shared/errors.ts'
import { readPki } from './certificates/pki-files.ts'
import { sharedEtcdFiles } from './certificates/shared-etcd-files.ts'
import { localEtcd } from './components/local-etcd.ts'
import { withStoredPrefix } from './components/plane-etcd-access.ts'
import { runningComponents } from './components/running-components.ts'
import type { PlaneContext, StartContext } from './components/start-context.ts'
import { currentRecord } from './store/current-record.ts'
import { holdPlane } from './store/hold-plane.ts'

/** The certificates of planes on this machine: files in the folders of the planes. */
export function localCertificates(context: StartContext): Driver['certificates'] {
  const { kept, now, store } = context
  const filesOf = ({ name }: Plane) => readPki(store.folder(name).pki)
  return {
    list: async (plane) => {
      const { listCertificates } = await import('../../pki/plane/list-certificates.ts')
      const folder = store.folder(plane.name)
      const list = async () =>
        listCertificates({ ...(await filesOf(plane)), ...(await sharedEtcdFiles(folder)) })
      return kept?.certificates(folder, list) ?? list()
    },
    renewLeaves: async (plane, operation) => {
      const { name } = plane
      const { renewCertificates } = await import('./certificates/renew-certificates.ts')
      const { unfinishedRotation } = await import('../../pki/rotation/pending-rotation.ts')
      const options = { plane, kind: 'rotate', operation } as const
      return holdPlane(context, options, async (_, { begin, ui }) => {
        refuseDuring('rotate', plane, unfinishedRotation(await filesOf(plane)))
        await begin?.('issuing certificates')
        ui.step('Issuing certificates')
        const all = { now: now(), withinMs: Infinity }
        const renewed = await renewCertificates(store.folder(name), all)
        return renewed.map((file) => file.replace(/\.crt$/, '')).toSorted()
      })
    },
    rotation: async (plane, keys) => {
      const { rotationProgress } = await import('../../pki/rotation/rotations.ts')
      return rotationProgress(await filesOf(plane), keys)
    },
    rotate: async (plane, request, operation) => {
      const { rotateKeys } = await import('./change/rotate-keys.ts')
      await holdPlane(
        context,
        { plane, kind: 'rotate', keys: request.keys, operation },
        (record, held) => rotateKeys(context, record, { request, operation: held }),
      )
    },
    secretsInEtcd: async (plane, signal) => {
      const { readSecrets } = await import('../../etcd/data/read-secrets.ts')
      const { [ENCRYPTION_FILE]: configuration = '' } = await filesOf(plane)
      const spec = withStoredPrefix(plane.spec, store.folder(plane.name))
      const connection = await localEtcd(context, plane.name)
      return readSecrets(connection, { configuration, spec, signal })
    },
  }
}

/** Measures planes of this machine. */
export function localMetrics(context: PlaneContext): Driver['metrics'] {
  return {
    etcd: async ({ name }, signal) => {
      const { etcdFigures } = await import('../../etcd/status/etcd-figures.ts')
      const connection = runs(context, name, 'etcd') ? await localEtcd(context, name) : undefined
      return etcdFigures([{ instance: 'etcd', connection }], signal)
    },
    ofComponent: async (plane, component, signal) => {
      const { name, ports } = await currentRecord(context.store, plane)
      if (component === 'etcd') {
        const { memberMetrics } = await import('../../etcd/status/member-metrics.ts')
        return memberMetrics(await localEtcd(context, name), signal)
      }
      if (component !== 'kube-controller-manager' || !runs(context, name, component)) {
        throw new VplaneError('FAILED', `${component} of "${name}" does not run`, {
          hints: [{ action: 'resume', plane: { name } }],
        })
      }
      const { createKubeClient } = await import('../../kube/client/client.ts')
      const server = `https://127.0.0.1:${ports.controllerManager}`
      const { pki } = context.store.folder(name)
      const certificateAuthority = await readFile(join(pki, 'ca.crt'), 'utf8')
      await using client = createKubeClient({ server, certificateAuthority })
      return (await Array.fromAsync(client.stream('/metrics', { signal }))).join('')
    },
  }
}

/** Moves planes of this machine. */
export function localMoves(context: StartContext): Driver['moves'] {
  return createMoves({
    now: context.now,
    fingerprint: async ({ name }, signal) => {
      const { dataFingerprint } = await import('../../etcd/data/data-fingerprint.ts')
      return dataFingerprint(await localEtcd(context, name), signal)
    },
    hold: async (plane, options, work) => {
      const { movablePlane } = await import('./move/movable-plane.ts')
      return holdPlane(context, { plane, ...options }, (record, operation) =>
        work(movablePlane(context, record, operation)),
      )
    },
  })
}

/** Reads and repairs etcd of planes on this machine. */
export function localPlaneEtcd(context: PlaneContext): Driver['etcd'] {
  return {
    staleObjects: async ({ name, ...plane }, lost, signal) => {
      const spec = withStoredPrefix(plane.spec, context.store.folder(name))
      const { readStaleObjects } = await import('../../etcd/data/read-stale-objects.ts')
      return readStaleObjects(await localEtcd(context, name), { lost, spec, signal })
    },
    canReturnTo: async ({ name }, version, signal) => {
      const { canRead, clusterVersion } = await import('../../etcd/status/cluster-version.ts')
      if (!runs(context, name, 'etcd')) {
        return false
      }
      const current = await clusterVersion(await localEtcd(context, name), signal)
      return current !== undefined && canRead(version, current)
    },
    regainMajority: async ({ name }) => {
      throw new VplaneError('FAILED', `etcd of "${name}" has one member, which is its majority`)
    },
    settle: async () => {
      // A start has recorded it.
    },
  }
}

/** Gets the programs of planes of this machine. */
export function localTools(
  context: Pick<StartContext, 'findBinaries' | 'findEtcdutl'>,
): NonNullable<Driver['tools']> {
  return {
    ensure: async ({ forRestore = false, ...wanted }, operation) => {
      if (forRestore && ownStoreOf(wanted.spec) === 'etcd') {
        await context.findEtcdutl(wanted, operation)
      }
      await context.findBinaries(wanted, operation)
    },
  }
}

function runs(
  { store, table }: PlaneContext,
  name: string,
  component: 'etcd' | 'kube-controller-manager',
): boolean {
  return runningComponents(store.folder(name), table, [component]).has(component)
}
