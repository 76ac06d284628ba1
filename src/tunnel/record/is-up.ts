import { readFileSync } from 'node:fs'
import { isListening } from '../../shared/network/ports.ts'
import type { TunnelRecord, TunnelSettings } from './tunnel-record.ts'
import { urlHost } from '../../shared/network/url-host.ts'

/**
 * Whether a tunnel can be used: its process exists and its port accepts connections. The check takes a millisecond, and
 * does not detect a reused process id together with another program on the port.
 */
export async function isUp(record: TunnelRecord): Promise<boolean> {
  return (
    record.process !== undefined &&
    exists(record.process.processId) &&
    (await isListening(record.port, hostOf(record)))
  )
}

/** The URL of a tunnel for clients on this machine. */
export function tunnelServer(settings: Pick<TunnelSettings, 'address' | 'port'>): string {
  return `https://${urlHost(hostOf(settings))}:${settings.port}`
}

/** The certificates of planes are valid for 127.0.0.1, so clients use it for a tunnel that listens on all addresses. */
function hostOf({ address }: Pick<TunnelSettings, 'address'>): string {
  return ['0.0.0.0', '::', 'localhost'].includes(address) ? '127.0.0.1' : address
}

function exists(processId: number): boolean {
  try {
    return process.kill(processId, 0) && !isZombie(processId)
  } catch {
    // It does not exist, or belongs to another user.
    return false
  }
}

/** In containers ended processes may never be reaped: they keep their ids, and another program may have the port. */
function isZombie(processId: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${processId}/status`, 'utf8'))
  } catch {
    // Not Linux: the first process always reaps ended processes there.
    return false
  }
}
