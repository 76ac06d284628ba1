import { readFileSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { connect, type NetConnectOpts } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { createTemporaryFolder } from '../../../shared/files/create-temporary-folder.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { ETCD_CLIENT_FILES, type EtcdConnection } from '../../../etcd/etcd-connection.ts'
import { connectAsPlane, storedSharedEtcd } from './plane-etcd-access.ts'
import { runningComponents } from './running-components.ts'
import type { PlaneContext } from './start-context.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import { readPlaneRecord } from '../store/plane-record.ts'

/** The longest path of a socket that every system accepts: 104 bytes with a final zero on macOS, 108 on Linux. */
const MAX_PATH_BYTES = 103

/** How long it may take to find a member of a shared etcd that answers. */
const SHARED_MS = 10_000

/** The gateway of etcd over a socket; gRPC over a port, also of kine. @throws {VplaneError} `FAILED` if it is not up. */
export async function localEtcd(
  {
    kept,
    store,
    table,
  }: Pick<PlaneContext, 'kept' | 'table'> & { store: Pick<PlaneContext['store'], 'folder'> },
  name: string,
): Promise<EtcdConnection> {
  const folder = store.folder(name)
  const shared = storedSharedEtcd(folder)
  if (shared !== undefined) {
    return connectAsPlane(shared, folder, AbortSignal.timeout(SHARED_MS))
  }
  const running = runningComponents(folder, table)
  const component = running.has('kine') ? 'kine' : 'etcd'
  if (!running.has(component)) {
    throw new VplaneError('FAILED', `the store of "${name}" does not run`, {
      hints: [{ action: 'resume', plane: { name } }],
    })
  }
  const pem = (file: string) => readFileSync(join(folder.pki, file), 'utf8')
  const connection: EtcdConnection = {
    what: `${component} of "${name}"`,
    ...(component === 'kine' ? { hasGateway: false, hasLeases: false } : {}),
    dial: (_, speech) => (speech === 'gateway' ? dialSocket(folder.root) : dialPort(folder)),
    certificateAuthority: pem(ETCD_CLIENT_FILES.certificateAuthority),
    certificate: pem(ETCD_CLIENT_FILES.certificate),
    key: pem(ETCD_CLIENT_FILES.key),
  }
  return kept?.etcd(folder, connection) ?? connection
}

async function dialPort({ record }: PlaneFolder): Promise<Duplex> {
  const stored = readPlaneRecord(record)
  return await connected({ host: '127.0.0.1', port: stored?.ports.etcdClient ?? 0 })
}

async function dialSocket(root: string): Promise<Duplex> {
  const path = join(root, 'etcd.sock')
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES) {
    return await connected({ path })
  }
  // The system truncates a longer path silently: a link shortens it.
  await using folder = await createTemporaryFolder()
  await symlink(root, join(folder.path, 'plane'))
  return await connected({ path: join(folder.path, 'plane', 'etcd.sock') })
}

function connected(place: NetConnectOpts): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connect(place)
    socket.once('error', reject)
    socket.once('connect', () => resolve(socket.off('error', reject)))
  })
}
