import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'

/**
 * Identifies the processes among which a process id is unique. On Linux those are the processes of one PID namespace
 * since one boot: containers and machines can have the same host name. Elsewhere it says nothing: ''.
 */
export function processNamespace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
    const namespace = readlinkSync('/proc/self/ns/pid')
    return createHash('sha256').update(`${boot}${namespace}`).digest('hex').slice(0, 12)
  } catch {
    // Not Linux.
    return ''
  }
}
