import { wakesForAny } from '../../../control-plane/plane/is-woken-by-any.ts'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Layout } from '../../../control-plane/components/arguments/layout.ts'
import {
  databaseOf,
  isAtServer,
  sharedEtcdOf,
  storeOf,
} from '../../../control-plane/store/store.ts'
import { canSharePorts } from '../../../shared/network/ports.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import { sharedEtcdAccess } from './plane-etcd-access.ts'
import type { PlaneRecord } from '../store/plane-record.ts'

const LOOPBACK = '127.0.0.1'

/** The files and addresses of a local plane: its own folder, and ports of the loopback address. */
export function localLayout({ id, ports, spec }: PlaneRecord, folder: PlaneFolder): Layout {
  const sharedEtcd = sharedEtcdOf(spec) && sharedEtcdAccess(folder)
  return {
    profile: 'nodeless',
    pkiFolder: folder.pki,
    configurationFolder: folder.configuration,
    etcd: {
      name: 'etcd-0',
      dataFolder: folder.etcdData,
      listenClient: `${LOOPBACK}:${ports.etcdClient}`,
      listenPeer: `${LOOPBACK}:${ports.etcdPeer}`,
      // Relative to the working folder, since the path of a socket may have about a hundred characters.
      listenHttp: 'unixs://etcd.sock',
      advertiseClient: `${LOOPBACK}:${ports.etcdClient}`,
      advertisePeer: `${LOOPBACK}:${ports.etcdPeer}`,
      initialState: hasEtcdData(folder) ? 'existing' : 'new',
      token: id,
    },
    kine: {
      listen: `${LOOPBACK}:${ports.etcdClient}`,
      file: folder.sqliteFile,
      caFile: databaseOf(spec)?.caFile,
    },
    apiServer: {
      bindAddress: LOOPBACK,
      advertiseAddress: LOOPBACK,
      port: ports.apiServer,
      url: serverOf(ports),
      endpointReconciler: 'none',
      sharesPort: wakesForAny(spec) && canSharePorts(),
      etcdServers: sharedEtcdOf(spec)?.endpoints ?? [`https://${LOOPBACK}:${ports.etcdClient}`],
      ...(sharedEtcd === undefined ? {} : { sharedEtcd }),
    },
    controllerManager: { bindAddress: LOOPBACK, port: ports.controllerManager, leaderElect: false },
  }
}

/** The URL of a local plane's API. */
export function serverOf(ports: PlaneRecord['ports']): string {
  return `https://${LOOPBACK}:${ports.apiServer}`
}

/** Whether the store of a plane has ever stored data; at a server, whether the plane has something there. */
export function hasStoredData({ spec }: Pick<PlaneRecord, 'spec'>, folder: PlaneFolder): boolean {
  if (isAtServer(spec)) {
    return existsSync(dataFolderOf({ spec }, folder))
  }
  return storeOf(spec).component === 'etcd'
    ? hasEtcdData(folder)
    : (statSync(folder.sqliteFile, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** Where the store of a plane has its data, or how it reaches that. */
export function dataFolderOf({ spec }: Pick<PlaneRecord, 'spec'>, folder: PlaneFolder): string {
  if (sharedEtcdOf(spec) !== undefined) {
    return folder.sharedEtcd.facts
  }
  if (databaseOf(spec) !== undefined) {
    return folder.database
  }
  return storeOf(spec).component === 'etcd' ? folder.etcdData : folder.sqliteData
}

/** etcd creates its database first, then its log in one step. */
function hasEtcdData(folder: PlaneFolder): boolean {
  return ['snap/db', 'wal'].every((path) => existsSync(join(folder.etcdData, 'member', path)))
}
