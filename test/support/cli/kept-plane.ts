import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { COMPONENT_NAMES } from '../../../src/control-plane/plane/plane.ts'
import { processTableOf } from '../../../src/shared/processes/process-table-of.ts'
import { planeFolder } from '../../../src/drivers/local/store/plane-folder.ts'
import { listenOnLoopback } from '../api/fake-api-server.ts'

export type KeeperPlane = Awaited<ReturnType<typeof keptPlane>>

/**
 * A plane named `dev` that looks as if it ran, with an access that is kept for it: this process stands for its components.
 */
export async function keptPlane({ expiresAt = new Date(Date.now() + 24 * 3_600_000) } = {}) {
  const listener = createServer((socket) => socket.destroy())
  const port = await listenOnLoopback(listener)
  const home = mkdtempSync(join(tmpdir(), 'vplane-kept-'))
  const folder = planeFolder(join(home, 'data', 'planes', 'dev'))
  const server = `https://127.0.0.1:${port}`
  const table = processTableOf(process.platform)
  mkdirSync(folder.processes, { recursive: true })
  for (const name of COMPONENT_NAMES) {
    const record = {
      formatVersion: 1,
      processId: process.pid,
      startTime: table.startTimeOf(process.pid),
      bootId: table.bootId(),
      startedAt: new Date().toISOString(),
    }
    writeFileSync(folder.processOf(name), JSON.stringify(record))
  }
  const access = {
    formatVersion: 1,
    planeId: 'an-id',
    server,
    certificateAuthority: 'the CA',
    certificate: 'a certificate',
    key: 'a key',
    expiresAt,
  }
  writeFileSync(folder.access, JSON.stringify(access))
  const stopListening = async () => {
    if (listener.listening) {
      listener.close()
      await once(listener, 'close')
    }
  }
  return {
    /** Below it lies everything of vplane. */
    home,
    folder,
    server,
    /** Nobody listens on its port any more. */
    stopListening,
    [Symbol.asyncDispose]: async () => {
      await stopListening()
      rmSync(home, { recursive: true })
    },
  }
}
