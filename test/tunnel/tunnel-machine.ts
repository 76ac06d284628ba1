import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PlaneReference } from '../../src/control-plane/plane/plane.ts'
import { packageRoot } from '../../src/shared/package-root.ts'
import { processTableOf } from '../../src/shared/processes/process-table-of.ts'
import { waitFor } from '../../src/shared/wait.ts'
import type { TunnelContext } from '../../src/tunnel/ensure-tunnel.ts'
import { type TunnelFolder, tunnelFolderOf } from '../../src/tunnel/record/tunnel-folder.ts'
import { createTunnels, type Tunnels } from '../../src/tunnel/tunnels.ts'
import type { Way } from './fake-tunnel.ts'
import { startTcpServer, type TcpServer } from './tcp-server.ts'

const PROGRAM = join(packageRoot(), 'test/tunnel/fake-tunnel.ts')

export const DEV: PlaneReference = {
  name: 'dev',
  driver: 'kubernetes',
  namespace: 'team-a',
  hostContext: 'prod',
}

/** A data folder, a server that stands for the plane "dev", and tunnels to it in processes of their own. */
export interface TunnelMachine extends AsyncDisposable {
  root: string
  folder: TunnelFolder
  server: TcpServer
  context: TunnelContext
  tunnels: Tunnels
  /** Makes the plane be somewhere else, or sets something in its way. */
  lead(way: Way): void
  log(): string
  /** Resolves when a process has ended. */
  ended(processId: number | undefined): Promise<void>
}

export async function tunnelMachine(context: Partial<TunnelContext> = {}): Promise<TunnelMachine> {
  const root = mkdtempSync(join(tmpdir(), 'vplane-tunnel-'))
  const server = await startTcpServer()
  const file = join(root, 'kubeconfig')
  const lead = (way: Way) => writeFileSync(file, JSON.stringify(way))
  lead({ port: server.port })
  const table = processTableOf(process.platform)
  const whole: TunnelContext = {
    root: join(root, 'tunnels'),
    table,
    program: [process.execPath, PROGRAM],
    writtenBy: '1.2.3',
    host: { files: [file], environment: { PATH: process.env['PATH'] ?? '' } },
    ...context,
  }
  const folder = tunnelFolderOf(whole.root, DEV)
  const tunnels = createTunnels(whole)
  return {
    root,
    folder,
    server,
    context: whole,
    tunnels,
    lead,
    log: () => readFileSync(folder.log, 'utf8'),
    ended: async (processId = 0) => {
      await waitFor(() => Promise.resolve(table.startTimeOf(processId) === undefined), {
        what: `the end of process ${processId}`,
        timeoutMs: 8000,
      })
    },
    [Symbol.asyncDispose]: async () => {
      for (const { plane } of await tunnels.list()) {
        await tunnels.stop(plane)
      }
      await tunnels[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
