import { readFileSync } from 'node:fs'
import { isListening } from '../../shared/network/ports.ts'
import type { TunnelRecord, TunnelSettings } from './tunnel-record.ts'
import { urlHost } from '../../shared/network/url-host.ts'

/**
 * Whether a tunnel can be used as it is: its process is there and its port answers. It takes a millisecond; a process
 * that has the id of one before it and a program that listens on just this port are not told apart from a tunnel.
 */
export async function isUp(record: TunnelRecord): Promise<boolean> {
  return (
    record.process !== undefined &&
    isThere(record.process.processId) &&
    (await isListening(record.port, hostOf(record)))
  )
}

/** Where clients of this machine find a tunnel. */
export function tunnelServer(settings: Pick<TunnelSettings, 'address' | 'port'>): string {
  return `https://${urlHost(hostOf(settings))}:${settings.port}`
}

/** A tunnel that listens everywhere is reached where certificates of planes are valid. */
function hostOf({ address }: Pick<TunnelSettings, 'address'>): string {
  return ['0.0.0.0', '::', 'localhost'].includes(address) ? '127.0.0.1' : address
}

function isThere(processId: number): boolean {
  try {
    return process.kill(processId, 0) && !isZombie(processId)
  } catch {
    // Gone, or somebody else's.
    return false
  }
}

/** In containers nobody may ever wait for the dead: they keep their ids, and another program may have got the port. */
function isZombie(processId: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${processId}/status`, 'utf8'))
  } catch {
    // Not Linux: there the first process always waits for them.
    return false
  }
}
