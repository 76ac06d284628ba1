import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PlaneReference } from '../../src/control-plane/plane/plane.ts'
import { processTableOf } from '../../src/shared/processes/process-table-of.ts'
import { waitFor } from '../../src/shared/wait.ts'
import type { TunnelContext } from '../../src/tunnel/ensure-tunnel.ts'
import { tunnelFolderOf } from '../../src/tunnel/record/tunnel-folder.ts'
import type { TunnelRecord } from '../../src/tunnel/record/tunnel-record.ts'
import { createTunnels } from '../../src/tunnel/tunnels.ts'
import { startTcpServer } from './tcp-server.ts'

const PROGRAM = fileURLToPath(new URL('./fake-tunnel.ts', import.meta.url))

export const DEV: PlaneReference = {
  name: 'dev',
  driver: 'kubernetes',
  namespace: 'team-a',
  hostContext: 'prod',
}

/** A data folder, a server that stands for the plane "dev", and tunnels to it in processes of their own. */
export async function tunnelMachine(context: Partial<TunnelContext> = {}) {
  const root = mkdtempSync(join(tmpdir(), 'vplane-tunnel-'))
  const server = await startTcpServer()
  const file = join(root, 'kubeconfig')
  writeFileSync(file, String(server.port))
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
  /** Resolves when a process has ended. */
  const ended = async (processId = 0) => {
    const what = `the end of process ${processId}`
    const hasEnded = () => Promise.resolve(table.startTimeOf(processId) === undefined)
    await waitFor(hasEnded, { what, timeoutMs: 8000 })
  }
  return {
    root,
    folder,
    server,
    context: whole,
    tunnels,
    log: () => readFileSync(folder.log, 'utf8'),
    /** Kills the process of a tunnel, and waits for its end. */
    kill: ({ process: serving }: TunnelRecord) => {
      process.kill(serving?.processId ?? 0, 'SIGKILL')
      return ended(serving?.processId)
    },
    ended,
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
