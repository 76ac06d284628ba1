import { readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { etcdConfiguration } from '../../../control-plane/components/arguments/etcd-configuration.ts'
import { currentRevision } from '../../../etcd/data/read-keys.ts'
import { ETCD_CLIENT_FILES, type EtcdConnection } from '../../../etcd/etcd-connection.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { createTemporaryFolder } from '../../../shared/files/create-temporary-folder.ts'
import { writeFile } from '../../../shared/files/write-file.ts'
import { waitFor } from '../../../shared/wait.ts'
import { componentEnvironment } from '../components/component-environment.ts'
import { endTemporaryEtcd } from '../components/running-components.ts'
import { localLayout } from '../components/local-layout.ts'
import type { StartContext } from '../components/start-context.ts'
import type { HeldOperation } from '../store/hold-plane.ts'
import type { PlaneRecord } from '../store/plane-record.ts'

const START_MS = 60_000

interface TemporaryEtcdOptions {
  binary: string
  /** Its data: empty, or restored from a snapshot. */
  dataFolder: string
  operation: HeldOperation
}

export interface TemporaryEtcd extends AsyncDisposable {
  connection: EtcdConnection
}

/**
 * Runs an etcd beside a plane, until it is disposed: with the certificates of the plane, and on sockets in a folder of
 * this user alone instead of ports. The caller holds the plane's lock.
 * @throws {VplaneError} `COMPONENT_FAILED` with its last line when it does not start.
 */
export async function temporaryEtcd(
  context: StartContext,
  record: PlaneRecord,
  { binary, dataFolder, operation }: TemporaryEtcdOptions,
): Promise<TemporaryEtcd> {
  const folder = context.store.folder(record.name)
  const { signal } = operation
  await using stack = new AsyncDisposableStack()
  const sockets = stack.use(await createTemporaryFolder())
  // One may have outlived a vplane that was killed.
  await endTemporaryEtcd(folder, context.table, signal)
  const { restoredConfiguration: file } = folder
  stack.defer(() => rm(file, { force: true }))
  await writeFile(file, configurationOf(context, record, dataFolder))
  const etcd = execa(binary, [`--config-file=${file}`], {
    cwd: sockets.path,
    env: componentEnvironment(context.environment, {}),
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
  })
  let words: string | undefined
  const end = (async () => {
    words = (await etcd).stderr.trim().split('\n').at(-1)
  })()
  stack.defer(async () => {
    etcd.kill('SIGTERM')
    await end
  })
  const connection = await connectionOf(context, record, join(sockets.path, 'grpc.sock'))
  const hints = [{ action: 'examine-machine' } as const]
  const isReady = async (deadline: AbortSignal) => {
    if (words !== undefined) {
      throw new VplaneError('COMPONENT_FAILED', `${connection.what} has ended: ${words}`, { hints })
    }
    return (await currentRevision(connection, deadline).catch(() => 0)) > 0
  }
  const { what } = connection
  await waitFor(isReady, { what, timeoutMs: START_MS, intervalMs: 20, signal, hints })
  const held = stack.move()
  return { connection, [Symbol.asyncDispose]: () => held.disposeAsync() }
}

function configurationOf(context: StartContext, record: PlaneRecord, dataFolder: string): string {
  const layout = localLayout(record, context.store.folder(record.name))
  const etcd = { ...layout.etcd, dataFolder, initialState: 'new' } as const
  const { 'listen-client-http-urls': _gateway, ...usual } = JSON.parse(
    etcdConfiguration(record.spec, { ...layout, etcd }),
  )
  const sockets = {
    'listen-client-urls': 'unixs://grpc.sock',
    'listen-peer-urls': 'unixs://peer.sock',
  }
  return `${JSON.stringify({ ...usual, ...sockets }, null, 2)}\n`
}

async function connectionOf(
  { store }: StartContext,
  { name }: PlaneRecord,
  path: string,
): Promise<EtcdConnection> {
  const { pki } = store.folder(name)
  const pem = (file: string) => readFile(join(pki, file), 'utf8')
  return {
    what: `the temporary etcd of "${name}"`,
    dial: () =>
      new Promise((resolve, reject) => {
        const socket = connect({ path })
        socket.once('error', reject)
        socket.once('connect', () => resolve(socket.off('error', reject)))
      }),
    certificateAuthority: await pem(ETCD_CLIENT_FILES.certificateAuthority),
    certificate: await pem(ETCD_CLIENT_FILES.certificate),
    key: await pem(ETCD_CLIENT_FILES.key),
  }
}
