import { messageOf } from '../../shared/errors.ts'
import { processTableOf } from '../../shared/processes/process-table-of.ts'
import type { DialSource } from '../connections/renewable-dial.ts'
import { HAND_OVER_SIGNAL } from '../record/retire-tunnel.ts'
import { serveTunnel } from './serve-tunnel.ts'
import { tunnelFolder } from '../record/tunnel-folder.ts'
import type { TunnelSettings } from '../record/tunnel-record.ts'

/**
 * The life of a tunnel's process: serves the tunnel in a folder until it ends by itself or by a signal, and says in its
 * log, which is stderr, what happens.
 *
 * @returns the exit status
 */
export async function runTunnel(
  root: string,
  open: (settings: TunnelSettings) => Promise<DialSource>,
): Promise<number> {
  const log = (line: string) => {
    process.stderr.write(`${new Date().toISOString()} ${line}\n`)
  }
  const stop = new AbortController()
  const handOver = new AbortController()
  process.once('SIGTERM', () => stop.abort())
  process.once('SIGINT', () => stop.abort())
  // The terminal that it was started from is not its own.
  process.on('SIGHUP', () => {})
  if (process.platform !== 'win32') {
    process.once(HAND_OVER_SIGNAL, () => handOver.abort())
  }
  try {
    await serveTunnel({
      folder: tunnelFolder(root),
      open,
      table: processTableOf(process.platform),
      stop: stop.signal,
      handOver: handOver.signal,
      log,
    })
    return 0
  } catch (error) {
    log(messageOf(error))
    return 1
  }
}
