import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accessPathOf } from '../../../../src/compose/access/access-path.ts'
import { tunnelsRoot } from '../../../../src/compose/host/tunnels-root.ts'
import { accessFiles } from '../../../../src/kubeconfig/plugin/access-file.ts'
import { recordOf } from '../../../../src/shared/processes/launch/process-record.ts'
import { processTableOf } from '../../../../src/shared/processes/process-table-of.ts'
import { tunnelFolderOf } from '../../../../src/tunnel/record/tunnel-folder.ts'
import { writeSettings } from '../../../../src/tunnel/record/tunnel-record.ts'
import { listenOnLoopback } from '../../api/fake-api-server.ts'
import { storedPlane } from '../../driver/some-planes.ts'

/** The plane in a host cluster that is known here. */
export const KEPT_HOST_PLANE = storedPlane('dev', {
  driver: 'kubernetes',
  namespace: 'team',
  hostContext: 'admin@my/cluster_1',
})

const DAY_MS = 24 * 3_600_000

export type KeptHostPlane = Awaited<ReturnType<typeof keptHostPlane>>

/** A machine that keeps an access to that plane, and someone who listens at its address. */
export async function keptHostPlane({
  now = new Date(),
  server,
}: { now?: Date; server?: string } = {}) {
  const home = mkdtempSync(join(tmpdir(), 'vplane-kept-host-'))
  const listener = createServer((socket) => socket.destroy())
  const port = await listenOnLoopback(listener)
  const paths = { data: join(home, 'data') }
  const access = {
    server: server ?? `https://127.0.0.1:${port}`,
    certificateAuthority: 'the CA',
    certificate: 'a certificate',
    key: 'a key',
    expiresAt: new Date(now.getTime() + DAY_MS),
  }
  const accesses = accessFiles((plane) => accessPathOf(paths.data, plane))
  await accesses.write(KEPT_HOST_PLANE, access)
  const folder = tunnelFolderOf(tunnelsRoot(paths), KEPT_HOST_PLANE)
  const stopListening = async () => {
    if (listener.listening) {
      listener.close()
      await once(listener, 'close')
    }
  }
  return {
    /** Below it lies everything of vplane. */
    home,
    paths,
    access,
    port,
    folder,
    /** Writes down a tunnel, whose process is this one. */
    openTunnel: async () => {
      mkdirSync(folder.root, { recursive: true })
      await writeSettings(folder, {
        writtenBy: '1.0.0',
        plane: KEPT_HOST_PLANE,
        address: '127.0.0.1',
        port,
        host: { files: [join(home, 'kubeconfig')], environment: { HOME: '/home/someone' } },
        idleTimeoutMs: 1000,
        revision: 'one',
      })
      const own = recordOf(process.pid, processTableOf(process.platform))
      writeFileSync(folder.serving, JSON.stringify({ ...own, revision: 'one' }))
    },
    /** Nobody listens any more. */
    stopListening,
    [Symbol.asyncDispose]: async () => {
      await stopListening()
      rmSync(home, { recursive: true })
    },
  }
}
